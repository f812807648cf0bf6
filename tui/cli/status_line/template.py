"""Templates of status lines: `{icon} {title:.30} {position}/{duration}`.

`{name}` is a field, of `fields.FIELDS` unless others are given (None: any name); `{{` and `}}` are braces. After a
colon: `<`, `>` or `^` for where a short value stands, the cells that it is padded to, and after a dot the most cells
that it may take: `{title:<30.30}`.
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from player.text.sentences import _
from player.text.typed_names import suggestion
from tui.cli.status_line.fields import FIELDS, MOVING

USUAL = "{icon} {title} {position}/{duration}"
_MOST_CELLS = 1_000
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
_WIDTH = re.compile(r"([<>^]?)(\d{1,4})?(?:\.(\d{1,4}))?", re.ASCII)

ESCAPES: Mapping[str, Callable[[str], str]] = {
    "tmux": lambda text: text.replace("#", "##"),
    "markup": lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
    "polybar": lambda text: text.replace("%{", "% {"),
}
"""What keeps a title from being read as an order to the bar."""
_BEGUN = {
    "tmux": re.compile(r"(?<!#)(?:##)*#\Z"),
    "markup": re.compile(r"&[#\w]*\Z"),
    "polybar": re.compile(r"%\Z"),
}
"""The end of a text that may be an order, or an entity, with what stands behind it."""
_GOES_ON = {"polybar": "{"}
"""What has to stand there; without one anything may."""


class _Field(NamedTuple):
    name: str
    align: str
    least: int
    most: int | None


class Template:
    """Raises ValueError, with a sentence for the user, when the text isn't a template."""

    def __init__(self, text: str, escape: str | None = None, fields: Collection[str] | None = FIELDS) -> None:
        self._parts: list[str | _Field] = [_part(piece[0], piece[1], fields) for piece in _PIECE.finditer(text)]
        self._escape = ESCAPES[escape] if escape else str
        self._begun, self._goes_on = _BEGUN.get(escape or ""), _GOES_ON.get(escape or "", "")

    @property
    def names(self) -> frozenset[str]:
        """The fields that it has."""
        return frozenset(part.name for part in self._parts if isinstance(part, _Field))

    @property
    def moves(self) -> bool:
        """Whether its text may change while nothing happens but playing."""
        return bool(self.names & MOVING)

    def line(self, values: Mapping[str, str]) -> str:
        """No field makes an order to the bar together with what stands beside it: a space keeps them apart."""
        line, after_field = "", False
        for part in self._parts:
            is_field = isinstance(part, _Field)
            text = self._escape(_fitted(values[part.name], part)) if isinstance(part, _Field) else part
            if (is_field or after_field) and text.startswith(self._goes_on) and text and self._begun:
                line += " " if self._begun.search(line) else ""
            line += text
            after_field = is_field or (after_field and not text)
        return line


def _part(piece: str, inside: str | None, fields: Collection[str] | None) -> str | _Field:
    if piece in ("{{", "}}"):
        return piece[0]
    if inside is None:
        if piece in "{}":
            raise ValueError(_("A single {brace} in the format. For a brace, write it twice.", brace=piece))
        return piece
    name, _colon, width = inside.partition(":")
    if fields is not None and name not in fields:
        raise ValueError(
            _("There is no field {field}.", field=f"{{{name[:40]}}}")
            + suggestion(name[:40], fields)
            + " "
            + _("Available: {fields}.", fields=", ".join(fields))
        )
    found = _WIDTH.fullmatch(width)
    least, most = (int(one) if one else None for one in (found[2], found[3])) if found else (None, None)
    if not found or max(least or 0, most or 0) > _MOST_CELLS:
        raise ValueError(
            _("Invalid width “{width}” in the format. Use {{title:30}} or {{title:.30}}.", width=width[:40])
        )
    return _Field(name, found[1] or "<", least or 0, most)


def _fitted(text: str, field: _Field) -> str:
    if not field.least and field.most is None:
        return text
    if text.isascii():  # needs nothing that takes long to load
        if field.most is not None and len(text) > field.most:
            text = text[: field.most - 1].rstrip() + "…" if field.most else ""
        cells = len(text)
    else:
        from tui.drawing.cells import cut, width

        text = text if field.most is None else cut(text, field.most)
        cells = width(text)
    space = max(0, field.least - cells)
    before = {"<": 0, ">": space, "^": space // 2}[field.align]
    return " " * before + text + " " * (space - before)

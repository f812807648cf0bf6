"""Values as TOML, and a text in which one value is another: all else stays as it was written."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from player.toml.places import Name, Place, places

_BARE = re.compile("[A-Za-z0-9_-]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def written(value: Any) -> str:
    """On one line: text, a whole number, a truth, a list or table of them."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(map(_letter, value)) + '"'
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{written_name((name,))} = {written(one)}" for name, one in value.items())
        return f"{{{inside}}}"
    return str(value)


def written_name(name: Name) -> str:
    """Dotted; what isn't plain is in quotes."""
    return ".".join(one if _BARE.fullmatch(one) else written(one) for one in name)


def put(text: str, name: Name, value: Any) -> str:
    """The text with that value for `name`; where it has none yet, in a new line of its section.

    Raises ValueError where that can't be done so that all else stays the same (a table written in one line, say), and
    TOMLDecodeError, which is one, for a text that isn't TOML.
    """
    before = tomllib.loads(text)
    found = places(text)
    section, own = name[:-1], written_name(name[-1:])
    if (place := found.values.get(name)) is not None:
        changed = text[: place.start] + written(value) + text[place.end :]
    elif (header := found.sections.get(section)) is not None:
        at = _end_of_section(text, header, [one for key, one in found.values.items() if key[:-1] == section])
        changed = f"{text[:at]}\n{own} = {written(value)}{text[at:]}"
    else:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        changed = f"{text}{gap}[{written_name(section)}]\n{own} = {written(value)}\n"
    if _parsed(changed) != _with(before, name, value):
        raise ValueError(written_name(name))
    return changed


def _end_of_section(text: str, header: Place, values: list[Place]) -> int:
    """The end of the line after which a new one belongs to the section: its last value's."""
    at = max([header.end, *(one.end for one in values if one.start > header.start)])
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _with(table: dict[str, Any], name: Name, value: Any) -> dict[str, Any]:
    first, *rest = name
    if not rest:
        return {**table, first: list(value) if isinstance(value, tuple) else value}
    within = table.get(first, {})
    if not isinstance(within, dict):
        raise ValueError(written_name(name))
    return {**table, first: _with(within, tuple(rest), value)}


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _letter(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter

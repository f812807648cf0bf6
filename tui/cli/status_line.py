"""Status lines, as `{icon} {title:.30} {position}/{duration}`: what can stand in one, templates, and `earmark status
--format TEXT` without what the other commands need: a status bar starts a process for each line. Imports next to
nothing.

`{name}` is a field, of FIELDS unless others are given (None: any name); `{{` and `}}` are braces. After a colon:
`<`, `>` or `^` for where a short value stands, the cells that it is padded to, and after a dot the most cells that
it may take: `{title:<30.30}`.
"""

import os
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from player.text.durations import clock
from player.text.sentences import _, mark
from player.text.typed_names import suggestion

Status = Mapping[str, Any]
"""As the control socket gives it."""

FIELDS = {
    "title": mark("the episode"),
    "podcast": mark("the podcast"),
    "state": mark("stopped, opening, playing, paused, buffering, ended or error"),
    "icon": mark("a sign for the state"),
    "position": mark("such as 8:12"),
    "duration": mark("such as 45:00; empty if unknown"),
    "left": mark("how much of the episode is left, such as 36:48"),
    "percent": mark("how much was played, 0 to 100"),
    "speed": mark("such as 1.5"),
    "volume": mark("in percent"),
    "gain": mark("by which the episode is levelled, such as +6 dB; empty if it isn't"),
    "chapter": mark("the chapter; empty if there is none"),
    "chapter_number": mark("its number, from 1"),
    "chapters": mark("how many chapters there are"),
    "queue": mark("how many episodes are queued"),
    "sleep": mark("what is left on the sleep timer, such as 12:34; empty if it isn't set"),
    "offline": mark("“offline”, or empty"),
    "error": mark("why nothing is heard, in a sentence; else empty"),
    "episode_id": mark("the episode's ID"),
    "podcast_id": mark("the podcast's ID"),
}
"""Each field of a template, and what it is."""

MOVING = frozenset({"position", "left", "percent", "sleep"})
"""What changes while an episode plays and nothing happens."""

_ICONS = {"playing": "▶", "paused": "⏸", "opening": "…", "buffering": "…", "ended": "■", "stopped": "■", "error": "!"}
_ICONS_IN_ASCII = {"▶": ">", "⏸": '"', "…": "~", "■": "-", "!": "!"}
NOTHING = dict.fromkeys(FIELDS, "")


def forwarded(status: Status, seconds: float) -> Status:
    """The status that long after it was sent, as an episode that plays goes on by itself."""
    if status["state"] != "playing" or seconds <= 0:
        return status
    length = status["duration_ms"]
    position_ms = status["position_ms"] + int(seconds * 1000 * status["speed"])
    if length is not None:
        position_ms = min(position_ms, max(status["position_ms"], length))
    sleep = status["sleep"]
    if sleep is not None and sleep["left_ms"] is not None:
        sleep = {**sleep, "left_ms": max(0, sleep["left_ms"] - int(seconds * 1000))}
    return {**status, "position_ms": position_ms, "sleep": sleep}


def next_second_in(status: Status) -> float | None:
    """In how many seconds the position shows another second; None while it stands."""
    if status["state"] != "playing":
        return None
    return float((1000 - status["position_ms"] % 1000) / 1000 / max(0.1, status["speed"]))


def values(status: Status, *, ascii_only: bool = False) -> dict[str, str]:
    """The text of each field."""
    episode = status["episode"] or {}
    chapter = status.get("chapter") or {}
    whole_ms = status["position_ms"] // 1000 * 1000
    length = status["duration_ms"]
    icon = _ICONS.get(status["state"], "")
    return {
        **NOTHING,
        "title": _text(episode.get("title")),
        "podcast": _text(episode.get("podcast")),
        "state": status["state"],
        "icon": _ICONS_IN_ASCII.get(icon, "") if ascii_only else icon,
        "position": clock(whole_ms) if episode else "",
        "duration": clock(length) if length else "",
        "left": clock(max(0, length // 1000 * 1000 - whole_ms)) if length else "",
        "percent": str(min(100, whole_ms * 100 // length)) if length else "",
        "speed": f"{status['speed']:g}",
        "volume": str(status["volume"]),
        "gain": gain_text(status),
        "chapter": _text(chapter.get("title")),
        "chapter_number": _text(chapter.get("number")),
        "chapters": _text(chapter.get("count")),
        "queue": _text(status.get("queue_count")),
        "sleep": _sleep(status["sleep"]),
        "offline": "offline" if status.get("offline") else "",
        "error": _text(status.get("error") or status.get("waiting")),
        "episode_id": _text(episode.get("id")),
        "podcast_id": _text(episode.get("podcast_id")),
    }


def gain_text(status: Status) -> str:
    """By how much the episode is levelled, such as `+6 dB`; empty if it isn't."""
    gain = round(status.get("gain_db") or 0)
    return f"{gain:+d} dB" if gain else ""


def _text(value: object) -> str:
    """Without control characters, whatever the answer holds."""
    text = "" if value is None else str(value)
    if text.isascii() and text.isprintable():
        return text
    from player.text.cleaning import clean_line  # takes longer to load than the rest

    return clean_line(text)


def _sleep(sleep: Status | None) -> str:
    if sleep is None:
        return ""
    if sleep["left_ms"] is not None:
        return clock(sleep["left_ms"])
    return str(sleep["until"])


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


_BROKEN_PIPE = 141


def one_line(arguments: Sequence[str], environ: Mapping[str, str] = os.environ) -> int | None:
    """Prints the line for what follows `earmark status`; the exit code, or None when it has done nothing."""
    asked = _asked(arguments)
    if asked is None:
        return None
    from player.errors import EarmarkError, NotRunning
    from player.integrations.client import plain_socket_path, request

    path = plain_socket_path(environ)
    if path is None:
        return None
    text, quiet = asked
    try:
        template = Template(text)
        status = request(path, "status")["status"]
        if quiet and status["episode"] is None:
            return 0
        line = template.line(values(status))
    except NotRunning:
        return 0 if quiet else None
    except (EarmarkError, ValueError):
        return None
    return _printed(line)


def _asked(arguments: Sequence[str]) -> tuple[str, bool] | None:
    """The format, and whether to be quiet; None where there is more, or something else."""
    quiet = list(arguments).count("--quiet")
    rest = [one for one in arguments if one != "--quiet"]
    if quiet > 1 or not rest:
        return None
    if len(rest) == 1 and rest[0].startswith("--format="):
        return rest[0].removeprefix("--format="), bool(quiet)
    if len(rest) == 2 and rest[0] == "--format" and not rest[1].startswith("-"):
        return rest[1], bool(quiet)
    return None


def _printed(line: str) -> int:
    with suppress(AttributeError, ValueError):
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        print(line, flush=True)
    except (OSError, ValueError):
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that Python doesn't try again, and complain, at the end
        return _BROKEN_PIPE
    return 0

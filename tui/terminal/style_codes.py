"""Reduces the codes for the style of text (SGR, ECMA-48) to as few as possible, and makes those of links that the
terminal itself can open (OSC 8).

Textual sets and resets the style of each part of a line: 23 of a frame's 29 kB are codes. A terminal reads the
remaining 12 kB in half the time, and a slow line, as over SSH, transfers them in half the time.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from player.links.urls import openable
from tui.terminal.capabilities import knows_osc

if TYPE_CHECKING:
    from textual.app import App


_CODES = re.compile(r"\x1b\[([0-9;]*)m")
_SEEN_ON_BLANKS = frozenset({"4", "5", "6", "7", "9"})
"""Underlines, blinking and reverse video are visible even on spaces."""
_ATTRIBUTES = _SEEN_ON_BLANKS | {"1", "2", "3", "8"}
_FRONTS = frozenset(map(str, (*range(30, 38), *range(90, 98))))
_GROUNDS = frozenset(map(str, (*range(40, 48), *range(100, 108))))


class _Look(NamedTuple):
    """A style: attributes, and the colours of text and background; "" for the terminal's own."""

    attributes: frozenset[str]
    front: str
    ground: str

    @classmethod
    def of(cls, codes: str) -> "_Look | None":
        """The style that codes set; None if they do anything else, such as resetting an attribute."""
        attributes: set[str] = set()
        front = ground = ""
        left = iter(codes.split(";") if codes else ())
        for code in left:
            if code in ("38", "48"):
                kind = next(left, "")
                colour = ";".join((code, kind, *(next(left, "") for _ in range(3 if kind == "2" else 1))))
                front, ground = (colour, ground) if code == "38" else (front, colour)
            elif code in _FRONTS:
                front = code
            elif code in _GROUNDS:
                ground = code
            elif code == "39":
                front = ""
            elif code == "49":
                ground = ""
            elif code in _ATTRIBUTES:
                attributes.add(code)
            else:
                return None
        return cls(frozenset(attributes), front, ground)

    def is_part_of(self, other: "_Look") -> bool:
        """Whether codes can change this style to the other one without resetting anything."""
        return (
            self.attributes <= other.attributes
            and bool(other.front or not self.front)
            and bool(other.ground or not self.ground)
        )


def fewer(output: str) -> str:
    """The output with fewer codes. It looks the same on a terminal in its plain style, and leaves it in the same
    style."""
    first, *rest = _CODES.split(output)
    if not rest:
        return output
    made = [first]
    now = wanted = ""
    for codes, text in zip(rest[::2], rest[1::2], strict=True):
        wanted = "" if codes in ("", "0") else f"{wanted};{codes}" if wanted else codes
        if text:
            change, now = _change(now, wanted, not text.strip(" "))
            made += change, text
    made.append(_change(now, wanted, False)[0])
    return "".join(made)


@lru_cache(4096)
def _change(now: str, wanted: str, blank: bool) -> tuple[str, str]:
    """The codes that change one style to another, and the style after them; `blank` text may keep the old style."""
    if now == wanted:
        return "", now
    if not wanted:
        return "\x1b[0m", ""
    before, after = _Look.of(now), _Look.of(wanted)
    if before is None or after is None:
        return f"\x1b[0;{wanted}m", wanted
    if blank and before.ground == after.ground and not (before.attributes | after.attributes) & _SEEN_ON_BLANKS:
        return "", now
    if not before.is_part_of(after):
        return f"\x1b[0;{wanted}m", wanted
    added = sorted(after.attributes - before.attributes)
    added += [new for old, new in ((before.front, after.front), (before.ground, after.ground)) if new != old]
    return f"\x1b[{';'.join(added)}m" if added else "", wanted


_LONGEST = 2_000
"""In characters; terminals don't accept longer addresses."""


def has_hyperlinks(wish: str, environ: Mapping[str, str]) -> bool:
    """Whether to send hyperlinks. `wish` is the setting (`auto`, `always`, `never`).

    FORCE_HYPERLINK=0 or 1 is respected, as other programs do.
    """
    if wish != "auto":
        return wish == "always"
    if forced := environ.get("FORCE_HYPERLINK"):
        return forced != "0"
    return knows_osc(environ)


def terminal_link(app: "App[Any]", href: str) -> str:
    """The address to send to the terminal with a link's text; "" if there is none."""
    if not href or not getattr(app, "hyperlinks", True):
        return ""
    link = openable(href)
    return link if len(link) <= _LONGEST else ""


class LinkIds(LineFilter):
    """The last of a page's filters: gives all parts of a link the same id, so that the terminal treats its lines as one
    link.

    The filters before it copy styles, and each copy gets an id of its own.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - as Textual calls it
        return [
            Segment(text, _with_id(style, style.link)) if style and style.link else Segment(text, style)
            for text, style, _ in segments
        ]


def _with_id(style: Style, link: str) -> Style:
    style = style.copy()
    style._link_id = f"{crc32(link.encode()):x}"  # Rich has no other way to set the id
    return style

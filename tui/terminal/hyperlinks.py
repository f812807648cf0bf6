"""Links that the terminal itself can open (OSC 8)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from zlib import crc32

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from player.links.urls import openable
from tui.terminal.capabilities import knows_osc

if TYPE_CHECKING:
    from textual.app import App

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

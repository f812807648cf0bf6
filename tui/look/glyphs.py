"""The glyphs that Earmark draws with. Each has a meaning, is one cell wide, and has an ASCII counterpart."""

import codecs
import os
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from textual.app import App


class Glyphs(Struct, frozen=True):
    """Every glyph is one cell wide, except the names of keys, the ellipsis in ASCII, and glyphs without an ASCII
    counterpart: ""."""

    new: str = "●"
    unplayed: str = "•"
    started: str = "◐"
    played: str = "✓"
    star: str = "★"
    live: str = "◉"
    queued: str = "≡"
    downloaded: str = "↓"
    downloading: str = "⇣"
    missing: str = "⊘"
    all: str = "○"
    history: str = "↺"
    playlist: str = "♫"
    smart: str = "◇"
    pinned: str = "▴"
    folded: str = "▸"
    unfolded: str = "▾"
    failed: str = "!"
    waiting: str = "◌"
    playing: str = "▶"
    paused: str = "⏸"
    stopped: str = "■"
    sleep: str = "☾"
    loading: str = "◌"
    cursor: str = "▌"
    selected: str = "┃"
    line: str = "━"
    line_half: str = "╾"
    line_half_thin: str = "╼"
    line_left: str = "╸"
    line_right: str = "╺"
    line_thin: str = "─"
    line_thin_left: str = "╴"
    line_thin_right: str = "╶"
    position: str = "●"
    pointer: str = "┃"
    playhead: str = "│"
    bookmark: str = "◆"
    position_bookmark: str = "◈"
    segment: str = "╍"
    segment_start: str = "("
    heights: str = " ▁▂▃▄▅▆▇█"
    tints: str = "·•░▒▓█"
    blocks: str = "■■■■■■"
    steps: str = "▁▃▅▇"
    hue: str = "▎"
    onward: str = "›"
    rare: bool = True
    """Whether the terminal has rare characters as well: Braille, parts of a cell, superscripts, round corners."""
    dot: str = "·"
    bullet: str = "•"
    warning: str = "▲"
    trouble: str = "✗"
    away: str = "↗"
    quote: str = "▎"
    times: str = "×"
    minus: str = "−"
    trimmed: str = "›‹"
    about: str = "≈"
    ellipsis: str = "…"
    dash: str = "–"
    left: str = "←"
    right: str = "→"
    up: str = "↑"
    down: str = "↓"


UNICODE = Glyphs()

ASCII = Glyphs(
    new="o",
    unplayed=".",
    started="~",
    played="x",
    star="*",
    live="L",
    queued="+",
    downloaded="v",
    downloading="V",
    missing="/",
    all="#",
    history="%",
    playlist="=",
    smart="?",
    pinned="^",
    folded="+",
    unfolded="-",
    failed="!",
    waiting="?",
    playing=">",
    paused='"',
    stopped="]",
    sleep="z",
    loading="%",
    cursor=">",
    selected="+",
    line="=",
    line_half="=",
    line_half_thin="-",
    line_left="",
    line_right="",
    line_thin="-",
    line_thin_left="",
    line_thin_right="",
    position="O",
    pointer="|",
    playhead="I",
    bookmark="^",
    position_bookmark="@",
    segment="~",
    segment_start="(",
    heights=" .:-=+*#@",
    tints=".-+*%@",
    blocks=".-+*%@",
    steps="",
    hue="|",
    onward=">",
    rare=False,
    dot="-",
    bullet="*",
    warning="!",
    trouble="X",
    away="^",
    quote="|",
    times="x",
    minus="-",
    trimmed="><",
    about="~",
    ellipsis="..",
    dash="-",
    left="left",
    right="right",
    up="up",
    down="down",
)


CONSOLE = replace(
    ASCII,
    unplayed="·",
    all="°",
    cursor="█",
    selected="█",
    line="═",
    line_half="─",
    line_half_thin="─",
    line_thin="─",
    pointer="│",
    playhead="│",
    heights=" ░░░▒▒▓▓█",
    tints="·.░▒▓█",
    hue="│",
    dot="·",
    bullet="·",
    quote="│",
    left="←",
    right="→",
    up="↑",
    down="↓",
)
"""For the console of Linux, whose fonts have 256 or 512 characters: ASCII with the characters that they all have (code
page 437 and the fonts of console-setup)."""


def glyphs_for(ascii_only: bool, encoding: str | None) -> Glyphs:
    """The glyphs for this terminal, with output in this `encoding`; `ascii_only` is the listener's setting."""
    if ascii_only:
        return ASCII
    try:
        name = codecs.lookup(encoding or "ascii").name
    except LookupError:
        return ASCII
    if not name.startswith("utf"):
        return ASCII
    return CONSOLE if os.environ.get("TERM", "").partition("-")[0] == "linux" else UNICODE


def glyphs_of(app: "App[Any]") -> Glyphs:
    """The glyphs that this app draws with."""
    found = getattr(app, "glyphs", UNICODE)
    return found if isinstance(found, Glyphs) else UNICODE

"""The glyphs that Earmark draws with. Each has a meaning, is one cell wide, and has an ASCII counterpart."""

import codecs
import os
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from player.text.sentences import mark, translate

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
    spoken: bool = False
    """Whether lines are for a screen reader: most glyphs are placeholders, which `as_words` replaces."""
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

_WORDS = {
    "new": mark("new"), "unplayed": mark("unplayed"), "started": mark("in progress"), "played": mark("played"),
    "star": mark("starred"), "live": mark("live"), "queued": mark("queued"), "downloaded": mark("downloaded"),
    "downloading": mark("downloading"), "missing": mark("not on this computer"), "pinned": mark("pinned"),
    "folded": mark("folded"), "unfolded": mark("unfolded"), "failed": mark("failed"), "waiting": mark("waiting"),
    "playing": mark("playing"), "paused": mark("paused"), "stopped": mark("stopped"), "sleep": mark("sleep timer"),
    "loading": mark("loading"), "selected": mark("selected"), "trouble": mark("error"),
    "trimmed": mark("pauses trimmed"),
}  # fmt: skip
"""The words for glyphs with a meaning of their own."""
_SILENT = (
    "all", "history", "playlist", "smart", "line", "line_half", "line_half_thin", "line_left", "line_right",
    "line_thin", "line_thin_left", "line_thin_right", "position", "pointer", "playhead", "bookmark",
    "position_bookmark", "segment", "steps", "hue", "onward", "warning", "away", "quote",
)  # fmt: skip
"""The glyphs that only decorate, or show what other words say."""
_PLACES = {chr(0xF700 + number): word for number, word in enumerate(_WORDS.values())}
"""The words by their placeholders: characters for private use, one cell wide, as the layout expects of glyphs."""
_NOTHING, CURSOR = "\uf7fe", "\uf7ff"
"""The placeholders for nothing, and for the cursor of a list or page."""
_SPOKEN: dict[str, Any] = {
    **dict(zip(_WORDS, _PLACES, strict=True)),
    **dict.fromkeys(_SILENT, _NOTHING),
    "heights": _NOTHING * 9, "tints": _NOTHING * 6, "blocks": _NOTHING * 6,
    "cursor": CURSOR, "dot": ",", "bullet": "-", "ellipsis": "...", "times": "", "spoken": True,
}  # fmt: skip
SPOKEN = replace(ASCII, **_SPOKEN)
"""For screen readers."""
_PLACE = re.compile(f"[{''.join(_PLACES)}]")
_DRAWN = re.compile(f"[{_NOTHING}{CURSOR}\u2500-\u259f\u2800-\u28ff]+")
_APART = re.compile(r"\s*,\s*,[\s,]*|\s+,\s*|,\s{2,}|(?<=[^\s,])\s{3,}")


def as_words(line: str) -> str:
    """A line drawn with the glyphs `SPOKEN`, as a screen reader should say it: glyphs are words, gaps are commas, and
    nothing is drawn."""
    said = _PLACE.sub(lambda found: f"   {translate(_PLACES[found[0]])}   ", line)
    return _APART.sub(", ", _DRAWN.sub("", said)).strip(" ,")


def glyphs_for(ascii_only: bool, encoding: str | None, *, spoken: bool = False) -> Glyphs:
    """The glyphs for this terminal, with output in this `encoding`; `ascii_only` and `spoken` are the listener's
    settings."""
    if spoken:
        return SPOKEN
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

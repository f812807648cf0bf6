"""With NO_COLOR, in ASCII and on the console of Linux, every screen says all that it says in colours."""

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import astuple, replace
from rich.color import ColorSystem
from rich.style import Style

from player.settings import Appearance
from tests.tui.stage import QUIET, Stage, opened, stocked_player
from tests.tui.test_gallery import each_screen
from tui.look.glyphs import ASCII, CONSOLE, UNICODE, Glyphs, glyphs_for

COLOUR = re.compile(r"\x1b\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9\d|10[0-7])(?:;[\d;]*)?m")
"""An SGR code (ECMA-48, xterm's ctlseqs) that sets a colour, and isn't the terminal's own: 39 and 49."""
SYMBOLS = re.compile("[\u2190-\u2bff]")
"""Arrows, lines, blocks and shapes: none of them is in a title of the shelf."""
REVERSED = ("main", "sidebar", "starred", "links", "sleep timer", "podcast settings", "settings", "unsubscribe")
"""Where keys go to a row that is selected."""
UNDERLINED = ("notes", "filter", "commands", "palette", "find")
"""Where they go to a page or a field, beside a row that is selected."""


def rows(stage: Stage) -> Iterator[tuple[str, Style]]:
    for strip in stage.app.screen._compositor.render_strips():
        for segment in strip:
            yield segment.text, segment.style or Style()


def marked(stage: Stage, how: str) -> list[str]:
    """The words that are reversed or underlined; one letter is the cursor of a field."""
    return [text for text, style in rows(stage) if getattr(style, how) and sum(map(str.isalnum, text)) > 1]


SHOWN = {UNICODE: SYMBOLS.pattern, ASCII: "", CONSOLE: "═─│█░▒▓←→↑↓"}
"""The symbols that each set of glyphs may show."""


def test_the_console_has_every_glyph() -> None:
    """Python's code page 437 has no arrows: they stand among its control characters, 24 to 27."""
    for glyph in astuple(CONSOLE):
        if isinstance(glyph, str):
            re.sub("[←→↑↓]", "", glyph).encode("cp437")


async def test_the_console_of_linux_is_known_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal, glyphs in (("linux", CONSOLE), ("linux-16color", CONSOLE), ("xterm-256color", UNICODE)):
        monkeypatch.setenv("TERM", terminal)
        assert glyphs_for(ascii_only=False, encoding="utf-8") is glyphs
        assert glyphs_for(ascii_only=True, encoding="utf-8") is ASCII


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII, CONSOLE], ids=["unicode", "ascii", "console"])
async def test_a_scrollbar_without_colours_is_a_line(glyphs: Glyphs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "linux" if glyphs is CONSOLE else "xterm")
    settings = replace(QUIET, appearance=Appearance(ascii=glyphs is ASCII))
    async with opened(stocked_player(settings=settings), (80, 24)) as stage:
        at = stage.episodes.region.right - 1
        bar = [line.ljust(80)[at] for line in stage.lines()[2:20]]
        assert set(bar) == {glyphs.pointer, " "}


@pytest.mark.long
@pytest.mark.parametrize("glyphs", SHOWN, ids=["unicode", "ascii", "console"])
async def test_no_screen_needs_colours(glyphs: Glyphs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "linux" if glyphs is CONSOLE else "xterm")
    settings = replace(QUIET, appearance=Appearance(ascii=glyphs is ASCII))
    async with opened(stocked_player(settings=settings), (120, 30)) as stage:
        async for name in each_screen(stage):
            sent = "".join(style.render(text, color_system=ColorSystem.TRUECOLOR) for text, style in rows(stage))
            assert COLOUR.search(sent) is None, name
            assert bool(marked(stage, "reverse")) is (name in REVERSED), name
            if name in UNDERLINED:
                assert marked(stage, "underline"), name
            if glyphs is not UNICODE:
                others = "".join(set("".join(stage.lines())) - {*SHOWN[glyphs]})
                assert not SYMBOLS.findall(others), name

"""Fewer codes, and the same look."""

import re

import pyte
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style

from tui.terminal.style_codes import fewer

COLOURS = st.sampled_from(["red", "bright_blue", "#d5dbe6", "#151922", "color(99)"]) | st.none()
STYLES = st.builds(
    Style, color=COLOURS, bgcolor=COLOURS, bold=st.booleans(), italic=st.booleans(), underline=st.booleans(),
    reverse=st.booleans(), strike=st.booleans(),
)  # fmt: skip
TEXTS = st.sampled_from(["a", " ", "   ", "b c", "\r\n", "\x1b[2;3H", "●", ""])
CODES = st.lists(st.sampled_from(["0", "", "1", "3", "4", "7", "9", "22", "24", "27", "31", "39", "42", "49", "97"]))


def printed(pieces: list[tuple[str, Style]]) -> str:
    console = Console(force_terminal=True, color_system="truecolor", legacy_windows=False)
    return console._render_buffer([Segment(text, style) for text, style in pieces])


def seen(output: str) -> tuple[list[object], object]:
    """What each cell of a screen looks like, and the style that text would have from here on."""
    screen = pyte.Screen(12, 4)
    pyte.Stream(screen).feed(output)
    cells: list[object] = []
    for row in range(4):
        for column in range(12):
            cell = screen.buffer[row][column]
            if cell.data == " " and not (cell.reverse or cell.underscore or cell.strikethrough):
                cells.append((" ", cell.bg))
            else:
                cells.append(cell)
    return cells, screen.cursor.attrs


@given(st.lists(st.tuples(TEXTS, STYLES), max_size=12))
def test_what_is_printed_looks_the_same(pieces: list[tuple[str, Style]]) -> None:
    whole = printed(pieces)
    assert seen(fewer(whole)) == seen(whole)
    assert len(fewer(whole)) <= len(whole)


@given(st.lists(st.tuples(CODES, TEXTS), max_size=12))
def test_codes_that_take_something_back_mean_what_they_meant(pieces: list[tuple[list[str], str]]) -> None:
    whole = "".join(f"\x1b[{';'.join(codes)}m{text}" for codes, text in pieces)
    assert seen(fewer(whole)) == seen(whole)


def test_blanks_on_the_same_ground_need_no_code_of_their_own() -> None:
    ground = Style(bgcolor="#151922")
    line = [("name", ground + Style(color="#d5dbe6")), ("   ", ground + Style(color="#4a5365")), (" ", ground)]
    assert len(re.findall("\x1b", fewer(printed(line)))) == 2


def test_what_holds_no_style_is_left_as_it_is() -> None:
    for text in ("", "plain", "\x1b[?1049h\x1b[H", "\x1b[>4;2m"):
        assert fewer(text) == text

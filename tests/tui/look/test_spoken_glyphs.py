"""Lines for a screen reader: the glyphs are words, and nothing is drawn."""

import pytest
from msgspec.structs import asdict

from tui.drawing import cells
from tui.look.glyphs import CURSOR, SPOKEN, UNICODE, as_words, glyphs_for


@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        (f"{SPOKEN.started} A title {SPOKEN.star}", "in progress, A title, starred"),
        (f"{CURSOR}{SPOKEN.played} Ink", "played, Ink"),
        (f"{SPOKEN.live} Tonight   Tue 20:00", "live, Tonight, Tue 20:00"),
        (f"  12 episodes {SPOKEN.dot} newest first", "12 episodes, newest first"),
        (f"{SPOKEN.queued} {SPOKEN.dot} {SPOKEN.downloaded}", "queued, downloaded"),
        ("Pause or resume          space", "Pause or resume, space"),
        ("1,234 episodes, all of them", "1,234 episodes, all of them"),
        (f"12:30 {SPOKEN.line * 4}{SPOKEN.position}{SPOKEN.line_thin * 9}", "12:30"),
        ("╭─ Commands ─╮", "Commands"),
        ("", ""),
    ],
)
def test_what_is_drawn_is_said_in_words(drawn: str, said: str) -> None:
    assert as_words(drawn) == said


def test_a_line_is_said_the_same_once_it_is_words() -> None:
    line = as_words(f"{CURSOR}{SPOKEN.new} Borrowed  Time   40 min {SPOKEN.dot} {SPOKEN.downloaded}")
    assert as_words(line) == line == "new, Borrowed  Time, 40 min, downloaded"


def test_the_layout_counts_on_one_cell_for_each_placeholder() -> None:
    placeholders = {
        name: glyph for name, glyph in asdict(SPOKEN).items() if isinstance(glyph, str) and glyph >= "\uf700"
    }
    assert len(placeholders) > 40
    for name, glyph in placeholders.items():
        assert cells.width(glyph) in (1, len(getattr(UNICODE, name))), name
        assert as_words(f"a {glyph} b").isascii(), name


def test_a_screen_reader_gets_words_in_any_terminal() -> None:
    assert glyphs_for(False, "utf-8", spoken=True) is SPOKEN
    assert glyphs_for(True, "ascii", spoken=True) is SPOKEN

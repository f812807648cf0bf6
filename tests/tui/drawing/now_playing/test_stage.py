"""Now playing above the player bar, at every size: what is shown, and that it fits."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from player.artwork.picture import CoverArt
from player.model.episode import Chapter, Chapters, Episode, EpisodeId, Transcript, TranscriptLine
from player.model.podcast import PodcastId
from player.text.times import time_link
from tui.drawing.about.sheet import plain
from tui.drawing.bidi import reordered
from tui.drawing.now_playing import Playing, Stage, lay_out, said, voices_of
from tui.drawing.runs import width_of
from tui.look.glyphs import ASCII, UNICODE
from tui.terminal.bidi import Bidi

EPISODE = Episode(EpisodeId(1), PodcastId(1), "Compilers", "Post-grad passes", "1", "")
CHAPTERS = Chapters(tuple(Chapter(number * 60_000, f"Chapter {number}") for number in range(30)))
LINES = tuple(
    TranscriptLine(f"Line {number} is said here.", number * 5_000, None, "Ada" if number // 2 % 2 else "Grace")
    for number in range(60)
)
TRANSCRIPT = Transcript(LINES)
ART = CoverArt(EPISODE.podcast_id, "Compilers", "https://a.example/feed")
FULL = Playing(
    EPISODE, "12 Apr · 24m", ART, CHAPTERS, 4, None, TRANSCRIPT, 20,
    voices_of(TRANSCRIPT), "", "n  Next: Linkers",
)  # fmt: skip
SIZES = ((300, 95), (160, 40), (120, 35), (100, 20), (80, 19), (60, 14), (40, 9), (30, 6))


def text(stage: Stage) -> str:
    return plain(stage.lines)


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_the_title_the_podcast_and_what_is_said_are_shown_at_every_size(columns: int, rows: int) -> None:
    shown = text(lay_out(FULL, columns, rows, UNICODE))
    assert "Post-grad passes" in shown
    assert "Compilers" in shown
    assert "Line 20 is said here." in shown


def test_a_wide_terminal_has_the_cover_on_the_left_and_the_text_on_the_right() -> None:
    stage = lay_out(FULL, 160, 40, UNICODE)
    assert stage.cover is not None
    row, column, cells, rows = stage.cover
    assert cells == 2 * rows
    assert all(not plain([line])[column : column + cells].strip() for line in stage.lines[row : row + rows])
    below = next(line for line in stage.lines[row + rows :] if "Post-grad" in plain([line]))
    assert plain([below])[column:].startswith("Post-grad passes")
    said_row = next(line for line in stage.lines if "Line 20" in plain([line]))
    assert plain([said_row]).index("Line 20") > column + cells


def test_a_very_wide_one_has_the_chapters_in_a_column_of_their_own() -> None:
    shown = text(lay_out(FULL, 300, 60, UNICODE)).split("\n")
    assert any("is said here" in line and "Chapter" in line for line in shown)
    assert not any(
        "is said here" in line and "Chapter" in line for line in text(lay_out(FULL, 160, 60, UNICODE)).split("\n")
    )


def test_a_narrow_one_is_stacked_with_the_cover_in_the_middle() -> None:
    stage = lay_out(FULL, 80, 30, UNICODE)
    assert stage.cover is not None
    _row, column, cells, _rows = stage.cover
    assert abs(column - (80 - column - cells)) <= 1


def test_the_current_chapter_is_marked_in_words_and_links_to_its_start() -> None:
    without = replace(FULL, transcript=None)
    stage = lay_out(without, 120, 30, UNICODE)
    line = next(line for line in stage.lines if "Chapter 4" in plain([line]))
    assert "▶" in plain([line])
    assert time_link(240_000) in {run.href for run in line}
    at = lay_out(replace(without, cursor=7), 120, 30, UNICODE)
    assert any("▌" in plain([line]) and "Chapter 7" in plain([line]) for line in at.lines)


def test_what_is_known_of_a_tiny_screen_is_the_chapter_and_the_line() -> None:
    assert text(lay_out(FULL, 40, 5, UNICODE)).split("\n") == [
        "  Post-grad passes",
        "  ▌ Compilers",
        "  Chapter 4  5 of 30",
        "  Line 20 is said here.",
        "  n  Next: Linkers",
    ]


def test_without_covers_there_is_no_room_left_for_one() -> None:
    assert lay_out(FULL, 160, 40, UNICODE, covers=False).cover is None


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_where_nothing_plays_it_says_what_to_do(columns: int, rows: int) -> None:
    shown = text(lay_out(Playing(hint="esc goes back"), columns, rows, UNICODE))
    assert "Nothing is playing" in shown
    assert "esc goes back" in shown


def test_a_stream_without_anything_else_is_its_title_in_the_middle() -> None:
    shown = lay_out(Playing(EPISODE, "live"), 160, 40, UNICODE)
    row = next(number for number, line in enumerate(shown.lines) if "Post-grad" in plain([line]))
    assert 12 < row < 24
    assert "live" in text(shown)


def test_why_there_is_no_transcript_yet_is_said() -> None:
    waiting = replace(FULL, transcript=None, chapters=Chapters(), words="Fetching the transcript…")
    assert all("Fetching the transcript" in text(lay_out(waiting, *size, UNICODE)) for size in SIZES[:6])


# -- what is said ---------------------------------------------------------------------------------------------


def test_what_was_said_is_dim_the_current_line_is_bold_and_the_rest_is_plain() -> None:
    lines = said(TRANSCRIPT, 20, voices_of(TRANSCRIPT), 60, 11)
    roles = {plain([line]).strip(): {run.role for run in line if run.text.strip()} for line in lines}
    assert roles["Line 19 is said here."] == {"said"}
    assert roles["Line 20 is said here."] == {"spoken"}
    assert roles["Line 21 is said here."] == {""}
    now = next(line for line in lines if "Line 20" in plain([line]))
    assert width_of(now) == 60, "its ground is as wide as the text"


def test_speakers_have_voices_of_their_own_and_are_named_when_they_change() -> None:
    lines = said(TRANSCRIPT, 21, voices_of(TRANSCRIPT), 60, 11)
    named = {plain([line]).strip(): line[-1].role for line in lines if plain([line]).strip() in ("Ada", "Grace")}
    assert named["Ada"].split()[0] != named["Grace"].split()[0]
    until = next(number for number, line in enumerate(lines) if "Line 21" in plain([line]))
    assert plain(lines[: until + 1]).count("Grace") == 1, "who goes on isn't named again"
    assert plain(lines).split("\n")[-1].strip() not in ("Ada", "Grace"), "no name without what they say"


def test_before_the_first_line_the_first_ones_are_to_come() -> None:
    lines = said(TRANSCRIPT, None, {}, 60, 10)
    assert len(lines) == 10
    assert "Line 0" in plain(lines)
    assert not any("spoken" in run.role for line in lines for run in line)


_TEXT = st.text(max_size=60)


@given(
    title=_TEXT, words=st.lists(_TEXT, max_size=12), columns=st.integers(1, 220), rows=st.integers(1, 60),
    at=st.integers(0, 11), cursor=st.none() | st.integers(0, 11), ascii_only=st.booleans(), covers=st.booleans(),
)  # fmt: skip
@example(
    title="", words=[], columns=12, rows=1, at=0, cursor=None, ascii_only=False, covers=False
)  # "Nothing is playing" is wider
@settings(deadline=None)
def test_it_has_as_many_lines_as_rows_and_none_is_too_wide(
    title: str, words: list[str], columns: int, rows: int, at: int, cursor: int | None, ascii_only: bool, covers: bool
) -> None:
    chapters = Chapters(tuple(Chapter(number * 1000, one) for number, one in enumerate(words)))
    transcript = Transcript(
        tuple(TranscriptLine(one, number * 1000, None, one[:9]) for number, one in enumerate(words))
    )
    here = min(at, len(words) - 1) if words else None
    playing = replace(
        FULL, episode=replace(EPISODE, title=title, podcast=title), chapters=chapters, chapter=here,
        cursor=cursor if cursor is not None and cursor < len(words) else None, line=here, transcript=transcript,
        voices=voices_of(transcript), following=title, facts=title[:9],
    )  # fmt: skip
    for shown in (playing, replace(playing, transcript=None, words=title), Playing(hint=title)):
        stage = lay_out(shown, columns, rows, ASCII if ascii_only else UNICODE, covers=covers)
        assert len(stage.lines) == rows
        assert columns < 12 or max(map(width_of, stage.lines)) <= columns
        if stage.cover is not None:
            row, column, cells, high = stage.cover
            assert row >= 0
            assert row + high <= rows
            assert column + cells <= columns


def third_line(letters: int) -> str:
    """Of a long title of words of so many letters, read from right to left: the last word."""
    words = [("אבגדהוזחטיכלמנסעפצקרשת" * 2)[at : at + letters] for at in range(22)] * 3
    stage = lay_out(Playing(replace(EPISODE, title=" ".join(words))), 120, 30, UNICODE)
    titles = [line for line in stage.lines if any(run.role == "title" for run in line)]
    lines = [
        "".join(piece for piece, _ in reordered([(run.text, "") for run in line], Bidi.EARMARK)) for line in titles
    ]
    assert len({cell_len(line) for line in lines}) == 1, "each begins at the right"
    first, second, third = ([word[::-1] for word in reversed(line.split())] for line in lines)
    last = third.pop()
    assert last.endswith("…")
    assert first + second + third == words[: len(first + second + third)]
    return last


def test_a_long_title_read_from_right_to_left_goes_on_below_at_the_right() -> None:
    """The third line ends in an ellipsis, at its left, and no word is cut where there is room for one."""
    assert sum(third_line(letters) == "…" for letters in range(3, 13)) == 7


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_the_word_that_is_said_is_marked_within_its_line(columns: int, rows: int) -> None:
    plainly = lay_out(FULL, columns, rows, UNICODE)
    marked = lay_out(replace(FULL, word=(8, 10)), columns, rows, UNICODE)
    words = [run for line in marked.lines for run in line if "word" in run.role.split()]
    assert [run.text for run in words] == ["is"]
    assert {run.role for run in words} <= {"spoken word", "bold word"}
    assert text(marked) == text(plainly)
    assert sum(one != other for one, other in zip(plainly.lines, marked.lines, strict=True)) == 1

"""The words of a transcript that was made here move with their sound to other bytes of the episode."""

import pytest

from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.transcribing.made import Made

LINES = ((1_000, 4_000), (5_000, 9_000), (10_000, 14_000), (15_000, 19_000))


def made(*, ended: bool = True) -> Made:
    """Four lines in twenty seconds."""
    lines = tuple(
        TranscriptLine(f"Line {number}.", first, last, words=(SpokenWord(0, first), SpokenWord(5, first + 500)))
        for number, (first, last) in enumerate(LINES)
    )
    return Made().grown((0, 20_000), Transcript(lines, "en"), "an engine", 20_000, ended=ended)


def said(one: Made) -> list[tuple[int, str]]:
    return [(segment.starts_ms, segment.body) for segment in one.segments]


def test_words_behind_an_insertion_are_as_much_later_and_the_insertion_is_still_to_be_transcribed() -> None:
    moved = made().moved([(0, 9_500, 0), (9_500, 20_000, 30_000)], 30_000)
    assert said(moved) == [(1_000, "Line 0."), (5_000, "Line 1."), (40_000, "Line 2."), (45_000, "Line 3.")]
    assert [word.start for word in moved.segments[2].words] == [40.0, 40.5]
    assert moved.segments[2].end_time == 44.0
    assert moved.pieces == ((0, 9_500), (39_500, 50_000))
    assert (moved.audio_ms, moved.ended, moved.is_whole) == (50_000, True, False)
    assert (moved.made_by, moved.language) == ("an engine", "en")


def test_a_line_across_an_edge_is_transcribed_again() -> None:
    moved = made().moved([(0, 7_000, 0), (7_000, 20_000, 30_000)], 30_000)
    assert said(moved) == [(1_000, "Line 0."), (40_000, "Line 2."), (45_000, "Line 3.")]
    assert moved.pieces == ((0, 5_000), (39_000, 50_000))


def test_of_what_was_cut_out_no_words_are_left() -> None:
    moved = made().moved([(0, 9_500, 0), (14_500, 20_000, -5_000)], -5_000)
    assert said(moved) == [(1_000, "Line 0."), (5_000, "Line 1."), (10_000, "Line 3.")]
    assert moved.pieces == ((0, 15_000),)
    assert moved.is_whole


@pytest.mark.parametrize("longer_ms", [20_000, -6_000])
def test_what_was_added_or_cut_off_at_the_end_is_still_to_be_heard(longer_ms: int) -> None:
    moved = made().moved([(0, min(20_000, 20_000 + longer_ms), 0)], longer_ms)
    assert not moved.ended
    assert not moved.is_whole


def test_an_unfinished_transcript_stays_unfinished() -> None:
    assert not made(ended=False).moved([(0, 20_000, 5_000)], 5_000).ended

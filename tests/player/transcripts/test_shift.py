"""A podcast's transcript and chapters are moved to where their words are said in this audio."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.episode import Chapter, SpokenWord, Transcript, TranscriptLine
from player.transcripts.shift import Shift, moved, moved_chapters, moved_transcript, shifts

WORDS = [
    a + b for a in ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki") for b in ("ran", "tel", "sim", "pov", "dun", "kas")
]
SECOND = 1_000
LINE_MS = 4 * SECOND


def told(seconds: int, seed: int = 1) -> list[tuple[str, int]]:
    """Two words a second, and when they are said."""
    chance = Random(seed)
    return [(chance.choice(WORDS), at * 500) for at in range(2 * seconds)]


def lines(words: list[tuple[str, int]], *, timed: bool) -> Transcript:
    """Lines of eight words."""
    found = []
    for at in range(0, len(words), 8):
        some = words[at : at + 8]
        text = " ".join(word for word, _ms in some).capitalize() + "."
        places = [len(" ".join(word for word, _ms in some[:n])) + (n > 0) for n in range(len(some))]
        spoken = tuple(SpokenWord(place, ms) for place, (_word, ms) in zip(places, some, strict=True))
        found.append(TranscriptLine(text, some[0][1], some[-1][1] + 500, words=spoken if timed else ()))
    return Transcript(tuple(found), "en")


def with_inserted(words: list[tuple[str, int]], *insertions: tuple[int, int]) -> list[tuple[str, int]]:
    """With other words, each (from when, for how many seconds); misheard here and there."""
    chance, found, by = Random(9), list[tuple[str, int]](), 0
    left = list(insertions)
    for word, ms in words:
        while left and ms >= left[0][0] * SECOND:
            at_s, length_s = left.pop(0)
            found += [(one + "x", at_s * SECOND + by + ms_in) for one, ms_in in told(length_s, seed=at_s + 50)]
            by += length_s * SECOND
        found.append(("misheard" if chance.random() < 0.1 else word, ms + by))
    return found


STORY = told(300)
PODCAST = lines(STORY, timed=False)


def test_without_insertions_nothing_moves() -> None:
    assert shifts(PODCAST, lines(with_inserted(STORY), timed=True)) == ()


def test_what_is_behind_an_insertion_is_as_much_later() -> None:
    by = shifts(PODCAST, lines(with_inserted(STORY, (100, 34), (200, 60)), timed=True))
    assert [one.by_ms for one in by] == pytest.approx([0, 34_000, 94_000], abs=400)
    assert [one.first_ms for one in by] == pytest.approx([0, 100_000, 200_000], abs=4_500)
    assert moved(50_000, by) == pytest.approx(50_000, abs=400)
    assert moved(150_000, by) == pytest.approx(184_000, abs=400)
    assert moved(250_000, by) == pytest.approx(344_000, abs=400)


def test_an_advertisement_at_the_start_moves_all_of_it() -> None:
    by = shifts(PODCAST, lines(with_inserted(STORY, (0, 30)), timed=True))
    assert [one.by_ms for one in by] == pytest.approx([30_000], abs=400)
    assert by[0].first_ms == 0


def test_what_the_audio_lacks_is_earlier() -> None:
    cut = [(word, ms - 20_000 * (ms >= 120_000)) for word, ms in STORY if not 100_000 <= ms < 120_000]
    by = shifts(PODCAST, lines(cut, timed=True))
    assert [one.by_ms for one in by] == pytest.approx([0, -20_000], abs=400)


def test_another_text_tells_nothing() -> None:
    assert shifts(PODCAST, lines(told(300, seed=2), timed=True)) == ()
    assert shifts(PODCAST, Transcript()) == shifts(Transcript(), PODCAST) == ()
    assert shifts(Transcript((TranscriptLine("No times here at all, just words."),)), PODCAST) == ()


def test_a_sentence_that_is_said_again_and_again_is_no_place() -> None:
    again = [(word, at * 500) for at, word in enumerate(["this", "is", "a", "test", "of", "the", "line"] * 60)]
    assert shifts(lines(again, timed=False), lines([(word, ms + 30_000) for word, ms in again], timed=True)) == ()


def test_lines_and_chapters_move_whole() -> None:
    by = (Shift(0, 0), Shift(100_000, 34_000))
    transcript = moved_transcript(lines(STORY, timed=True), by)
    assert transcript.moved_ms == 34_000
    assert [transcript.lines[n].start_ms for n in (0, 24, 25)] == [0, 96_000, 134_000]
    assert transcript.lines[25].words[0].start_ms == 134_000
    assert transcript.lines[25].end_ms == 138_000
    chapters = moved_chapters(
        (Chapter(0, "One", 100_000), Chapter(100_000, "Two", 150_000), Chapter(150_000, "Three")), by
    )
    assert [(one.start_ms, one.end_ms) for one in chapters] == [(0, 100_000), (134_000, 184_000), (184_000, None)]


@given(st.lists(st.tuples(st.integers(0, 275), st.integers(5, 60)), max_size=3, unique_by=lambda one: one[0] // 40))
def test_wherever_insertions_are_a_moment_moves_by_those_before_it(insertions: list[tuple[int, int]]) -> None:
    """What follows the last one has words enough, though a tenth of them is misheard: with fewer, nothing moves."""
    insertions = sorted(insertions)
    by = shifts(PODCAST, lines(with_inserted(STORY, *insertions), timed=True))
    for at_s in range(3, 297, 7):
        if all(abs(at_s - other) > 6 for other, _length in insertions):
            expected = at_s + sum(length for other, length in insertions if other <= at_s)
            assert abs(moved(at_s * SECOND, by) - expected * SECOND) <= 1_000

"""Which piece is transcribed next, and where it is cut out of the audio."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.measuring.measurement import Audio
from player.transcribing.pieces import (
    AHEAD_MS,
    FIRST_MS,
    LEAD_MS,
    SOON_MS,
    Span,
    Wanted,
    cut,
    joined,
    next_piece,
)
from tests.player.transcribing.spoken import CODECS, heard, make

HOUR, LONGEST_MS = 3_600_000, 600_000


def all_of(path: Path) -> Audio:
    size = path.stat().st_size
    return Audio(os.fsencode(path), ((0, size),), size)


# -- which -----------------------------------------------------------------------------------------------------


def test_what_is_heard_comes_first_in_a_short_piece_then_longer_ones_then_what_is_before() -> None:
    done: tuple[Span, ...] = ()
    lengths, starts = [], []
    while (wanted := next_piece(done, HOUR, HOUR // 2, LONGEST_MS)) is not None:
        starts.append(wanted.from_ms)
        lengths.append(wanted.at_most_ms)
        done = joined(done, (wanted.from_ms, wanted.from_ms + wanted.at_most_ms))
    assert done == ((0, HOUR),)
    assert (starts[0], lengths[0]) == (HOUR // 2 - LEAD_MS, LEAD_MS + FIRST_MS)
    soon = [length for start, length in zip(starts, lengths, strict=True) if 0 < start - HOUR // 2 < AHEAD_MS]
    assert set(soon) == {SOON_MS}
    assert max(lengths) == LONGEST_MS
    assert starts.index(0) > starts.index(max(starts))


def test_an_episode_that_is_not_heard_is_transcribed_from_its_beginning_in_growing_pieces() -> None:
    assert next_piece((), HOUR, None, LONGEST_MS) == Wanted(0, SOON_MS, 0, 12_000)
    assert next_piece(((0, SOON_MS),), HOUR, None, LONGEST_MS) == Wanted(SOON_MS, SOON_MS, 0, 12_000)
    assert next_piece(((0, 300_000),), HOUR, None, LONGEST_MS) == Wanted(300_000, 300_000, 0, 12_000)
    assert next_piece(((0, 2_000_000),), HOUR, None, LONGEST_MS) == Wanted(2_000_000, LONGEST_MS, 0, 12_000)
    assert next_piece(((0, HOUR - 5_000),), HOUR, None, LONGEST_MS) == Wanted(HOUR - 5_000, 5_000)
    assert next_piece(((0, HOUR),), HOUR, None, LONGEST_MS) is None
    assert next_piece(((0, HOUR),), None, None, LONGEST_MS) == Wanted(HOUR, LONGEST_MS, 0, 12_000)


spans = st.lists(st.tuples(st.integers(0, HOUR), st.integers(0, 700_000)).map(lambda one: (one[0], one[0] + one[1])))


@given(spans, st.one_of(st.none(), st.integers(0, 2 * HOUR)))
def test_every_piece_is_missing_and_all_are_there_in_the_end(some: list[Span], heard_ms: int | None) -> None:
    done: tuple[Span, ...] = ()
    for one in some:
        done = joined(done, (one[0], min(one[1], HOUR)) if one[0] < HOUR else (0, 1))
    for _piece in range(200):
        wanted = next_piece(done, HOUR, heard_ms)
        if wanted is None:
            break
        end = wanted.from_ms + wanted.at_most_ms
        assert wanted.at_most_ms > 0
        assert all(last <= wanted.from_ms or first >= end for first, last in done)
        done = joined(done, (wanted.from_ms, end))
    assert sum(last - first for first, last in done) >= HOUR - 1000


# -- cutting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", CODECS)
def test_a_piece_ends_between_two_words_and_the_next_begins_there(form: str, tmp_path: Path) -> None:
    audio = all_of(make(tmp_path / f"talk.{form}", 40))
    at_ms, numbers = 0, []
    while True:
        piece = cut(audio, Wanted(at_ms, 10_400, 0, 5_000), os.fsencode(tmp_path / "piece.wav"))
        found = heard(tmp_path / "piece.wav")
        assert all(abs(at_ms / 1000 + start - number) < 0.06 for number, start, _end in found)
        assert all(end - start > 0.6 for _number, start, end in found), "no word is cut in two"
        numbers += [number for number, _start, _end in found]
        at_ms = piece.end_ms
        if piece.ended:
            break
        assert at_ms > 5_000
    assert numbers == list(range(40))
    assert abs(at_ms - 40_000) < 100
    assert piece.duration_ms is not None
    assert abs(piece.duration_ms - 40_000) < 100


def test_a_piece_in_the_middle_begins_between_two_words(tmp_path: Path) -> None:
    audio = all_of(make(tmp_path / "talk.mp3", 40))
    piece = cut(audio, Wanted(17_400, 13_000, 3_000, 5_000), os.fsencode(tmp_path / "piece.wav"))
    assert 17_700 < piece.start_ms < 20_400
    found = heard(tmp_path / "piece.wav")
    assert all(abs(piece.start_ms / 1000 + start - number) < 0.06 for number, start, _end in found)
    assert all(end - start > 0.6 for _number, start, end in found)


def test_where_bytes_are_missing_the_piece_ends_before_and_the_audio_does_not(tmp_path: Path) -> None:
    path = make(tmp_path / "talk.mp3", 40)
    size = path.stat().st_size
    piece = cut(
        Audio(os.fsencode(path), ((0, size // 2),), size), Wanted(0, 60_000), os.fsencode(tmp_path / "piece.wav")
    )
    assert not piece.ended
    assert 9_000 < piece.end_ms < 21_000
    assert all(end - start > 0.6 for _number, start, end in heard(tmp_path / "piece.wav"))


def test_what_is_no_audio_has_no_piece(tmp_path: Path) -> None:
    path = tmp_path / "talk.mp3"
    path.write_bytes(b"<html>Sign in</html>" * 100)
    piece = cut(all_of(path), Wanted(0, 60_000), os.fsencode(tmp_path / "piece.wav"))
    assert (piece.end_ms, piece.ended) == (0, True)

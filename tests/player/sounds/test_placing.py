"""A position of another device is moved to its sound in the bytes here, or stays at its second."""

import os
from pathlib import Path

import numpy as np
import pytest

from player.measuring.around import FAR, NEAR, around, read
from player.measuring.kinds import fingerprint
from player.measuring.sound import VALUE_MS, Sound
from player.sounds.placing import shift_in
from tests.player.sounds import made
from tests.quick import LONG, NEW

COUNT = int(os.environ.get("EARMARK_MADE_EPISODES", "10" if NEW else "5" if LONG else "1"))
THEIRS = made.made_up(1, 9_000)
ADVERTISEMENT = made.made_up(2, 240)
OURS = made.with_inserted(THEIRS, 60_000, ADVERTISEMENT, "ours")
BY_MS = OURS.duration_ms - THEIRS.duration_ms


def test_the_text_contains_the_whole_sound_in_a_few_hundred_bytes() -> None:
    text = around(THEIRS, 300_000)
    assert len(text) < 800
    found = read(text)
    assert found is not None
    assert (found.position_ms, len(found.near), len(found.before), len(found.after)) == (300_000, NEAR, FAR, FAR)
    first = round((300_000 - found.early_ms) / VALUE_MS)
    assert found.near == THEIRS.values[first : first + NEAR]


@pytest.mark.parametrize("text", ["", "=", "AAAA", "é" * 9, "A" * 776, around(THEIRS, 9)[:-1], around(THEIRS, 9) + "="])
def test_text_in_another_format_moves_nothing(text: str) -> None:
    assert shift_in(OURS, text) is None


@pytest.mark.parametrize("position_ms", [0, 3_000, 61_500, 300_000, 900_000, THEIRS.duration_ms - 1_000])
def test_a_position_is_moved_by_what_was_inserted_before_it(position_ms: int) -> None:
    found = shift_in(OURS, around(THEIRS, position_ms))
    assert found is not None
    assert abs(found - (BY_MS if position_ms > 60_000 else 0)) < VALUE_MS
    back = shift_in(THEIRS, around(OURS, position_ms + found))
    assert back is not None
    assert abs(back + found) < VALUE_MS


def test_a_position_in_a_removed_advertisement_moves_to_the_cut() -> None:
    near_the_end = 60_000 + BY_MS - 3_000
    found = shift_in(THEIRS, around(OURS, near_the_end))
    assert found is not None
    assert abs(near_the_end + found - 60_000) < 1_500


def test_an_advertisement_at_another_place_moves_nothing() -> None:
    """The sound around the position is there, but its offset contradicts the rest of the episode."""
    there = made.with_inserted(THEIRS, 900_000, ADVERTISEMENT, "there")
    assert shift_in(there, around(OURS, 70_000)) is None


def test_a_sound_that_occurs_twice_moves_nothing() -> None:
    twice = made.with_inserted(OURS, 200_000, ADVERTISEMENT, "twice")
    assert shift_in(twice, around(OURS, 70_000)) is None


def test_another_recording_and_a_short_one_move_nothing() -> None:
    assert shift_in(made.made_up(7, 9_000), around(THEIRS, 300_000)) is None
    assert around(made.made_up(8, NEAR - 1), 2_000) == ""
    short = made.made_up(9, NEAR + 10)
    assert shift_in(short, around(short, 5_000)) == 0


@pytest.mark.skipif(not fingerprint.is_installed(), reason="Chromaprint isn't installed")
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_positions_in_test_episodes_of_all_formats(tmp_path: Path) -> None:
    """Looks for every third second of one version in the other. A fifth of the positions stays at its second: in
    episodes of six minutes with nine insertions, the sound two minutes away is often an insertion, or beyond the
    end."""
    right, off, unmoved = 0, [], 0
    for number in range(COUNT):
        seconds = int(np.random.default_rng(number).integers(300, 420))
        theirs, ours, kept = made.both(f"placed {number}", seconds, tmp_path, 120)
        for ms in range(3_000, theirs.duration_ms - 3_000, 3_000):
            truth = [one for one in kept if one.first + 1.3 < ms / 1000 < one.last - 1.3]
            if not truth:
                continue
            found = shift_in(ours, around(theirs, ms))
            if found is None:
                unmoved += 1
            elif abs(found / 1000 - truth[0].by) <= 0.5:
                right += 1
            else:
                off.append((number, ms, found, truth))
    print(f"\n{COUNT} episodes: {right} positions to within 0.5 s, {unmoved} at their seconds, {len(off)} wrong: {off}")
    assert off == []
    assert right / (right + unmoved) >= 0.7


def test_the_sound_is_recognised_in_other_formats(tmp_path: Path) -> None:
    if not fingerprint.is_installed():
        pytest.skip("Chromaprint isn't installed")
    told, inserted = made.talk("one", 50), made.talk("an advertisement", 12.3)
    longer = np.concatenate([told[: 20 * made.RATE], inserted, told[20 * made.RATE :]])
    theirs, ours = (
        made.sound(made.encoded(tmp_path / f"a{suffix}", wave, 64))
        for suffix, wave in ((".mp3", told), (".opus", longer))
    )
    assert _moved(theirs, ours, 10_000) == 0
    assert abs(_moved(theirs, ours, 30_000) - 12_300) <= 250
    assert abs(_moved(ours, theirs, 42_300) + 12_300) <= 250


def _moved(theirs: Sound, ours: Sound, position_ms: int) -> int:
    found = shift_in(ours, around(theirs, position_ms))
    assert found is not None
    return found

"""What two fingerprints share is found wherever it is, whatever single bits an encoder changes; chance isn't taken for
it."""

from array import array
from random import Random

import pytest

from player.measuring.sound import VALUE_MS
from player.sounds.matching import LEAST_MS, Run, keys_of, occurrences, shared
from tests.player.sounds.made import made_up

MINUTE = round(60_000 / VALUE_MS)


def values(seed: int, count: int) -> "array[int]":
    return made_up(seed, count).values


def noisy(some: "array[int]", bits: int, seed: int = 1) -> "array[int]":
    """With so many bits changed in every value."""
    chance = Random(seed)
    masks = (sum(1 << bit for bit in chance.sample(range(32), bits)) for _ in some)
    return array("I", (value ^ mask for value, mask in zip(some, masks, strict=True)))


def spans(runs: list[Run]) -> list[tuple[int, int, int]]:
    return [(run.first, run.last, run.offset) for run in runs]


def test_the_same_sound_is_the_same_at_offset_zero() -> None:
    one = values(1, MINUTE)
    assert spans(shared(one, one)) == [(0, MINUTE, 0)]


def test_different_sounds_share_nothing() -> None:
    assert shared(values(1, 20 * MINUTE), values(2, 20 * MINUTE)) == []


@pytest.mark.parametrize("bits", [0, 1, 2])
def test_a_part_is_found_where_it_is_though_bits_differ(bits: int) -> None:
    part = values(3, 100)
    one = values(1, MINUTE) + part + values(2, MINUTE)
    other = values(4, 2 * MINUTE) + noisy(part, bits) + values(5, MINUTE)
    ((first, last, offset),) = spans(shared(one, other))
    assert offset == MINUTE
    assert abs(first - MINUTE) <= 3
    assert abs(last - MINUTE - 100) <= 3


def test_a_sound_that_is_too_short_is_not_found() -> None:
    part = values(3, 20)
    assert 20 * VALUE_MS < LEAST_MS
    assert shared(values(1, MINUTE) + part, values(2, MINUTE) + part) == []


def test_silence_and_a_tone_are_no_shared_sound() -> None:
    """Each has one value all the time."""
    still = array("I", [0x1234_5678]) * MINUTE
    assert shared(values(1, MINUTE) + still, still + values(2, MINUTE)) == []
    assert shared(still, still) == []


def test_what_is_there_twice_is_found_twice() -> None:
    part = values(3, 100)
    other = part + values(4, MINUTE) + part + values(5, 30)
    found = occurrences(part, other, keys_of(part))
    assert [run.offset for run in found] == [0, 100 + MINUTE]
    assert all(run.length >= 97 for run in found)


def test_of_two_places_in_one_file_each_is_told_once() -> None:
    part = values(3, 100)
    one = part + values(4, MINUTE)
    found = shared(one, part + values(5, MINUTE) + part)
    assert len(found) == 1
    assert found[0].length >= 97


@pytest.mark.parametrize("some", [array("I"), array("I", [1]), array("I", [0]) * 5])
def test_next_to_nothing_shares_nothing(some: "array[int]") -> None:
    assert shared(some, some) == shared(some, values(1, 50)) == shared(values(1, 50), some) == []

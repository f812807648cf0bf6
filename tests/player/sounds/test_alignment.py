"""What two versions of an episode share is aligned, to half a second at the edges; unrelated recordings aren't.

`EARMARK_MADE_EPISODES=200` tries so many made episodes, and prints how well they were aligned.
"""

import os
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.measuring.kinds import fingerprint
from player.measuring.sound import Sound
from player.sounds.alignment import Alignment, Part, aligned
from player.sounds.matching import shared
from tests.player.sounds import made
from tests.quick import LONG

NEAR_S, EDGE_S = 0.5, 1.3
COUNT = int(os.environ.get("EARMARK_MADE_EPISODES", "10" if LONG else "2"))
OLD = made.made_up(1, 5_000)

needs_chromaprint = pytest.mark.skipif(not fingerprint.is_installed(), reason="Chromaprint isn't installed")


class Judged(NamedTuple):
    """How many half seconds were moved rightly, wrongly, or not at all, and how far the edges are off, in seconds."""

    right: int
    wrong: int
    missed: int
    edges: list[float]


def judged(found: Alignment, kept: list[made.Kept], length_s: float) -> Judged:
    """A wrong move within EDGE_S of an edge isn't counted: it is one of the edge, which may be anywhere in a pause."""
    right = wrong = missed = 0
    edges = [edge for one in kept for edge in (one.first, one.last)]
    for half in range(1, int(2 * length_s)):
        at = half / 2
        truth = next((one for one in kept if one.first <= at <= one.last), None)
        ms = round(at * 1000)
        if truth is not None and abs(found.moved(ms) / 1000 - at - truth.by) <= NEAR_S:
            right += 1
        elif truth is not None and not found.has(ms):
            missed += 1
        elif found.has(ms) and min(abs(at - edge) for edge in edges) > EDGE_S:
            wrong += 1
    off = []
    for part in found.parts:
        first, last = part.first_ms / 1000, part.last_ms / 1000
        same = [
            one for one in kept if abs(one.by - part.shift_ms / 1000) < 0.3 and one.first < last and one.last > first
        ]
        if len(same) == 1:
            off += [abs(first - same[0].first), abs(last - same[0].last)]
    return Judged(right, wrong, missed, off)


@needs_chromaprint
@pytest.mark.long
@pytest.mark.timeout(7200)
def test_made_episodes_are_aligned_whatever_their_formats(tmp_path: Path) -> None:
    total = Judged(0, 0, 0, [])
    for number in range(COUNT):
        seconds = int(np.random.default_rng(number).integers(150, 300))
        old, new, kept = made.both(f"episode {number}", seconds, tmp_path, 120)
        found = aligned(old, new)
        assert found is not None, number
        one = judged(found, kept, old.duration_ms / 1000)
        total = Judged(*(mine + yours for mine, yours in zip(total, one, strict=True)))  # type: ignore[operator]
    edges = sorted(total.edges)
    recall = total.right / (total.right + total.wrong + total.missed)
    within = sum(edge <= NEAR_S for edge in edges) / len(edges)
    print(
        f"\n{COUNT} episodes: recall {recall:.4f}, {total.wrong} wrong; of {len(edges)} edges {within:.1%} within"
        f" {NEAR_S} s, median {edges[len(edges) // 2]:.2f} s, 95 % {edges[int(len(edges) * 0.95)]:.2f} s,"
        f" worst {edges[-1]:.2f} s"
    )
    assert total.wrong == 0
    assert recall >= 0.99
    assert within >= 0.98
    assert edges[-1] <= EDGE_S


@needs_chromaprint
@pytest.mark.long
@pytest.mark.timeout(1200)
def test_unrelated_recordings_share_nothing(tmp_path: Path) -> None:
    """528 pairs."""
    sounds = []
    for number in range(33):
        suffix, bit_rate = made.FORMS[number % len(made.FORMS)]
        wave = made.talk(f"unrelated {number}", 60)
        sounds.append(made.sound(made.encoded(tmp_path / f"a{suffix}", wave, bit_rate, stereo=number % 2 == 0)))
    for one, other in combinations(sounds, 2):
        assert shared(one.values, other.values) == []
        assert aligned(one, other) is None


@needs_chromaprint
def test_one_insertion_is_found_between_two_formats(tmp_path: Path) -> None:
    told, inserted = made.talk("one", 50), made.talk("an advertisement", 12.3)
    at = 20 * made.RATE
    longer = np.concatenate([told[:at], inserted, told[at:]])
    old, new = (
        made.sound(made.encoded(tmp_path / f"a{suffix}", wave, 64))
        for suffix, wave in ((".mp3", told), (".opus", longer))
    )
    found = aligned(old, new)
    assert found is not None
    assert abs(found.moved(10_000) - 10_000) <= 100
    assert abs(found.moved(30_000) - 42_300) <= 100
    (edge,) = {part.last_ms for part in found.parts[:-1]}
    assert abs(edge - 20_000) <= 500
    back = aligned(new, old)
    assert back is not None
    assert abs(back.moved(42_300) - 30_000) <= 100
    assert abs(back.moved(26_000) - 20_000) <= 500, "what is gone is where it was cut out"


def test_the_same_is_the_same() -> None:
    found = aligned(OLD, OLD)
    assert found is not None
    assert found.is_same
    assert [found.moved(ms) for ms in (0, 1_234, OLD.duration_ms)] == pytest.approx(
        [0, 1_234, OLD.duration_ms], abs=150
    )


def test_a_fifth_in_common_is_too_little() -> None:
    other = made.with_inserted(
        made.made_up(2, 5_000), 10_000, Sound("", 60_000, OLD.values[:484], OLD.levels[:500]), "x"
    )
    assert aligned(OLD, other) is None


@pytest.mark.parametrize("count", [0, 1, 5, 40])
def test_next_to_nothing_is_not_aligned_with_anything(count: int) -> None:
    little = made.made_up(3, count)
    assert aligned(little, OLD) is None
    assert aligned(OLD, little) is None


@given(
    st.lists(st.tuples(st.integers(0, 60_000), st.integers(1, 60_000), st.integers(0, 60_000)), min_size=1, max_size=6),
    st.lists(st.integers(0, 500_000), min_size=2, max_size=10),
)
def test_moments_keep_their_order(pieces: list[tuple[int, int, int]], moments: list[int]) -> None:
    """Each piece has a gap before it in the old version, its length, and a gap before it in the new one."""
    parts, old, new = [], 0, 0
    for gap, length, other_gap in pieces:
        old, new = old + gap, new + other_gap
        parts.append(Part(old, old + length, new - old))
        old, new = old + length, new + length
    found = Alignment(tuple(parts))
    moved = [found.moved(ms) for ms in sorted(moments)]
    assert moved == sorted(moved)
    assert all(0 <= ms <= new for ms in moved)

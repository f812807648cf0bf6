"""What is heard again and again in a podcast is found once, with its length, unless it is a segment or silence."""

from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from player.library import Library
from player.measuring.sound import LEVEL_MS, VALUE_MS, Sound
from player.model.episode import Episode, EpisodeId
from player.model.segments import SegmentKind
from player.sounds.repeats import MOST_EPISODES, Repeat, repeats, repeats_in
from tests.player.library.helpers import apply_feed, episode
from tests.player.sounds.made import RATE, encoded, made_up, sound, talk, with_inserted

JINGLE, SPONSOR = made_up(1007, 250), made_up(1008, 160)
"""31 and 20 s."""
NONE: dict[EpisodeId, list[tuple[int, int]]] = {}


def whole(number: int) -> Sound:
    return made_up(number, 2_000)


def with_jingle(number: int, at_ms: int, jingle: Sound = JINGLE) -> Sound:
    return with_inserted(whole(number), at_ms, jingle, str(number))


def numbered(*sounds: Sound) -> list[tuple[EpisodeId, Sound]]:
    return [(EpisodeId(number), one) for number, one in enumerate(sounds, 1)]


def is_at(one: Repeat, episode_id: int, start_ms: int, length_ms: int) -> bool:
    """Values that are made up stand for no sound behind them, as which the end of real ones is taken."""
    return (
        one.episode_id == episode_id
        and abs(one.start_ms - start_ms) <= 700
        and abs(one.end_ms - start_ms - length_ms) <= 1_700
    )


def test_what_three_episodes_share_is_told_once_where_it_is_newest() -> None:
    sounds = numbered(whole(1), with_jingle(2, 60_000), with_jingle(3, 100_000), whole(4), with_jingle(5, 20_000))
    (found,) = repeats(sounds, NONE)
    assert is_at(found, 2, 60_000, JINGLE.duration_ms)
    assert found.episodes == 3
    assert repeats(sounds[:4], NONE) == [], "two aren't enough"


def test_what_is_heard_twice_in_each_episode_is_told_once() -> None:
    sounds = [with_inserted(with_jingle(one, 60_000), 150_000, JINGLE, str(one)) for one in range(1, 5)]
    (found,) = repeats(numbered(*sounds), NONE)
    assert found.episodes == 4
    assert is_at(found, 1, 60_000, JINGLE.duration_ms) or is_at(found, 1, 150_000, JINGLE.duration_ms)


def test_at_the_start_and_at_the_end_of_an_episode_it_begins_and_ends_there() -> None:
    sounds = [with_jingle(one, 0) for one in range(1, 4)]
    (found,) = repeats(numbered(*sounds), NONE)
    assert found.start_ms == 0
    sounds = [with_jingle(one, whole(one).duration_ms) for one in range(1, 4)]
    (found,) = repeats(numbered(*sounds), NONE)
    assert found.end_ms == sounds[0].duration_ms


def test_what_follows_in_some_episodes_only_is_another_repeat() -> None:
    sounds = [
        with_inserted(with_jingle(one, 60_000), 60_000 + JINGLE.duration_ms, SPONSOR, str(one)) if one < 4
        else with_jingle(one, 90_000)
        for one in range(1, 7)
    ]  # fmt: skip
    jingle, sponsor = repeats(numbered(*sounds), NONE)
    assert (jingle.episodes, sponsor.episodes) == (6, 3)
    assert is_at(jingle, 1, 60_000, JINGLE.duration_ms)
    assert abs(sponsor.start_ms - 60_000 - JINGLE.duration_ms) <= 2_000
    assert abs(sponsor.end_ms - 60_000 - JINGLE.duration_ms - SPONSOR.duration_ms) <= 1_700


@pytest.mark.parametrize("marked", [1, 3])
def test_what_is_a_segment_in_any_of_the_episodes_is_left_out(marked: int) -> None:
    sounds = numbered(*(with_jingle(one, 60_000) for one in range(1, 5)))
    others = numbered(*(with_inserted(one, 150_000, SPONSOR, one.version) for _id, one in sounds))
    spans = {EpisodeId(marked): [(60_300, 59_800 + JINGLE.duration_ms)]}
    assert repeats(sounds, spans) == []
    (found,) = repeats(others, spans)
    assert is_at(found, 1, 150_000, SPONSOR.duration_ms)
    assert len(repeats(sounds, {EpisodeId(marked): [(5_000, 40_000)]})) == 1, "another part"


def test_what_adjoins_a_segment_in_all_episodes_is_told() -> None:
    whole_length = JINGLE.duration_ms + SPONSOR.duration_ms
    jingles = [with_jingle(one, 60_000) for one in range(1, 4)]
    sounds = numbered(*(with_inserted(one, 60_000 + JINGLE.duration_ms, SPONSOR, one.version) for one in jingles))
    (both,) = repeats(sounds, NONE)
    assert is_at(both, 1, 60_000, whole_length)
    (found,) = repeats(sounds, {EpisodeId(1): [(60_000, 60_000 + JINGLE.duration_ms)]})
    assert is_at(found, 1, 60_000 + JINGLE.duration_ms, SPONSOR.duration_ms)


def test_a_part_that_was_told_of_a_newer_episode_is_not_told_with_what_it_adjoins_in_older_ones() -> None:
    jingles = [with_jingle(one, 60_000) for one in range(2, 5)]
    older = [with_inserted(one, 60_000 + JINGLE.duration_ms, SPONSOR, one.version) for one in jingles]
    sponsor, jingle = repeats(numbered(with_jingle(1, 30_000, SPONSOR), *older), NONE)
    assert (sponsor.episodes, jingle.episodes) == (4, 3)
    assert is_at(sponsor, 1, 30_000, SPONSOR.duration_ms)
    assert is_at(jingle, 2, 60_000, JINGLE.duration_ms)


@pytest.mark.parametrize("different", [[627_964_279], [627_964_279, 0xF0F0_F0F0], [1 << 12, 2 << 12, 0xFF << 12]])
def test_silence_and_tones_are_no_repeats(different: list[int]) -> None:
    count = 39 * len(different)
    levels = bytes(round(count * VALUE_MS) // LEVEL_MS)
    silence = Sound("", round(count * VALUE_MS), array("I", different * 39), levels)
    assert repeats(numbered(*(with_jingle(one, 60_000, silence) for one in range(1, 5))), NONE) == []


def test_what_is_too_short_to_be_told_from_chance_is_no_repeat() -> None:
    assert repeats(numbered(*(with_jingle(one, 60_000, made_up(9, 20)) for one in range(1, 5))), NONE) == []


def test_only_the_newest_are_compared_and_nothing_is_found_when_nobody_waits_for_it() -> None:
    sounds = [with_jingle(1, 60_000), with_jingle(2, 60_000), *(whole(one) for one in range(3, MOST_EPISODES + 1))]
    assert repeats(numbered(*sounds, with_jingle(50, 60_000)), NONE) == []
    assert repeats(numbered(*sounds[:2], with_jingle(50, 60_000)), NONE)
    assert repeats(numbered(*sounds[:2], with_jingle(50, 60_000)), NONE, lambda: False) == []


@pytest.mark.long
def test_in_episodes_of_several_formats_it_is_found_to_half_a_second(tmp_path: Path) -> None:
    jingle, sponsor = talk("jingle", 20), talk("sponsor", 15)
    sounds = []
    for number, (suffix, rate) in enumerate([(".mp3", 64), (".m4a", 64), (".opus", 48), (".mp3", 128), (".opus", 96)]):
        told, at_s = talk(f"episode {number}", 80), 20 + 10 * number
        inserted = [jingle, sponsor] if number < 3 else [jingle]
        wave = np.concatenate([told[: at_s * RATE], *inserted, told[at_s * RATE :]])
        sounds.append(sound(encoded(tmp_path / f"{number}{suffix}", wave, rate)))
    both, first = repeats(numbered(*sounds[:3]), NONE), repeats(numbered(*sounds), NONE)
    assert [(one.episode_id, one.episodes) for one in both] == [(1, 3)]
    assert [(one.episode_id, one.episodes) for one in first] == [(1, 5), (1, 3)]
    edges = [*(both[0].start_ms, both[0].end_ms), *(edge for one in first for edge in (one.start_ms, one.end_ms))]
    expected = [20_000, 55_000, 20_000, 40_000, 40_000, 55_000]
    assert [
        round(edge - known, -1) for edge, known in zip(edges, expected, strict=True) if abs(edge - known) > 600
    ] == []


class Shelf:
    """A podcast with five episodes, the newest first, and another podcast."""

    def __init__(self, library: Library) -> None:
        self.library = library
        podcast = library.podcasts.add("https://a.example/feed", "A")
        other = library.podcasts.add("https://b.example/feed", "B")
        apply_feed(library, podcast, *(episode(number) for number in range(1, 6)))
        self.podcast_id = podcast.id
        self.ids: Sequence[EpisodeId] = [library.episodes.find(f"Episode {number}").id for number in range(1, 6)]
        (foreign,) = apply_feed(library, other, episode(9)).new
        self.here = {one: with_jingle(one, 60_000) for one in [*self.ids, foreign]}
        library.queue.add_next([*self.ids, foreign])

    def sound(self, wanted: Episode) -> Sound | None:
        return self.here.get(wanted.id)

    def found(self) -> list[Repeat]:
        return repeats_in(self.library, self.podcast_id, self.sound)


@pytest.fixture
def shelf(library: Library) -> Shelf:
    return Shelf(library)


def test_the_newest_episode_that_is_here_is_named_and_other_podcasts_dont_count(shelf: Shelf) -> None:
    del shelf.here[shelf.ids[0]]
    (found,) = shelf.found()
    assert (found.episode_id, found.episodes) == (shelf.ids[1], 4)
    for one in shelf.ids[3:]:
        del shelf.here[one]
    assert shelf.found() == []


def test_one_that_was_marked_is_gone_until_that_is_undone(shelf: Shelf) -> None:
    (found,) = shelf.found()
    made = shelf.library.segments.mark(found.episode_id, found.start_ms, found.end_ms, SegmentKind.SPONSOR)
    assert shelf.found() == []
    shelf.library.segments.delete([made.id])
    assert shelf.found() == [found]

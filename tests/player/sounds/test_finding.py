"""The sound of a marked segment is found in the podcast's other episodes, where it is and nowhere else."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from player.events import Bus, Cause, SegmentsChanged, SoundMeasured, SoundMoved
from player.library import Library
from player.measuring.sound import Sound
from player.model.episode import Episode, EpisodeId
from player.model.segments import Segment, SegmentKind
from player.sounds.finding import SegmentFinder, cut_out, found_in
from tests.player.library.helpers import apply_feed, episode
from tests.player.media.conftest import eventually
from tests.player.sounds.made import made_up, with_inserted

JINGLE = made_up(7, 250)
"""Half a minute."""
FIRST = with_inserted(made_up(1, 3_000), 60_000, JINGLE, "first")
SECOND = with_inserted(made_up(2, 3_000), 100_000, JINGLE, "second")
NOW = datetime(2026, 4, 1, 10, tzinfo=UTC)
START_MS, END_MS = 60_000, 60_000 + JINGLE.duration_ms


def near(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return all(abs(a - b) <= 150 for a, b in zip(one, other, strict=True))


def test_it_is_found_at_its_length_to_a_tenth_of_a_second() -> None:
    segment = cut_out(FIRST, START_MS, END_MS)
    assert segment is not None
    (found,) = found_in(SECOND, segment)
    assert near(found, (100_000, 100_000 + JINGLE.duration_ms))
    assert found[1] - found[0] == END_MS - START_MS
    assert found_in(made_up(3, 5_000), segment) == []


def test_it_is_found_as_often_as_it_is_heard() -> None:
    segment = cut_out(FIRST, START_MS, END_MS)
    assert segment is not None
    twice = with_inserted(SECOND, 300_000, JINGLE, "twice")
    first, second = found_in(twice, segment)
    assert near(first, (100_000, 100_000 + JINGLE.duration_ms))
    assert near(second, (300_000, 300_000 + JINGLE.duration_ms))


def test_of_a_segment_with_other_words_behind_its_jingle_only_the_jingle_is_found_if_it_is_most_of_it() -> None:
    whole = cut_out(FIRST, START_MS, END_MS + 10_000)
    assert whole is not None
    (found,) = found_in(SECOND, whole)
    assert abs(found[0] - 100_000) <= 150
    # Values that are made up stand for no sound behind them, as which the end of real ones is taken.
    assert abs(found[1] - 100_000 - JINGLE.duration_ms) <= 1_600
    most = cut_out(FIRST, START_MS, END_MS + 60_000)
    assert most is not None
    assert found_in(SECOND, most) == []


@pytest.mark.parametrize("length_ms", [1_000, 5_900])
def test_what_is_too_short_to_be_told_from_chance_is_not_looked_for(length_ms: int) -> None:
    assert cut_out(FIRST, START_MS, START_MS + length_ms) is None


class Stage:
    def __init__(self, library: Library) -> None:
        self.library = library
        self.bus = Bus()
        self.here: dict[EpisodeId, Sound] = {}
        podcast = library.podcasts.add("https://a.example/feed", "A")
        other = library.podcasts.add("https://b.example/feed", "B")
        self.first, self.second = apply_feed(library, podcast, episode(1), episode(2)).new[::-1]
        (self.foreign,) = apply_feed(library, other, episode(3)).new
        for one in (self.first, self.second, self.foreign):
            library.queue.add_next([one])
        self.finder = SegmentFinder(library, self.bus, self._sound)
        self.finder.start()

    def _sound(self, wanted: Episode) -> Sound | None:
        return self.here.get(wanted.id)

    def measure(self, episode_id: EpisodeId, sound: Sound) -> None:
        self.here[episode_id] = sound
        self.bus.publish(SoundMeasured(episode_id, sound.version))

    def mark(self, start_ms: int = START_MS, end_ms: int = END_MS) -> Segment:
        marked = self.library.segments.mark(self.first, start_ms, end_ms, SegmentKind.SPONSOR)
        self.bus.publish(SegmentsChanged((self.first,), Cause.PERSON))
        return marked

    def found(self, episode_id: EpisodeId) -> list[tuple[int, int]]:
        return [(one.start_ms, one.end_ms) for one in self.library.segments.of_episode(episode_id) if one.found]


@pytest.fixture
def stage(library: Library) -> Iterator[Stage]:
    made = Stage(library)
    yield made
    made.finder.close()


def test_marking_finds_it_in_the_episodes_that_are_here(stage: Stage) -> None:
    stage.measure(stage.first, FIRST)
    stage.measure(stage.second, SECOND)
    stage.measure(stage.foreign, SECOND)
    marked = stage.mark()
    eventually(lambda: stage.found(stage.second))
    (found,) = stage.found(stage.second)
    assert near(found, (100_000, 100_000 + JINGLE.duration_ms))
    assert stage.found(stage.first) == [], "there it is marked"
    assert stage.found(stage.foreign) == [], "another podcast"
    stage.library.segments.delete([marked.id])
    assert stage.found(stage.second) == []


def test_an_episode_that_comes_later_is_searched_though_the_marked_one_is_gone(stage: Stage) -> None:
    stage.measure(stage.first, FIRST)
    marked = stage.mark()
    eventually(lambda: stage.library.segments.sound(marked.id))
    del stage.here[stage.first]
    stage.measure(stage.second, SECOND)
    eventually(lambda: stage.found(stage.second))


def test_one_that_was_marked_before_its_episode_was_measured_is_found_then(stage: Stage) -> None:
    stage.mark()
    stage.measure(stage.second, SECOND)
    eventually(lambda: not stage.finder._measured)
    stage.measure(stage.first, FIRST)
    eventually(lambda: stage.found(stage.second))


def test_after_its_audio_has_changed_the_marked_segment_is_not_found_beside_itself(stage: Stage) -> None:
    """Whether it is looked for before it has been moved, or after."""
    stage.library.progress.save(stage.first, 1_000, None, NOW, version=FIRST.version)
    stage.measure(stage.first, FIRST)
    marked = stage.mark()
    eventually(lambda: stage.library.segments.sound(marked.id))
    later = with_inserted(FIRST, 10_000, made_up(8, 300), "later")
    by_ms = later.duration_ms - FIRST.duration_ms
    stage.measure(stage.first, later)
    eventually(lambda: stage.found(stage.first))
    stage.library.audio.move(stage.first, FIRST.version, "later", lambda ms: ms + by_ms)
    assert stage.found(stage.first) == []
    stage.bus.publish(SoundMoved(stage.first, ((10_000, FIRST.duration_ms, by_ms),), by_ms))
    eventually(lambda: not stage.finder._measured)
    stage.measure(stage.second, SECOND)
    eventually(lambda: stage.found(stage.second))
    assert stage.found(stage.first) == []


def test_what_the_listener_rejected_is_not_found_again(stage: Stage) -> None:
    stage.measure(stage.first, FIRST)
    stage.measure(stage.second, SECOND)
    marked = stage.mark()
    eventually(lambda: stage.found(stage.second))
    (found,) = stage.found(stage.second)
    stage.library.segments.reject(stage.second, [(marked.id, *found)])
    events: list[SegmentsChanged] = []
    stage.bus.subscribe(SegmentsChanged, events.append)
    later = stage.library.segments.mark(stage.first, 10_000, 30_000, SegmentKind.INTRO)
    stage.bus.publish(SegmentsChanged((stage.first,), Cause.PERSON))
    eventually(lambda: stage.library.segments.sound(later.id))
    stage.finder.close()
    assert stage.found(stage.second) == []

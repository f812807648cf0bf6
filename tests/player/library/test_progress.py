"""The position in every episode, the last episode, and small things that survive a restart."""

import time
from datetime import UTC, datetime

from player.library import Library
from player.model.episode import BytePosition, EpisodeId, SavedPosition
from player.model.podcast import Podcast
from tests.player.library.helpers import apply_feed, episode

AT = datetime(2026, 4, 1, 10, 0, 0, 123_000, tzinfo=UTC)
NOBODY = EpisodeId(99_999)


def test_every_episode_keeps_its_own_position(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    library.progress.save(ids[0], 1000, None, AT)
    library.progress.save(ids[1], 2000, None, AT)
    library.progress.save(ids[0], 3000, None, AT)
    assert library.progress.position(ids[0]) == SavedPosition(3000, AT)
    assert library.progress.position(ids[1]) == SavedPosition(2000, AT)
    assert library.progress.position(ids[2]) is None


def test_a_measured_length_goes_before_what_the_feed_says(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    library.progress.save(ids[0], 1000, 1_777_000, AT)
    library.progress.save(ids[0], 2000, None, AT)
    apply_feed(library, podcast, episode(0, duration_ms=5))
    library.progress.finish(ids[0])
    assert library.episodes.get(ids[0]).duration_ms == 1_777_000


def test_starting_an_episode_makes_it_the_last_and_not_played(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    assert library.progress.last() is None
    library.episodes.set_played([ids[1]], True)
    assert library.progress.start(ids[1])
    assert not library.progress.start(ids[1]), "it wasn't marked played any more"
    assert library.progress.last() == ids[1]
    assert not library.episodes.get(ids[1]).played


def test_one_that_is_only_shown_becomes_the_last_and_stays_played(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    library.progress.start(ids[0])
    library.episodes.set_played([ids[1]], True)
    library.progress.make_last(ids[1])
    assert library.progress.last() == ids[1]
    assert library.episodes.get(ids[1]).played


def test_a_finished_episode_is_played_and_starts_over_next_time(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    library.progress.start(ids[0])
    library.progress.save(ids[0], 1_799_000, None, AT)
    assert library.progress.finish(ids[0])
    assert not library.progress.finish(ids[0]), "it was marked played already"
    row = library.episodes.get(ids[0])
    assert (row.played, row.position_ms) == (True, 0)
    assert library.progress.position(ids[0]) is None
    assert library.progress.last() == ids[0]


def test_an_episode_that_was_removed_while_it_played_takes_no_position(
    library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]
) -> None:
    library.progress.start(ids[0])
    library.podcasts.remove(podcast.id)
    library.progress.save(ids[0], 5000, 6000, AT)
    library.progress.finish(ids[0])
    assert library.progress.position(ids[0]) is None
    assert library.progress.last() is None
    library.progress.start(NOBODY)
    assert library.progress.last() is None


def test_all_of_it_is_there_after_a_restart(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    library.progress.start(ids[2])
    library.progress.save(ids[2], 42_000, 43_000, AT)
    library.state.set("speed", "1.5")
    library.state.set("speed", "1.25")
    library.close()
    library.open()
    assert library.progress.last() == ids[2]
    assert library.progress.position(ids[2]) == SavedPosition(42_000, AT)
    assert library.state.get("speed") == "1.25"
    assert library.state.get("theme") is None


def test_saving_a_position_takes_milliseconds(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    taken = []
    for number in range(100):
        before = time.perf_counter()
        library.progress.save(ids[0], number, 1_800_000, AT)
        taken.append(time.perf_counter() - before)
    assert sorted(taken)[10] < 0.05, "a slow disk's fsync included; others may use the machine as well"


def test_a_position_keeps_its_byte_until_it_is_saved_without(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    guessed = BytePosition(1000, 30_000_000_000, 60_000_000_000, exact=False)
    library.progress.save(ids[0], 1000, None, AT, guessed)
    assert library.progress.position(ids[0]) == SavedPosition(1000, AT, guessed)
    library.progress.save(ids[0], 2000, None, AT)
    assert library.progress.position(ids[0]) == SavedPosition(2000, AT)

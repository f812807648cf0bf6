"""How loud episodes are: each of them, the last ones of a podcast, and the podcast that was heard before."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from player.errors import DamagedLibrary
from player.library import Library
from player.library.loudness import MeasuredLoudness
from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def measured(lufs: float, *, is_whole: bool = True) -> MeasuredLoudness:
    return MeasuredLoudness(lufs, -1.5, 60_000, is_whole)


def episodes(library: Library, count: int, url: str = URL) -> list[EpisodeId]:
    """In the order in which they were published."""
    new = apply_feed(
        library, library.podcasts.add(url), *(episode(n, published=NOW + timedelta(days=n)) for n in range(count))
    ).new
    return sorted(new)


def test_what_was_measured_last_counts_and_goes_with_the_episode(library: Library) -> None:
    (one,) = episodes(library, 1)
    assert library.loudness.of(one) is None
    library.loudness.put(one, measured(-30.0, is_whole=False))
    library.loudness.put(one, measured(-20.0))
    library.close()
    library.open()
    assert library.loudness.of(one) == measured(-20.0)
    library.loudness.put(EpisodeId(9_999), measured(-20.0))  # it is gone
    library.check()
    library.acts.unsubscribe(library.episodes.get(one).podcast_id)
    assert library.loudness.of(one) is None


def test_a_podcast_is_as_loud_as_the_median_of_its_last_five(library: Library) -> None:
    ids = episodes(library, 8)
    podcast_id = library.episodes.get(ids[0]).podcast_id
    assert library.loudness.usual(podcast_id) is None
    by_date = sorted(ids, key=lambda one: library.episodes.get(one).published or NOW)
    for one, lufs in zip(by_date, (-50.0, -40.0, -22.0, -20.0, -18.0, -30.0, -21.0), strict=False):
        library.loudness.put(one, measured(lufs))
    library.loudness.put(by_date[-1], measured(-60.0, is_whole=False))  # only its first minute
    assert library.loudness.usual(podcast_id) == -21.0


def test_the_loudness_of_the_podcast_that_was_heard_before(library: Library) -> None:
    (one, other) = episodes(library, 2)
    (elsewhere,) = episodes(library, 1, f"{URL}/elsewhere")
    podcast_id = library.episodes.get(one).podcast_id
    for number, (episode_id, lufs) in enumerate([(elsewhere, -25.0), (other, -12.0)]):
        library.loudness.put(episode_id, measured(lufs))
        at = NOW + timedelta(minutes=number)
        library.progress.save(episode_id, 5_000, None, at, heard=[ListeningSpan(episode_id, 0, 5_000, at)])
        library.progress.finish(episode_id)  # it is known beyond its end
    assert library.loudness.before(podcast_id) == -25.0
    assert library.loudness.before(library.episodes.get(elsewhere).podcast_id) == -12.0


@pytest.mark.parametrize(("column", "value"), [("lufs", 900.0), ("peak_db", -500.0), ("heard_ms", -1), ("is_whole", 7)])
def test_impossible_values_are_damage(library: Library, paths: Paths, column: str, value: float) -> None:
    (one,) = episodes(library, 1)
    library.loudness.put(one, measured(-20.0))
    library.close()
    with closing(sqlite3.connect(paths.library, isolation_level=None)) as database:
        database.execute(f"UPDATE loudness SET {column} = ?", (value,))
    library.open()
    with pytest.raises(DamagedLibrary):
        library.check()

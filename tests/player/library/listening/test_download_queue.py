"""The queue of downloads is kept in its order, with what went wrong."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.errors import AlreadySubscribed
from player.library import Library
from player.model.downloads import DownloadState, QueuedDownload
from player.model.episode import EpisodeId
from player.model.podcast import Podcast
from tests.player.library.helpers import URL, apply_feed, episode

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def podcast(library: Library) -> Podcast:
    return library.podcasts.add(URL, "A show")


@pytest.fixture
def ids(library: Library, podcast: Podcast) -> list[EpisodeId]:
    return sorted(apply_feed(library, podcast, *(episode(number) for number in range(1, 6))).new)


def order(library: Library) -> list[EpisodeId]:
    return [one.episode_id for one in library.downloads.queue.all()]


def test_what_is_added_stands_at_the_end_or_at_the_head_and_once_only(library: Library, ids: list[EpisodeId]) -> None:
    queue = library.downloads.queue
    assert queue.add(ids[:2]) == ids[:2]
    assert queue.add([ids[3], ids[2], ids[0]], "newest", first=True) == [ids[3], ids[2]]
    assert queue.add([EpisodeId(999)]) == []
    assert order(library) == [ids[3], ids[2], ids[0], ids[1]]
    assert [one.why for one in queue.all()] == ["newest", "newest", "manual", "manual"]
    assert queue.remove([ids[0], ids[4]]) == [ids[0]]
    assert order(library) == [ids[3], ids[2], ids[1]]


def test_rows_move_together_and_stop_at_the_ends(library: Library, ids: list[EpisodeId]) -> None:
    queue = library.downloads.queue
    queue.add(ids)
    assert queue.move([ids[3], ids[4]], -1)
    assert order(library) == [ids[0], ids[1], ids[3], ids[4], ids[2]]
    assert queue.move([ids[2]], -1_000)
    assert order(library)[0] == ids[2]
    assert not queue.move([ids[2]], -1)
    assert not queue.move([EpisodeId(999)], 1)


def test_a_problem_is_kept_until_it_is_tried_anew(library: Library, ids: list[EpisodeId]) -> None:
    queue = library.downloads.queue
    queue.add(ids[:3])
    later = NOW + timedelta(minutes=5)
    queue.problem(ids[0], "It broke", "Mend it.", state=DownloadState.WAITING, attempts=3, retry_at=later)
    queue.problem(ids[1], "It is gone", "", state=DownloadState.FAILED, attempts=1)
    first, second, _third = queue.all()
    assert (first.state, first.attempts, first.retry_at) == (DownloadState.WAITING, 3, later)
    assert (first.sentence, second.sentence) == ("It broke. Mend it.", "It is gone.")
    queue.pause(ids)
    assert [one.state for one in queue.all()] == [DownloadState.PAUSED, DownloadState.FAILED, DownloadState.PAUSED]
    queue.add(ids[:2])
    assert [one.state for one in queue.all()] == [DownloadState.PAUSED, DownloadState.WAITING, DownloadState.PAUSED]
    queue.wait(ids)
    assert {(one.state, one.attempts, one.retry_at, one.problem) for one in queue.all()} == {
        (DownloadState.WAITING, 0, None, "")
    }


def test_a_finished_download_leaves_it(library: Library, ids: list[EpisodeId]) -> None:
    queue = library.downloads.queue
    queue.add(ids[:2])
    queue.set_path(ids[0], Path("/music/one.mp3"))
    assert queue.all()[0].path == Path("/music/one.mp3")
    library.downloads.put(ids[0], Path("/music/one.mp3"))
    assert order(library) == [ids[1]]
    assert queue.add(ids[:1]) == []


def test_it_goes_with_its_podcast_and_comes_back_with_it(
    library: Library, podcast: Podcast, ids: list[EpisodeId]
) -> None:
    library.downloads.queue.add(ids[:3])
    library.downloads.queue.pause(ids[:1])
    before: list[QueuedDownload] = library.downloads.queue.all()
    library.acts.unsubscribe(podcast.id)
    assert library.downloads.queue.all() == []
    library.acts.undo()
    assert library.downloads.queue.all() == before


def test_a_podcast_of_which_something_is_to_be_downloaded_counts_as_used(
    library: Library, podcast: Podcast, ids: list[EpisodeId]
) -> None:
    library.acts.unsubscribe(podcast.id)
    again = library.podcasts.add(URL, "A show")
    (new, *_) = apply_feed(library, again, episode(1)).new
    library.downloads.queue.add([new])
    with pytest.raises(AlreadySubscribed):
        library.acts.undo()


def test_what_the_listener_asks_for_is_theirs_also_where_a_rule_had_added_it(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    queue = library.downloads.queue
    queue.add(ids[:2], "queue")
    assert queue.add(ids[1:3]) == [ids[2]]
    assert [one.why for one in queue.all()] == ["queue", "manual", "manual"]
    queue.add(ids[1:2], "queue")
    assert [one.why for one in queue.all()] == ["queue", "manual", "manual"]

"""What others' changes mean for a running Earmark."""

from collections.abc import Sequence
from datetime import datetime

import pytest
from msgspec.structs import replace

from player.events import (
    BookmarksChanged,
    Bus,
    Cause,
    EpisodesChanged,
    EpisodesMarked,
    InboxChanged,
    Mark,
    Notice,
    PodcastsArranged,
    PodcastsImported,
    QueueChanged,
)
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import Podcast, PodcastId
from player.model.syncing import ChangedEpisode, SubscriptionChange, Taken
from player.playback.navigation import Moved
from player.sync.arrived import Arrived
from tests.player.library.conftest import ids, podcast

__all__ = ["ids", "podcast"]


class Stage:
    def __init__(self, library: Library) -> None:
        self.bus = Bus()
        self.events: list[object] = []
        self.bus.subscribe(object, self.events.append)
        self.status = PlaybackStatus()
        self.removed: list[PodcastId] = []
        self.moments: set[datetime] = set()
        self.moved: list[Moved] = []
        self.read: list[Sequence[PodcastId]] = []
        self.arrived = Arrived(
            library,
            self.bus,
            status=lambda: self.status,
            move=self.moved.append,
            read=self.read.append,
            unsubscribe=self._remove,
        )

    def _remove(self, podcast_id: PodcastId, at: datetime) -> None:
        self.removed.append(podcast_id)
        self.moments.add(at)


@pytest.fixture
def stage(library: Library) -> Stage:
    return Stage(library)


def test_lists_queue_and_counts_follow(stage: Stage, ids: tuple[EpisodeId, ...], podcast: Podcast) -> None:
    changed = (
        ChangedEpisode(ids[0], "One", "A show", played=True, device="phone"),
        ChangedEpisode(ids[1], "Two", "A show", was_played=True, position_ms=5_000),
        ChangedEpisode(ids[2], "Three", "A show", position_ms=9_000),
    )
    taken = Taken(changed, inbox=True, queue=True, others=(ids[3],), arranged=(podcast.id,))
    stage.arrived.taken(taken)
    assert stage.events == [
        EpisodesChanged((ids[0], ids[1], ids[2], ids[3])),
        EpisodesMarked((ids[0],), Mark.PLAYED, True, Cause.SYNC),
        EpisodesMarked((ids[1],), Mark.PLAYED, False, Cause.SYNC),
        QueueChanged(Cause.SYNC),
        InboxChanged(Cause.SYNC),
        BookmarksChanged(Cause.SYNC),
        PodcastsArranged((podcast.id,)),
    ]
    assert stage.moved == []


def test_nothing_new_is_no_event(stage: Stage) -> None:
    stage.arrived.taken(Taken())
    assert stage.events == []


def test_what_stands_in_the_player_is_moved_before_lists_read_it_again(
    stage: Stage, library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    stage.status = PlaybackStatus(PlaybackState.PAUSED, library.episodes.get(ids[0]))
    assert stage.arrived.playing() == frozenset()
    stage.arrived.taken(Taken((ChangedEpisode(ids[0], "One", "A show", position_ms=9_000, device="phone"),)))
    assert stage.moved == [Moved(ids[0], "phone")]
    stage.status = replace(stage.status, state=PlaybackState.PLAYING)
    assert stage.arrived.playing() == {ids[0]}


def test_a_podcast_that_plays_is_removed_later(
    stage: Stage, library: Library, ids: tuple[EpisodeId, ...], podcast: Podcast
) -> None:
    stage.status = PlaybackStatus(PlaybackState.PLAYING, library.episodes.get(ids[0]))
    stage.arrived.taken(Taken(unsubscribe=(podcast.id,)))
    assert stage.removed == []
    stage.status = replace(stage.status, state=PlaybackState.PAUSED)
    stage.arrived.taken(Taken(unsubscribe=(podcast.id,)))
    assert stage.removed == [podcast.id]


def test_new_podcasts_come_without_their_feeds_and_nothing_but_web_addresses(stage: Stage, library: Library) -> None:
    wanted = ("https://example.com/other.xml", "file:///etc", "javascript:alert(1)", "not an address")
    stage.arrived.taken(Taken(subscribe=tuple(SubscriptionChange(one, True, title="Other") for one in wanted)))
    added = library.podcasts.by_url(wanted[0])
    assert added is not None
    assert added.title == "Other"
    assert PodcastsImported((added.id,), Cause.SYNC) in stage.events
    assert stage.read == [(added.id,)]
    assert not any(one.url.startswith("file:") for one in library.podcasts.all())


def test_the_first_merge_says_what_it_changed(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.arrived.taken(Taken((ChangedEpisode(ids[0], "One", "A show", position_ms=9_000),), act_id=7))
    assert [one.text for one in stage.events if isinstance(one, Notice)] == ["Synced: 1 episode changed."]


def test_what_one_round_removes_goes_at_one_moment(stage: Stage) -> None:
    stage.arrived.taken(Taken(unsubscribe=(PodcastId(1), PodcastId(2), PodcastId(3))))
    assert stage.removed == [1, 2, 3]
    assert len(stage.moments) == 1

"""What happens on any thread comes to the screen as messages, and only the latest of a kind waits."""

import pytest

from player.events import (
    Bus,
    Cause,
    EpisodesChanged,
    InboxChanged,
    LibraryChanged,
    Notice,
    PlaybackChanged,
    PodcastAdded,
    PodcastRefreshed,
    PodcastRemoved,
    PodcastsImported,
    QueueChanged,
    RefreshProgress,
)
from player.model.episode import EpisodeId
from player.model.playback import PlaybackStatus
from player.model.podcast import PodcastId
from tui.bridge import (
    Bridge,
    EpisodesTouched,
    NoticeArrived,
    RefreshMoved,
    StateChanged,
    StatusMoved,
    SubscriptionsChanged,
    message_for,
)


class Screen:
    def __init__(self) -> None:
        self.posted: list[object] = []

    def post_message(self, message: object) -> bool:
        self.posted.append(message)
        return True


@pytest.mark.parametrize(
    "event",
    [
        PodcastAdded(PodcastId(1)),
        PodcastRemoved(PodcastId(1)),
        PodcastsImported((PodcastId(1),)),
        PodcastRefreshed(PodcastId(1), changed=True),
        PodcastRefreshed(PodcastId(1), (EpisodeId(1),)),
        RefreshProgress(1, 2),
        EpisodesChanged((EpisodeId(1),)),
        LibraryChanged(),
        PlaybackChanged(PlaybackStatus()),
        Notice("x"),
    ],
)
def test_every_event_has_a_message(event: object) -> None:
    assert message_for(event) is not None


def test_a_feed_without_anything_new_makes_no_screen_look_again() -> None:
    assert message_for(PodcastRefreshed(PodcastId(1))) is None


@pytest.mark.parametrize("changed", [QueueChanged, InboxChanged])
def test_what_feeds_bring_is_read_with_the_podcasts_and_what_a_person_does_at_once(
    changed: type[QueueChanged | InboxChanged],
) -> None:
    assert isinstance(message_for(changed(Cause.FEED)), SubscriptionsChanged)
    assert isinstance(message_for(changed(Cause.PERSON)), StateChanged)


def test_what_is_outdated_is_replaced_and_what_adds_up_is_not() -> None:
    status = StatusMoved(PlaybackStatus())
    assert status.can_replace(StatusMoved(PlaybackStatus()))
    assert SubscriptionsChanged().can_replace(SubscriptionsChanged())
    assert not status.can_replace(SubscriptionsChanged())
    assert not EpisodesTouched((EpisodeId(1),)).can_replace(EpisodesTouched((EpisodeId(2),)))
    assert not NoticeArrived(Notice("a")).can_replace(NoticeArrived(Notice("b")))


def test_the_end_of_a_refresh_is_heard_of_though_another_begins_at_once() -> None:
    """A message goes if a later one that waits can replace it."""
    moves, ends = RefreshMoved(RefreshProgress(1, 4, number=1)), RefreshMoved(RefreshProgress(4, 4, number=1))
    other = RefreshMoved(RefreshProgress(0, 4, number=2))
    assert moves.can_replace(ends)
    assert not ends.can_replace(other)
    assert not moves.can_replace(other)
    assert not moves.can_replace(NoticeArrived(Notice("a")))


def test_a_bridge_carries_until_it_is_taken_down() -> None:
    bus, screen = Bus(), Screen()
    bridge = Bridge(bus, screen)  # type: ignore[arg-type]
    bridge.connect()
    bus.publish(LibraryChanged())
    bridge.disconnect()
    bus.publish(LibraryChanged())
    assert len(screen.posted) == 1

"""What is notified of while the app isn't in focus: as one, and only what was asked for."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from player.automatic import Notifying
from player.events import Cause, EpisodeStarted, PlaybackFailed, PodcastRefreshed, RefreshProgress
from player.integrations.notification import Button, Does, Kind, Notification
from player.model.downloads import DownloadFailed, DownloadFinished, DownloadQueueChanged
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.paths import Paths
from player.player import Player
from player.settings import Notifications, Playback, Settings
from tests.player.library.helpers import apply_feed, episode

ALL = Notifications(new_episodes=True, next=True, downloads=True, trouble=True)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Stage:
    def __init__(self, paths: Paths, wanted: Notifications) -> None:
        self.player = Player(paths, replace(Settings(playback=Playback(engine="silent")), notifications=wanted))
        self.player.open()
        self.away = True
        self.shown: list[Notification] = []
        Notifying(self.player, away=lambda: self.away, show=self.shown.append, now=lambda: NOW).begin()

    def podcast(self, title: str, episodes: int, **fields: object) -> tuple[EpisodeId, ...]:
        podcast = self.player.library.podcasts.add(f"https://example.org/{title}", title)
        feed = (
            episode(number, **{"published": NOW - timedelta(hours=number), "guid": f"{title}-{number}", **fields})
            for number in range(episodes)
        )
        return apply_feed(self.player.library, podcast, *feed, title=title).new

    def heard(self, *events: object) -> list[Notification]:
        """What is shown of these."""
        for event in events:
            self.player.bus.publish(event)  # type: ignore[arg-type]
        self.player.bus.close(10)
        return self.shown


@pytest.fixture
def stage_of(paths: Paths) -> Iterator[Callable[..., Stage]]:
    made: list[Stage] = []

    def make(wanted: Notifications = ALL) -> Stage:
        made.append(Stage(paths, wanted))
        return made[-1]

    yield make
    for stage in made:
        stage.player.close()


def test_new_episodes_of_one_refresh_are_one_notification(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of()
    first, second = stage.podcast("One", 2), stage.podcast("Two", 1)
    old = stage.podcast("Old", 2, published=NOW - timedelta(days=30))
    added = stage.podcast("Just added", 9)
    podcasts = {one.title: one.id for one in stage.player.library.podcasts.all()}
    shown = stage.heard(
        PodcastRefreshed(podcasts["One"], first),
        RefreshProgress(1, 4),
        PodcastRefreshed(podcasts["Two"], second),
        PodcastRefreshed(podcasts["Old"], old),
        PodcastRefreshed(podcasts["Just added"], added, first=True),
        RefreshProgress(4, 4),
        RefreshProgress(0, 0),
    )
    assert [one.title for one in shown] == ["3 new episodes"]
    assert sorted(shown[0].body.split(", ")) == ["One", "Two"]
    (button,) = shown[0].buttons
    assert (button.label, sorted(button.episode_ids)) == ("Add all to queue", sorted([*first, *second]))


def test_one_new_episode_can_be_played_or_queued_at_once(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of()
    ids = stage.podcast("One", 1)
    (podcast,) = [one.id for one in stage.player.library.podcasts.all() if one.title == "One"]
    shown = stage.heard(PodcastRefreshed(podcast, ids), RefreshProgress(1, 1))
    buttons = (Button(Does.PLAY, ids), Button(Does.QUEUE, ids))
    assert shown == [(Kind.NEW_EPISODES, "1 new episode", "Episode 0 · One", buttons)]
    assert [button.label for button in buttons] == ["Play", "Add to queue"]


def test_what_plays_next_by_itself_is_told_and_no_choice_of_the_listener(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of()
    first, second = stage.podcast("One", 2)
    shown = stage.heard(EpisodeStarted(first, 0, Cause.PERSON), EpisodeStarted(second, 0, Cause.RULE))
    assert shown == [(Kind.NEXT, "Now playing", "Episode 1 · One", (Button(Does.PAUSE), Button(Does.SKIP)))]


def test_downloads_that_end_together_are_one_notification_and_trouble_another(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of()
    ids = stage.podcast("One", 3)
    shown = stage.heard(
        DownloadFinished(ids[0], Cause.RULE),
        DownloadFailed(ids[1], "The server refused it.", Cause.RULE),
        DownloadFinished(ids[2], Cause.RULE),
        DownloadQueueChanged(),
        DownloadQueueChanged(),
        PlaybackFailed(ids[1], 0, "It isn't audio.", Cause.ENGINE),
    )
    assert shown == [
        (Kind.DOWNLOADS, "Downloaded 2 episodes", "One", (Button(Does.QUEUE, (ids[0], ids[2])),)),
        (Kind.TROUBLE, "1 download failed", "The server refused it.", ()),
        (Kind.TROUBLE, "Can't play “Episode 1”", "It isn't audio.", ()),
    ]


def test_in_focus_nothing_is_told(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of()
    stage.away = False
    assert stage.heard(EpisodeStarted(stage.podcast("One", 1)[0], 0, Cause.RULE)) == []


def test_only_what_was_asked_for_is_told(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(Notifications(downloads=True))
    (one,) = stage.podcast("One", 1)
    shown = stage.heard(
        EpisodeStarted(one, 0, Cause.RULE),
        PlaybackFailed(one, 0, "It isn't audio.", Cause.ENGINE),
        DownloadFailed(one, "The server refused it.", Cause.RULE),
        DownloadQueueChanged(),
    )
    assert shown == []


def test_a_show_that_has_gone_live_is_told_and_can_be_played(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(Notifications(live=True))
    (one,) = stage.podcast("One", 1)
    podcast = PodcastId(1)
    shown = stage.heard(
        PodcastRefreshed(podcast, live=(one,), first=True),
        PodcastRefreshed(podcast, (one,)),
        PodcastRefreshed(podcast, live=(one,)),
    )
    assert shown == [(Kind.LIVE, "Live now", "Episode 0 · One", (Button(Does.PLAY, (one,)),))]


def test_a_live_show_is_no_new_episode(stage_of: Callable[..., Stage]) -> None:
    stage = stage_of(Notifications(new_episodes=True))
    ids = stage.podcast("One", 1)
    assert stage.heard(PodcastRefreshed(PodcastId(1), live=ids), RefreshProgress(1, 1)) == []

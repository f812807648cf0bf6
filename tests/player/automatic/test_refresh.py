"""What is refreshed without being asked for: at the start, at intervals, and again what was never reached."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from player.automatic import AutomaticRefresh
from player.events import Bus, NetworkChanged
from player.library.live_shows import LiveTimes
from player.model.podcast import PodcastId
from player.settings import Feeds

NEVER, READ = PodcastId(1), PodcastId(2)


class Kit:
    """A player that notes what it is to refresh, and timers that run when a test says so."""

    def __init__(self, feeds: Feeds) -> None:
        self.refreshed: list[list[PodcastId] | None] = []
        self.timers: dict[float, Callable[[], None]] = {}
        self.work: list[Callable[[], None]] = []
        self.live: list[LiveTimes] = []
        podcasts = [
            SimpleNamespace(id=NEVER, last_refreshed=None, url="https://a.example"),
            SimpleNamespace(id=READ, last_refreshed=1, url="https://b.example"),
        ]
        self.bus = Bus()
        self.settings = SimpleNamespace(feeds=feeds)
        player: Any = SimpleNamespace(
            bus=self.bus,
            settings=self.settings,
            library=SimpleNamespace(
                podcasts=SimpleNamespace(all=lambda: podcasts),
                live_shows=SimpleNamespace(times=lambda: self.live),
                feed_schedules=SimpleNamespace(all=dict),
            ),
            refresh=self._refresh,
        )
        self.automatic = AutomaticRefresh(player, every=self.timers.__setitem__, in_background=self.work.append)

    def _refresh(self, podcast_ids: list[PodcastId] | None, *, by_person: bool) -> None:
        assert not by_person
        self.refreshed.append(podcast_ids)


def test_all_are_refreshed_at_the_start_and_those_never_reached_again_each_minute() -> None:
    kit = Kit(Feeds(refresh_on_start=True, refresh_minutes=0))
    kit.automatic.begin([])
    assert kit.refreshed == [None]
    assert list(kit.timers) == [60.0]
    kit.timers[60.0]()
    assert kit.refreshed == [None], "the library is read in the background"
    kit.work.pop()()
    assert kit.refreshed == [None, [NEVER]]


@pytest.mark.parametrize(("unread", "refreshed"), [([NEVER], [[NEVER]]), ([], [])])
def test_without_a_refresh_at_the_start_only_what_was_never_read_is(
    unread: list[PodcastId], refreshed: list[list[PodcastId]]
) -> None:
    kit = Kit(Feeds(refresh_on_start=False, refresh_minutes=0))
    kit.automatic.begin(unread)
    assert kit.refreshed == refreshed
    kit.timers[60.0]()
    assert (kit.refreshed, kit.work) == (refreshed, [])


def test_all_are_refreshed_at_the_interval_of_the_settings() -> None:
    kit = Kit(Feeds(refresh_on_start=False, refresh_minutes=30))
    kit.automatic.begin([])
    for _ in range(29):
        kit.timers[60.0]()
    assert kit.refreshed == []
    kit.timers[60.0]()
    assert kit.refreshed == [None]


def test_another_interval_applies_at_once() -> None:
    kit = Kit(Feeds(refresh_on_start=False, refresh_minutes=0))
    kit.automatic.begin([])
    for _ in range(20):
        kit.timers[60.0]()
    assert kit.refreshed == []
    kit.settings.feeds = Feeds(refresh_minutes=10)
    kit.timers[60.0]()
    assert kit.refreshed == [None]


def test_what_was_never_read_can_be_asked_for_one_feed() -> None:
    kit = Kit(Feeds())
    assert kit.automatic.never_read() == [NEVER]
    assert kit.automatic.never_read("https://b.example") == []


@pytest.mark.parametrize(("minutes", "refreshed"), [(30, [None]), (0, [])])
def test_once_the_network_is_back_what_is_due_is_refreshed_if_that_happens_by_itself(
    minutes: int, refreshed: list[list[PodcastId] | None]
) -> None:
    kit = Kit(Feeds(refresh_on_start=False, refresh_minutes=minutes))
    kit.automatic.begin([])
    kit.bus.publish(NetworkChanged(offline=True))
    kit.bus.publish(NetworkChanged(offline=False))
    assert kit.refreshed == refreshed


@pytest.mark.parametrize(("minutes", "found"), [(30, [[READ]]), (0, [])])
def test_shows_that_are_to_begin_are_looked_for_each_minute_unless_only_asked_refreshes_are_wanted(
    minutes: int, found: list[list[PodcastId]]
) -> None:
    kit = Kit(Feeds(refresh_on_start=False, refresh_minutes=minutes))
    begins = datetime.now(UTC) - timedelta(seconds=1)
    kit.live = [LiveTimes(READ, False, begins, None), LiveTimes(NEVER, False, begins + timedelta(hours=1), None)]
    kit.automatic.begin([])
    kit.timers[60.0]()
    for work in kit.work:
        work()
    assert kit.refreshed == found

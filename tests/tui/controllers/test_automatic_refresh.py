"""What is refreshed without being asked for: at the start, at intervals, and again what was never reached."""

from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from player.model.podcast import PodcastId
from player.settings import Feeds
from tui.controllers.automatic_refresh import AutomaticRefresh

NEVER, READ = PodcastId(1), PodcastId(2)


class Kit:
    """A player that notes what it is to refresh, and timers that run when a test says so."""

    def __init__(self, feeds: Feeds) -> None:
        self.refreshed: list[list[PodcastId] | None] = []
        self.timers: dict[float, Callable[[], None]] = {}
        self.work: list[Callable[[], Coroutine[Any, Any, None]]] = []
        podcasts = [
            SimpleNamespace(id=NEVER, last_refreshed=None, url="https://a.example"),
            SimpleNamespace(id=READ, last_refreshed=1, url="https://b.example"),
        ]
        player: Any = SimpleNamespace(
            settings=SimpleNamespace(feeds=feeds),
            library=SimpleNamespace(podcasts=SimpleNamespace(all=lambda: podcasts)),
            refresh=self._refresh,
        )
        self.automatic = AutomaticRefresh(player, every=self.timers.__setitem__, in_background=self.work.append)

    def _refresh(self, podcast_ids: list[PodcastId] | None, *, by_person: bool) -> None:
        assert not by_person
        self.refreshed.append(podcast_ids)


async def test_all_are_refreshed_at_the_start_and_those_never_reached_again_each_minute() -> None:
    kit = Kit(Feeds(refresh_on_start=True, refresh_minutes=0))
    kit.automatic.begin([])
    assert kit.refreshed == [None]
    assert list(kit.timers) == [60.0]
    kit.timers[60.0]()
    assert kit.refreshed == [None], "the library is read in the background"
    await kit.work.pop()()
    assert kit.refreshed == [None, [NEVER]]


@pytest.mark.parametrize(("unread", "refreshed"), [([NEVER], [[NEVER]]), ([], [])])
def test_without_a_refresh_at_the_start_only_what_was_never_read_is(
    unread: list[PodcastId], refreshed: list[list[PodcastId]]
) -> None:
    kit = Kit(Feeds(refresh_on_start=False, refresh_minutes=0))
    kit.automatic.begin(unread)
    assert kit.refreshed == refreshed
    assert kit.timers == {}


def test_all_are_refreshed_at_the_interval_of_the_settings() -> None:
    kit = Kit(Feeds(refresh_on_start=False, refresh_minutes=30))
    kit.automatic.begin([])
    assert kit.refreshed == []
    kit.timers[1800]()
    assert kit.refreshed == [None]


def test_what_was_never_read_can_be_asked_for_one_feed() -> None:
    kit = Kit(Feeds())
    assert kit.automatic.never_read() == [NEVER]
    assert kit.automatic.never_read("https://b.example") == []

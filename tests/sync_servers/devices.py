"""Devices that sync through the servers of the tests, and what they say."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from player.audiobookshelf.client import Audiobookshelf
from player.model.syncing import (
    Action,
    ActionKind,
    EpisodeName,
    Outgoing,
    Pushed,
    SubscriptionChange,
    SyncAccount,
)
from player.net.loop import NetworkLoop
from player.sync.audiobookshelf.target import AudiobookshelfTarget
from player.sync.gpodder.target import GpodderTarget
from player.sync.nextcloud.target import NextcloudTarget
from player.sync.setup import HeldTokens
from player.sync.target import SyncTarget
from player.sync.ways import way_of
from tests.audiobookshelf import USER as ANN
from tests.audiobookshelf import AudiobookshelfServer
from tests.sync_servers.nextcloud import NextcloudServer
from tests.sync_servers.server import USER, SyncServer

FEED = "https://example.org/feed.xml"
NOON = 1_790_000_000_000
"""A day in 2026, in ms."""
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


class Clock:
    """Of a server, in seconds."""

    def __init__(self, ms: int = NOON) -> None:
        self.ms = ms

    def __call__(self) -> float:
        return self.ms / 1000


def target(
    server: SyncServer | AudiobookshelfServer,
    network: NetworkLoop,
    device: str = "laptop",
    *,
    now: Callable[[], float] | None = None,
) -> SyncTarget:
    """A target for a device at that server, which has the right password as long as that isn't changed here."""
    if isinstance(server, AudiobookshelfServer):
        key, seconds = server.api_key(), now or server.now
        return AudiobookshelfTarget(
            way_of("audiobookshelf").account(server.address, ANN, device, f"Ada's {device}"),
            Audiobookshelf(server.address, network, HeldTokens()),
            lambda _url: ("", key),
            now=lambda: datetime.fromtimestamp(seconds(), UTC),
        )
    is_nextcloud = isinstance(server, NextcloudServer)
    kind = "nextcloud" if is_nextcloud else "gpodder"
    account = SyncAccount(kind, server.address, USER, device, f"Ada's {device}")
    login = (USER, server.password)
    of_server = now or server.now
    make: Any = NextcloudTarget if is_nextcloud else GpodderTarget
    made: SyncTarget = make(account, network, lambda _url: login, now=lambda: datetime.fromtimestamp(of_server(), UTC))
    return made


def episode(number: int = 1, feed: str = FEED) -> EpisodeName:
    return EpisodeName(feed, f"https://example.org/{number}.mp3", f"guid-{number}")


def play(position_ms: int, *, at: int = NOON, number: int = 1, device: str = "laptop", **more: Any) -> Action:
    """A minute that ended there, of an hour."""
    more = {"started_ms": max(0, position_ms - MINUTE), "total_ms": HOUR, **more}
    return Action(episode(number), device, at, ActionKind.PLAY, position_ms=position_ms, **more)


def mark(kind: ActionKind, *, at: int = NOON, number: int = 1, device: str = "laptop", **more: Any) -> Action:
    return Action(episode(number), device, at, kind, **{"total_ms": HOUR, **more})


def outgoing(actions: Sequence[Action] = (), subscriptions: Sequence[SubscriptionChange] = ()) -> Outgoing:
    """With numbers from 1 on, actions first."""
    return Outgoing(
        actions=tuple(enumerate(actions, 1)),
        subscriptions=tuple(enumerate(subscriptions, 1 + len(actions))),
    )


def push(to: SyncTarget, *actions: Action) -> Pushed:
    return to.push(outgoing(actions))


def subscribed(feed: str = FEED) -> SubscriptionChange:
    return SubscriptionChange(feed, subscribed=True)


def unsubscribed(feed: str = FEED) -> SubscriptionChange:
    return SubscriptionChange(feed, subscribed=False)

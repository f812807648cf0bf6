"""Devices for tests: libraries with an account, and what others say."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from player.library import Library
from player.library.syncing.syncing import Syncing
from player.model.episode import EpisodeId
from player.model.syncing import (
    Action,
    ActionKind,
    Carried,
    EpisodeName,
    Pulled,
    Pushed,
    SyncAccount,
    Taken,
)
from player.paths import Paths
from player.sync.ways import way_of
from tests.player.library.helpers import URL

NOW = datetime(2026, 4, 1, 8, tzinfo=UTC)
FOLDER = way_of("folder").account("/media/stick", "", "laptop", "Laptop")
SERVER = SyncAccount("gpodder", "https://gpodder.example", "ann", "laptop", "Laptop")
ALL = frozenset(Carried)
MINUTE = timedelta(minutes=1)
MIN_MS = 60_000


def ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def name(number: int, podcast: str = URL) -> EpisodeName:
    """Episode `number` of the helpers' feed."""
    return EpisodeName(podcast, f"https://example.org/{number}.mp3", f"guid-{number}")


def play(number: int, position_ms: int, at: datetime = NOW, **fields: object) -> Action:
    """As a phone says it."""
    plain = Action(name(number), "phone", ms(at), ActionKind.PLAY, None, position_ms, 1_800_000)
    return replace(plain, **fields)


def mark(number: int, kind: ActionKind = ActionKind.PLAYED, at: datetime = NOW, **fields: object) -> Action:
    return replace(Action(name(number), "phone", ms(at), kind), **fields)


def take(syncing: Syncing, *actions: Action, at: datetime = NOW, playing: frozenset[EpisodeId] = frozenset()) -> Taken:
    return syncing.take(Pulled(actions), at, playing)


def said(syncing: Syncing, at: datetime = NOW) -> list[Action]:
    """All that this device has to say now; it is sent by that."""
    syncing.collect(at)
    found = syncing.outgoing(1_000_000, ALL)
    syncing.sent(Pushed(tuple(number for number, _action in (*found.actions, *found.subscriptions, *found.facts))))
    return [action for _number, action in found.actions]


def position(library: Library, episode_id: EpisodeId) -> int | None:
    found = library.progress.position(episode_id)
    return found.position_ms if found else None


@contextmanager
def other_library(folder: Path, now: Callable[[], datetime] = lambda: NOW) -> Iterator[Library]:
    library = Library(Paths.of({"EARMARK_HOME": str(folder)}), now=now, backs_up=False)
    library.open()
    yield library
    library.close()

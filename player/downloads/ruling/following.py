"""Does what the rules have decided."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from player.downloads.rules.planning import plan
from player.downloads.rules.records import Cause as Removed
from player.downloads.rules.records import Plan
from player.downloads.ruling import trash
from player.downloads.ruling.state import Surroundings, read_state
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import Cause

log = logging.getLogger(__name__)

_ROUNDS = 5
"""What one plan changes may make room for another: so often a plan is made and followed at once."""
AT_ONCE = 3
"""Downloads of rules that wait in the queue or run: later ones may become more wanted meanwhile."""

_PATIENCE_S = 10.0
"""How long a change of the queue may take."""


class Queue(Protocol):
    """What takes downloads: a Downloader."""

    def download(self, ids: EpisodeId, *, why: str, cause: Cause) -> Future[list[EpisodeId]]: ...

    def cancel(self, ids: EpisodeId) -> Future[list[EpisodeId]]: ...


class Followed(Struct, frozen=True):
    """What was done, and the last plan: what it holds back is held back still."""

    deleted: tuple[EpisodeId, ...]
    restored: tuple[EpisodeId, ...]
    begun: tuple[EpisodeId, ...]
    last: Plan


def follow(
    library: Library, around: Surroundings, folder: Path, queue: Queue | None, now: Callable[[], datetime]
) -> Followed:
    """Plans and does, until nothing is to be done. Without a `queue` nothing is begun or taken out of it.

    Waits for the disk. Raises LibraryError.
    """
    library.downloads.facts.note_played()
    deleted: list[EpisodeId] = []
    restored: list[EpisodeId] = []
    begun: list[EpisodeId] = []
    for _round in range(_ROUNDS):
        made = planned(library, around, now(), AT_ONCE if queue else 0)
        gone = trash.set_aside(library, folder, made.remove) if made.remove else []
        deleted += gone
        if made.purge:
            trash.purge(library, made.purge)
        restored += [one.episode_id for one in made.restore if trash.restore(library, one.episode_id, one.rule.key)]
        if queue is not None:
            _drop(library, queue, made)
            if any(one.cause is Removed.ROOM and one.episode_id not in gone for one in made.remove):
                continue  # it is protected by now, or can't be moved: there may be no room
            for one in made.begin:
                queue.download(one.episode_id, why=one.rule.key, cause=Cause.RULE).result(_PATIENCE_S)
                begun.append(one.episode_id)
        if made.is_done or queue is None:
            break
    return Followed(tuple(deleted), tuple(restored), tuple(begun), made)


def planned(library: Library, around: Surroundings, now: datetime, at_once: int) -> Plan:
    """What is to be done now; at most `at_once` downloads of rules are in the queue then. Raises LibraryError."""
    state = read_state(library, around, now, at_once)
    waiting = sum(bool(one.rule) and not one.is_held for one in state.coming)
    return plan(replace(state, slots=max(0, at_once - waiting)))


def _drop(library: Library, queue: Queue, made: Plan) -> None:
    for episode_id in made.drop:
        queue.cancel(episode_id).result(_PATIENCE_S)
    library.downloads.facts.forgive(made.drop)

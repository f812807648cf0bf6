"""Decides what plays after an episode has ended. Pure; neither the screen nor the controller decides it."""

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from msgspec import Struct

from player.model.episode import Episode, EpisodeId
from player.model.playback import NextFrom
from player.model.position import SavedPosition


class EndedBy(Enum):
    """Why an episode is over."""

    FINISHED = "finished"
    """It was heard to its end."""
    FAILED = "failed"
    """It can't be played, or can't be played any further."""
    SKIPPED = "skipped"
    """The listener skipped to the next one."""
    REPLACED = "replaced"
    """The listener plays another one."""
    RETURNED = "returned"
    """The listener returned to where the sleep timer started: what has played since isn't marked."""


class Ended(Struct, frozen=True):
    """None if there was no current episode."""

    episode_id: EpisodeId | None
    by: EndedBy


class Left(Struct, frozen=True):
    """An episode that another one has replaced as the current episode.

    `heard_s` is how long it was heard as the current episode, `left_ms` how much of it is left; None where that isn't
    certain.
    """

    episode: Episode
    by: EndedBy
    heard_s: float = 0.0
    left_ms: int | None = None
    live: bool = False


class Nothing(Struct, frozen=True):
    """Nothing plays after this."""


class Play(Struct, frozen=True):
    """Play this episode from `position_ms`; None means from its saved position. `source` says why it is next."""

    episode_id: EpisodeId
    position_ms: int | None = None
    source: NextFrom = NextFrom.QUEUE


class Follows(Protocol):
    """What the controller asks when an episode ends, and when another one replaces it. All methods except `leave` may
    raise LibraryError."""

    def up_next(self, ended: Ended, error: str | None = None) -> Nothing | Play:
        """Called right after the end, which is being saved. `error` says why it can't be played."""
        ...

    def leave(self, left: Left) -> None:
        """Called when another episode is about to replace it; its position is being saved."""
        ...

    def retried(self) -> None:
        """A person tries again to play what failed."""
        ...

    def begins_again(self, episode: Episode, saved: SavedPosition) -> bool:
        """Whether it starts from the beginning although a position is saved."""
        ...


FirstOf = Callable[[frozenset[EpisodeId]], EpisodeId | None]
"""The first episode of a list that isn't one of those given. May raise LibraryError."""


def up_next(
    ended: Ended,
    queue: FirstOf,
    continued: FirstOf,
    *,
    by_itself: bool = False,
    tried: frozenset[EpisodeId] = frozenset(),
) -> Nothing | Play:
    """The first of the queue, otherwise of the list that continues.

    `by_itself`: no person chose the episode that ended; what a person chose stays the current episode even if it can't
    be played. Episodes in `tried` couldn't be played and aren't tried again.
    """
    if ended.by is EndedBy.FAILED and not by_itself:
        return Nothing()
    excluded = tried if ended.episode_id is None else tried | {ended.episode_id}
    for source, first_of in ((NextFrom.QUEUE, queue), (NextFrom.LIST, continued)):
        if (found := first_of(excluded)) is not None:
            return Play(found, source=source)
    return Nothing()

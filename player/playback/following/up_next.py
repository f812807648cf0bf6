"""What plays after an episode has ended. Neither the screen nor the controller decides it. Pure."""

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
    """It can't be played, or not any further."""
    SKIPPED = "skipped"
    """The listener wants the next one."""
    REPLACED = "replaced"
    """The listener plays another one."""
    RETURNED = "returned"
    """The listener goes back to where the sleep timer started: nothing becomes of what played since."""


class Ended(Struct, frozen=True):
    """None: there was no current episode."""

    episode_id: EpisodeId | None
    by: EndedBy


class Left(Struct, frozen=True):
    """An episode that is the current one no longer, as another takes over.

    `heard_s`: for how long it was heard since it became the current one. `left_ms`: how much of it is left; None where
    that isn't known for sure.
    """

    episode: Episode
    by: EndedBy
    heard_s: float = 0.0
    left_ms: int | None = None
    live: bool = False


class Nothing(Struct, frozen=True):
    """It is silent from here on."""


class Play(Struct, frozen=True):
    """That episode, from `position_ms`; None: from where the listener left it. `source` says why it is next."""

    episode_id: EpisodeId
    position_ms: int | None = None
    source: NextFrom = NextFrom.QUEUE


class Follows(Protocol):
    """What the controller asks when an episode is over, and when another takes over. Any of it may raise LibraryError,
    but `leave`."""

    def up_next(self, ended: Ended, error: str | None = None) -> Nothing | Play:
        """Asked right after the end, when that is on its way to the disk. `error`: why it can't be played."""
        ...

    def leave(self, left: Left) -> None:
        """Its position is on its way to the disk; the other one is the current one next."""
        ...

    def retried(self) -> None:
        """A person tries once more what could not be played."""
        ...

    def begins_again(self, episode: Episode, saved: SavedPosition) -> bool:
        """Whether it is to be heard from its start although a position is saved."""
        ...


FirstOf = Callable[[frozenset[EpisodeId]], EpisodeId | None]
"""The first episode of a list that is none of those. May raise LibraryError."""


def up_next(
    ended: Ended,
    queue: FirstOf,
    continued: FirstOf,
    *,
    by_itself: bool = False,
    tried: frozenset[EpisodeId] = frozenset(),
) -> Nothing | Play:
    """The first of the queue, or else of the list that continues.

    `by_itself`: no person chose the episode that has ended; what a person chose and can't be played stays what it is.
    `tried` can't be played, and isn't tried again.
    """
    if ended.by is EndedBy.FAILED and not by_itself:
        return Nothing()
    excluded = tried if ended.episode_id is None else tried | {ended.episode_id}
    for source, first_of in ((NextFrom.QUEUE, queue), (NextFrom.LIST, continued)):
        if (found := first_of(excluded)) is not None:
            return Play(found, source=source)
    return Nothing()

"""What an app's knowledge of an episode changes here. Pure.

Nothing here is undone, and nothing newer is overwritten: a mark is only added, and a position only replaces an older
one. What the app has no time for counts as older than anything here.
"""

from typing import NamedTuple

from player.library.incoming.matching import Identity

_BEFORE_THE_END_MS = 10_000


class Heard(NamedTuple):
    """Positions in ms; `began_at` in ms since 1970."""

    from_ms: int
    to_ms: int
    began_at: int
    speed: float


class Incoming(NamedTuple):
    """What another app knows of an episode. Moments in ms since 1970; `rank` is that in the queue here."""

    identity: Identity
    played: bool
    position_ms: int
    changed_at: int | None
    starred: bool
    rank: int | None
    heard: tuple[Heard, ...]
    fingerprint: int


class Present(NamedTuple):
    """The episode as it is here; `sort` is its date. `saved_at` and `queued_at` are None without a position, and out
    of the queue."""

    id: int
    identity: Identity
    sort: int
    duration_ms: int | None
    played: bool
    starred: bool
    position_ms: int
    saved_at: int | None
    queued_at: int | None


class Change(NamedTuple):
    """What to write. `position` is ms and when that was; `unqueue`: it was queued before it was played there."""

    played: bool = False
    starred: bool = False
    position: tuple[int, int] | None = None
    rank: int | None = None
    unqueue: bool = False

    @property
    def is_verdict(self) -> bool:
        """Whether the episode isn't new any more."""
        return self.played or self.starred or self.position is not None or self.rank is not None


def decide(here: Present, there: Incoming, now: int) -> Change:
    changed_at = None if there.changed_at is None else min(there.changed_at, now)
    newer_here = here.saved_at is not None and (changed_at is None or here.saved_at >= changed_at)
    played = there.played and not here.played and not newer_here
    # What came in this way is as old as the episode, unless the app says when it was.
    at = changed_at if changed_at is not None else min(here.sort, now)
    position_ms = _possible(there.position_ms, here.duration_ms)
    takes_position = bool(position_ms) and not (there.played or here.played or newer_here)
    is_new_position = (position_ms, at) != (here.position_ms, here.saved_at)
    return Change(
        played=played,
        starred=there.starred and not here.starred,
        position=(position_ms, at) if takes_position and is_new_position else None,
        rank=None if there.played or here.played or here.queued_at is not None else there.rank,
        unqueue=played and here.queued_at is not None and changed_at is not None and here.queued_at < changed_at,
    )


def _possible(position_ms: int, duration_ms: int | None) -> int:
    """Not behind the end: here the file may be shorter, with less advertising."""
    return min(position_ms, max(0, duration_ms - _BEFORE_THE_END_MS)) if duration_ms else position_ms

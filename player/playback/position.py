"""The listener's position in an episode: one immutable value, and the transitions that produce the next value."""

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from player.model.episode import BytePosition, SavedPosition


class ListenerPosition(Struct, frozen=True):
    """`ms` is the position.

    `nearby` is a known byte at or near the position. `left_at` is when the listener was last there; None if the episode
    was never started or was heard to its end. `unsaved`: the library has another position, or none. `begun_ms` is where
    the sound last began, and `origin` the position before that, to return to if an attempt produces no sound.
    """

    ms: int = 0
    nearby: BytePosition | None = None
    left_at: datetime | None = None
    unsaved: bool = False
    begun_ms: int = 0
    origin: "ListenerPosition | None" = None

    @classmethod
    def from_saved(cls, saved: SavedPosition | None) -> "ListenerPosition":
        """From a saved position; None if there is none."""
        return cls(saved.position_ms, saved.byte, saved.saved_at) if saved else cls()

    @property
    def byte(self) -> BytePosition | None:
        """The byte of exactly this position, if known."""
        return self.nearby if self.nearby and self.nearby.position_ms == self.ms else None

    @property
    def origin_ms(self) -> int:
        """The position to return to if an attempt produces no sound."""
        return self.origin.ms if self.origin else self.ms

    # -- moves ------------------------------------------------------------------------------------------------------

    def started(self, ms: int) -> "ListenerPosition":
        """The sound is about to begin at `ms`, which may be slightly earlier than the position."""
        return replace(self, ms=ms, begun_ms=ms, origin=replace(self, origin=None))

    def given_up(self) -> "ListenerPosition":
        """Nothing was heard: the position is the one from before the sound was begun."""
        return self.origin or self

    def moved(self, ms: int, at: datetime, byte: BytePosition | None = None) -> "ListenerPosition":
        """The engine has reached `ms`, and `byte` in the file if it knows that."""
        moved = ms != self.ms
        return replace(self, ms=ms, nearby=byte or self.nearby, left_at=at, unsaved=self.unsaved or moved)

    def left(self, ms: int, at: datetime, byte: BytePosition | None = None) -> "ListenerPosition":
        """The sound ended there. The time of that is worth saving even if the position is already saved."""
        return replace(self.moved(ms, at, byte), unsaved=True)

    def sought(self, ms: int, at: datetime) -> "ListenerPosition":
        """The listener jumped to `ms`, which stays the position whatever happens to the sound."""
        there = ListenerPosition(ms, self.nearby, at, unsaved=True, begun_ms=ms)
        return replace(there, origin=there)

    def corrected(self, byte: BytePosition) -> "ListenerPosition":
        """A guessed position is known better now; the listener hasn't moved."""
        return replace(self, ms=byte.position_ms, nearby=byte, unsaved=True)

    def restarted(self) -> "ListenerPosition":
        """At the start of an episode that was heard to its end; there is nothing to save."""
        return ListenerPosition(nearby=self.nearby)

    def finished(self, ms: int) -> "ListenerPosition":
        """The episode was heard to its end, at `ms`; the library then deletes its position."""
        return ListenerPosition(ms, self.nearby)

    def saved(self) -> "ListenerPosition":
        """The position is being saved."""
        origin = replace(self.origin, unsaved=self.origin.ms != self.ms) if self.origin else None
        return replace(self, unsaved=False, origin=origin)

"""Where the listener is in an episode: one value, and the moves that make the next one of it."""

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from player.model.position import BytePosition, SavedPosition


class ListenerPosition(Struct, frozen=True):
    """`ms` is the position.

    `nearby` is a byte that is known of, at the position or near it. `left_at` says when the listener was last there;
    None: the episode was never begun, or was heard to its end. `unsaved`: the library has another position, or none.
    `begun_ms` is where the sound was last begun, and `origin` where the listener was before: an attempt that brings no
    sound leads back there.
    """

    ms: int = 0
    nearby: BytePosition | None = None
    left_at: datetime | None = None
    unsaved: bool = False
    begun_ms: int = 0
    origin: "ListenerPosition | None" = None

    @classmethod
    def from_saved(cls, saved: SavedPosition | None) -> "ListenerPosition":
        """As it was saved; None: it never was."""
        return cls(saved.position_ms, saved.byte, saved.saved_at) if saved else cls()

    @property
    def byte(self) -> BytePosition | None:
        """The byte of this very position, where it is known."""
        return self.nearby if self.nearby and self.nearby.position_ms == self.ms else None

    @property
    def origin_ms(self) -> int:
        """Where an attempt that brings no sound leads back to."""
        return self.origin.ms if self.origin else self.ms

    # -- moves ------------------------------------------------------------------------------------------------------

    def started(self, ms: int) -> "ListenerPosition":
        """The sound is to begin at `ms`, which may be a little earlier than where the listener was."""
        return replace(self, ms=ms, begun_ms=ms, origin=replace(self, origin=None))

    def given_up(self) -> "ListenerPosition":
        """Nothing was heard: the listener is where they were before the sound was begun."""
        return self.origin or self

    def moved(self, ms: int, at: datetime, byte: BytePosition | None = None) -> "ListenerPosition":
        """The engine has come to `ms`, and to `byte` of the file where it knows that."""
        moved = ms != self.ms
        return replace(self, ms=ms, nearby=byte or self.nearby, left_at=at, unsaved=self.unsaved or moved)

    def left(self, ms: int, at: datetime, byte: BytePosition | None = None) -> "ListenerPosition":
        """The sound was ended there. When that was is worth saving even if the position is the saved one."""
        return replace(self.moved(ms, at, byte), unsaved=True)

    def sought(self, ms: int, at: datetime) -> "ListenerPosition":
        """The listener jumped to `ms`, and stays there whatever becomes of the sound."""
        there = ListenerPosition(ms, self.nearby, at, unsaved=True, begun_ms=ms)
        return replace(there, origin=there)

    def corrected(self, byte: BytePosition) -> "ListenerPosition":
        """What was guessed of the position is known better; the listener hasn't moved."""
        return replace(self, ms=byte.position_ms, nearby=byte, unsaved=True)

    def restarted(self) -> "ListenerPosition":
        """At the start of an episode that was heard to its end: there is nothing to save."""
        return ListenerPosition(nearby=self.nearby)

    def finished(self, ms: int) -> "ListenerPosition":
        """Heard to its end, at `ms`. The library forgets the position then."""
        return ListenerPosition(ms, self.nearby)

    def saved(self) -> "ListenerPosition":
        """It is on its way to the disk."""
        origin = replace(self.origin, unsaved=self.origin.ms != self.ms) if self.origin else None
        return replace(self, unsaved=False, origin=origin)

"""Undoing jumps."""

from msgspec import Struct

_ONE_JUMP_S = 2.0


class Jumps(Struct, frozen=True):
    """Where the last jump started, in ms. Key presses within two seconds of each other are one jump."""

    origin_ms: int | None = None
    last: float = float("-inf")

    def jumped(self, from_ms: int, now: float) -> "Jumps":
        """After a jump from `from_ms` at `now` (monotonic, seconds)."""
        if self.origin_ms is not None and now - self.last <= _ONE_JUMP_S:
            return Jumps(self.origin_ms, now)
        return Jumps(from_ms, now)

    def undone(self, from_ms: int) -> "Jumps":
        """After undoing it from `from_ms`, which can itself be undone; the next key press starts a new jump."""
        return Jumps(from_ms)

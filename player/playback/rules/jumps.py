"""The way back from a jump."""

from msgspec import Struct

_ONE_JUMP_S = 2.0


class Jumps(Struct, frozen=True):
    """Where the last jump started, ms. Presses within two seconds of each other are one jump."""

    origin_ms: int | None = None
    last: float = float("-inf")

    def jumped(self, from_ms: int, now: float) -> "Jumps":
        """After a jump away from `from_ms` at `now` (monotonic, seconds)."""
        if self.origin_ms is not None and now - self.last <= _ONE_JUMP_S:
            return Jumps(self.origin_ms, now)
        return Jumps(from_ms, now)

    def undone(self, from_ms: int) -> "Jumps":
        """After the jump back from `from_ms`, which can be undone in its turn; a new press is a new jump."""
        return Jumps(from_ms)

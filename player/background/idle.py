"""When a player that nobody looks at ends by itself."""

from msgspec import Struct

_TRYING_S = 300.0


class Idle(Struct):
    """All times are those of one clock, in s."""

    silent_since: float

    def heard(self, now: float) -> None:
        """Something plays just now."""
        self.silent_since = now

    def left_s(self, now: float, limit_s: float | None, *, tries: bool = False) -> float | None:
        """How long until it is over, 0 if it is; None if it never is. `limit_s`: after how long without sound that is.
        `tries`: an episode is to play, and waits for its bytes; that gets some time in any case."""
        if limit_s is None:
            return None
        return max(0.0, self.silent_since + max(limit_s, _TRYING_S if tries else 0.0) - now)

"""How fast bytes come, and how long the rest takes."""

from math import exp

from player.model.downloads.download import Progress

_SMOOTH_S = 4.0
"""How long it takes for what was before to count for a third."""
_LEAST = 1.0
"""Bytes per second, below which nothing comes."""


class Meter:
    """Of one download. Times are in seconds of a clock that only goes forward."""

    def __init__(self) -> None:
        self.moved_at: float | None = None
        """When bytes came last, or when it was begun."""
        self._at = 0.0
        self._done = 0
        self._rate = self._weight = 0.0

    def update(self, done: int, total: int | None, now: float) -> Progress:
        """`done` of `total` bytes are there."""
        if self.moved_at is None or done < self._done:
            # What was cached before didn't come now; and a file that has changed is begun again.
            self.moved_at, self._at, self._done = now, now, done
        elapsed = now - self._at
        if elapsed > 0:
            rate, kept = (done - self._done) / elapsed, exp(-elapsed / _SMOOTH_S)
            if rate or self._weight:  # before the first bytes it was waiting for the server
                self._rate = self._rate * kept + rate * (1 - kept)
                self._weight = self._weight * kept + 1 - kept
            if done > self._done:
                self.moved_at = now
            self._at, self._done = now, done
        return progress(done, total, self._rate / self._weight if self._weight else 0.0)


def progress(done: int, total: int | None, per_second: float) -> Progress:
    per_second = per_second if per_second >= _LEAST else 0.0
    left = (total - done) / per_second if total is not None and per_second else None
    return Progress(done, total, per_second, left)


def together(some: list[Progress]) -> Progress:
    """All of them; those whose size is unknown keep the total from being known, but for what is done of them."""
    known = all(one.total is not None for one in some)
    total = sum(one.total or 0 for one in some) if known and some else None
    return progress(sum(one.done for one in some), total, sum(one.per_second for one in some))

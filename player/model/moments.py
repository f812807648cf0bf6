"""Moments that were stored, read by a clock that may have been wrong when they were stored, or may be wrong now.

No stored moment is trusted for longer than its own purpose allows: each wait knows how long it may be at most.
"""

from datetime import UTC, datetime, timedelta

EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
"""Earmark is younger: a clock that shows an earlier time is wrong, like those that start in 1970."""


def left(until: datetime | None, now: datetime, at_most: timedelta) -> timedelta:
    """How long to wait for `until`, a moment stored when a wait of `at_most` at the longest began; zero: it is over.

    If the moment is further ahead than that, it was stored while the clock was ahead, and the wait is over as well.
    """
    if until is None or not now < until <= now + at_most:
        return timedelta()
    return until - now


def used_at(stamp_s: float, now_s: float) -> float:
    """When a file was last used, by its time stamp, to drop the least recently used files first: never, if the clock
    was ahead by more than a day. Both in seconds since 1970."""
    return stamp_s if stamp_s <= now_s + 86_400 else 0.0


def within(since: datetime | None, now: datetime, period: timedelta) -> bool:
    """Whether `since`, a moment in the past, is less than `period` ago. False for a moment after `now`: the clock was
    ahead."""
    return since is not None and timedelta() <= now - since < period

"""Spans of the history, cut into pieces that don't overlap and that lie within one of the listener's days."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from player.library.database.values import moment, stored

SpanRow = tuple[int, int, int, int, float]
"""Episode, first and last position in it (ms), when it began (ms since 1970), speed."""
DAY_MS, HOUR_MS = 86_400_000, 3_600_000
_QUARTER_MS = 900_000


Piece = tuple[int, float, float, float, float, date]
"""Episode, first and last position in it (ms), when it began and ended (ms since 1970), the day. No class: there may be
a million of them."""


class Days:
    """The days of a time zone; None: this computer's, whose clock may have been changed meanwhile."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        self._zone = zone
        self._bounds: dict[date, tuple[int, int]] = {}

    def of(self, ms: float) -> date:
        """The day that a moment belongs to."""
        return moment(int(ms)).astimezone(self._zone).date()

    def bounds(self, day: date) -> tuple[int, int]:
        """When a day begins and ends, in ms since 1970: 23 or 25 hours apart when the clock changes."""
        found = self._bounds.get(day)
        if found is None:
            first, last = (stored(start_of(one, self._zone)) for one in (day, day + timedelta(days=1)))
            found = self._bounds[day] = first, last
        return found

    def hours(self, day: date, start: float, end: float) -> Iterator[tuple[int, float]]:
        """The hours of the day between two of its moments, each with how much of it is covered, in ms."""
        first, last = self.bounds(day)
        plain = last - first == DAY_MS
        step = HOUR_MS if plain else _QUARTER_MS
        while start < end:
            number = int(start - first) // step
            until = min(end, first + (number + 1) * step)
            yield number if plain else moment(int(start)).astimezone(self._zone).hour, until - start
            start = until


def pieces(spans: Iterable[SpanRow], days: Days) -> Iterator[Piece]:
    """`spans` come in the order in which they began.

    Where two overlap, because a clock was set back or because two processes played, a moment counts only once: for the
    span that began first.
    """
    heard_until = float("-inf")
    day, day_start, day_end = date.min, 0, 0
    for episode_id, from_ms, to_ms, began, speed in spans:
        start, end = began if began > heard_until else heard_until, began + (to_ms - from_ms) / speed
        while start < end:
            heard_until = end
            if not day_start <= start < day_end:
                day = days.of(start)
                day_start, day_end = days.bounds(day)
            stop = end if end < day_end else day_end
            yield episode_id, from_ms + (start - began) * speed, from_ms + (stop - began) * speed, start, stop, day
            start = stop


def start_of(day: date, zone: tzinfo | None = None) -> datetime:
    """When the day begins in that zone, in UTC."""
    return datetime.combine(day, time(), zone).astimezone(UTC)

"""Hours of the day as people write them: `01:00-06:00`, also across midnight."""

import re
from datetime import datetime, time

from msgspec import Struct

from player.text.sentences import _

_WRITTEN = re.compile(r"([01]?\d|2[0-3]):([0-5]\d) ?[-–] ?([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)


class Hours(Struct, frozen=True):
    """From `start` until just before `end`, across midnight where `end` is the earlier one; always if they are equal.

    They are those of the clock on the wall: where it is put forward or back, a night is an hour shorter or longer.
    """

    start: time
    end: time

    def contain(self, now: datetime) -> bool:
        """`now` is the listener's local time."""
        clock = now.time().replace(tzinfo=None)
        if self.start < self.end:
            return self.start <= clock < self.end
        return clock >= self.start or clock < self.end

    def __str__(self) -> str:
        return f"{self.start:%H:%M}–{self.end:%H:%M}"


def parse_hours(text: str) -> Hours | None:
    """None for "": any hour. Raises ValueError with a sentence."""
    if not text.strip():
        return None
    found = _WRITTEN.fullmatch(text.strip())
    if not found:
        raise ValueError(_("use two times of day like 01:00-06:00"))
    start_hour, start_minute, end_hour, end_minute = map(int, found.groups())
    return Hours(time(start_hour, start_minute), time(end_hour, end_minute))

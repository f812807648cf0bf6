"""The hours in which the sleep timer starts by itself, once a night."""

from datetime import date, datetime, time, timedelta

from msgspec import Struct

from player.model.sleep import SleepChoice, SleepUntil
from player.settings import Sleep


class SleepHours(Struct, frozen=True):
    """From `start` until just before `end`, across midnight if `end` is earlier; the whole day if both are the same."""

    start: time
    end: time
    choice: SleepChoice

    def night(self, now: datetime) -> date | None:
        """The date on which the current night began; None outside these hours. `now` is the listener's local time."""
        clock = now.time().replace(tzinfo=None)
        if self.start < self.end:
            return now.date() if self.start <= clock < self.end else None
        if clock >= self.start:
            return now.date()
        return now.date() - timedelta(days=1) if clock < self.end else None


def sleep_hours(settings: Sleep) -> SleepHours | None:
    """Read from config.toml; None: the timer never starts by itself."""
    if not settings.from_:
        return None
    choice = SleepChoice(SleepUntil.MINUTES, settings.minutes)
    return SleepHours(time.fromisoformat(settings.from_), time.fromisoformat(settings.to), choice)

"""The hours in which the sleep timer starts by itself, once a night."""

from datetime import date, datetime, time, timedelta

from msgspec import Struct

from player.model.sleep import SleepChoice, SleepUntil
from player.settings import Sleep


class SleepHours(Struct, frozen=True):
    """From `start` until just before `end`, over midnight where `end` is the earlier one; the whole day if they are
    the same."""

    start: time
    end: time
    choice: SleepChoice

    def night(self, now: datetime) -> date | None:
        """The day on which the present night began; None outside these hours. `now` is the listener's local time."""
        clock = now.time().replace(tzinfo=None)
        if self.start < self.end:
            return now.date() if self.start <= clock < self.end else None
        if clock >= self.start:
            return now.date()
        return now.date() - timedelta(days=1) if clock < self.end else None


def sleep_hours(settings: Sleep) -> SleepHours | None:
    """What config.toml says; None: the timer never starts by itself."""
    if not settings.from_:
        return None
    choice = SleepChoice(SleepUntil.MINUTES, settings.minutes)
    return SleepHours(time.fromisoformat(settings.from_), time.fromisoformat(settings.to), choice)

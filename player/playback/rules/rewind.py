"""How far playback rewinds after a pause, so that the listener can pick up the thread."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from player.settings import Playback
from player.text.durations import parse_time


class Rule(Struct, frozen=True):
    """After a pause longer than `after`, playback resumes `rewind_ms` earlier."""

    after: timedelta
    rewind_ms: int


def rules(settings: Playback) -> tuple[Rule, ...]:
    """The rules of config.toml, longest pause first."""
    pairs = (
        (settings.rewind_after_pause, settings.rewind),
        (settings.rewind_after_day, settings.rewind_long),
    )
    made = (Rule(timedelta(milliseconds=parse_time(after)), parse_time(rewind)) for after, rewind in pairs)
    return tuple(sorted(made, key=lambda rule: rule.after, reverse=True))


def resume_at(position_ms: int, left_at: datetime | None, now: datetime, rules: Sequence[Rule]) -> int:
    """Where to resume, in ms, if `position_ms` was left at `left_at`. If the clock was set back, there was no pause."""
    if left_at is None:
        return position_ms
    pause = now - left_at
    for rule in rules:
        if pause > rule.after:
            return max(0, position_ms - rule.rewind_ms)
    return position_ms

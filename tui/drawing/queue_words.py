"""How long the queue lasts, in words."""

from datetime import datetime, timedelta

from player.text.dates import day_and_month, weekday_name
from player.text.durations import brief
from player.text.regional import Grouped, time_of_day
from player.text.sentences import _, plural


def queue_facts(
    coming: int, lasts_ms: int, unknown: int, now: datetime, dot: str, *, plays: bool = False, more: bool = False
) -> tuple[str, ...]:
    """The facts next to the title of the queue, getting shorter.

    They are how many episodes are to come, how long they take, and when the queue will end. The `unknown` episodes,
    whose duration isn't known, aren't counted in. `plays`: another of its episodes is playing; what is left of that is
    part of `lasts_ms`.
    """
    time = _("{time} left", time=brief(lasts_ms))
    if unknown:
        then = plural(unknown, "{n:,} of unknown length", "{n:,} of unknown length")
    else:
        then = ends(now + timedelta(milliseconds=lasts_ms), now)
    if plays:
        episodes = plural(coming, "{n:,} to come", "{n:,} to come") if coming else _("the last one")
    else:
        episodes = _("{n:,}+ episodes", n=coming) if more else plural(coming, "{n:,} episode", "{n:,} episodes")
    if unknown and not lasts_ms:
        return (episodes, f"{Grouped(coming):,}")
    return (f"{episodes} {dot} {time} {dot} {then}", f"{time} {dot} {then}", f"{episodes} {dot} {time}", time)


def ends(end: datetime, now: datetime) -> str:
    """`ends 18:40`, `ends tomorrow 00:10`, `ends Mon 07:30`, `ends 12 Apr`."""
    time, days = time_of_day(end), (end.date() - now.date()).days
    if days == 0:
        return _("ends {time}", time=time)
    if days == 1:
        return _("ends tomorrow {time}", time=time)
    if days < 7:
        return _("ends {day} {time}", day=weekday_name(end), time=time)
    return _("ends {date}", date=day_and_month(end))

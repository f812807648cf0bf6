"""How long the queue lasts, in words."""

from datetime import datetime, timedelta

from player.text.durations import brief
from player.text.sentences import _, plural, translate
from tui.drawing.labels import DAYS, MONTHS


def queue_facts(
    shown: int, left: tuple[int, int], speed: float, now: datetime, dot: str, *, more: bool = False
) -> tuple[str, ...]:
    """What stands beside the title of the queue, getting shorter: how many episodes, how long they last at `speed`, and
    when they would end. `left` is what the library says: ms at normal speed, and how many episodes of unknown length
    aren't counted in it."""
    left_ms, unknown = left
    lasts_ms = int(left_ms / speed)
    episodes = _("{n:,}+ episodes", n=shown) if more else plural(shown, "{n:,} episode", "{n:,} episodes")
    time = _("{time} left", time=brief(lasts_ms))
    if unknown == shown:
        return (episodes, f"{shown:,}")
    if unknown:
        then = plural(unknown, "{n:,} of unknown length", "{n:,} of unknown length")
    else:
        then = ends(now + timedelta(milliseconds=lasts_ms), now)
    return (f"{episodes} {dot} {time} {dot} {then}", f"{time} {dot} {then}", f"{episodes} {dot} {time}", time)


def ends(end: datetime, now: datetime) -> str:
    """`ends 18:40`, `ends tomorrow 0:10`, `ends Mon 7:30`, `ends 12 Apr`."""
    time, days = f"{end.hour}:{end.minute:02}", (end.date() - now.date()).days
    if days == 0:
        return _("ends {time}", time=time)
    if days == 1:
        return _("ends tomorrow {time}", time=time)
    if days < 7:
        return _("ends {day} {time}", day=translate(DAYS[end.weekday()]), time=time)
    return _("ends {day} {month}", day=end.day, month=translate(MONTHS[end.month - 1]))

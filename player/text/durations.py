"""Times as people write and read them.

TIME is `SS`, `MM:SS`, `HH:MM:SS` or `1h2m3s`; inside Earmark a time is whole milliseconds.
"""

import re

from player.text.sentences import _, plural

_CLOCK = re.compile(
    r"(?:(?:(\d{1,4}):(?=[0-5]?\d:))?(\d{1,4}):(?=[0-5]?\d(?!\d)))?(\d{1,9})(?:\.(\d{1,3})\d*)?", re.ASCII
)
_UNITS = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})(?:\.(\d{1,3})\d*)?s)?", re.ASCII)


def parse_time(text: str) -> int:
    """Milliseconds of a TIME.

    Raises ValueError, with a sentence for the user, when the text isn't a TIME; `9:99` and `1:75:00` aren't, either.
    """
    text = text.strip().lower()
    found = _CLOCK.fullmatch(text) or (_UNITS.fullmatch(text) if text else None)
    if not found:
        raise ValueError(_("Invalid time “{text}”. Use 90, 12:34, 1:02:03 or 1h2m3s.", text=text[:40]))
    hours, minutes, seconds, fraction = found.groups()
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole * 1000 + int((fraction or "0").ljust(3, "0"))


def units(ms: int) -> str:
    """`1h2m3.5s`, without loss: `parse_time` reads it as the same time. The time mustn't be negative."""
    seconds, fraction = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    tail = f"{seconds}.{fraction:03}".rstrip("0").rstrip(".") if fraction else f"{seconds}"
    parts = (f"{hours}h" if hours else "", f"{minutes}m" if minutes else "", f"{tail}s" if tail != "0" else "")
    return "".join(parts) or "0s"


def clock(ms: int) -> str:
    """`8:12`, `1:02:03`: a position in an episode; a negative time keeps its sign."""
    sign, seconds = ("-", -ms // 1000) if ms < 0 else ("", ms // 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02}:{seconds:02}" if hours else f"{sign}{minutes}:{seconds:02}"


def moved_by(ms: int) -> str:
    """As in “moved by +0:34”."""
    return f"{'−' if ms < 0 else '+'}{clock(1000 * round(abs(ms) / 1000))}"


def brief(ms: int) -> str:
    """`45s`, `16m`, `1h 05m`: a length at a glance."""
    seconds = max(0, ms) // 1000
    if seconds < 60:
        return f"{seconds}s"
    minutes = (seconds + 30) // 60
    return f"{minutes}m" if minutes < 60 else f"{minutes // 60}h {minutes % 60:02}m"


def in_words(ms: int) -> str:
    """`15 seconds`, `1 minute`, and `1m30s` if neither unit fits exactly: a length in a sentence, without loss."""
    if ms < 60_000 and ms % 1_000 == 0:
        return plural(ms // 1_000, "{n} second", "{n} seconds")
    if ms < 3_600_000 and ms % 60_000 == 0:
        return plural(ms // 60_000, "{n} minute", "{n} minutes")
    return units(ms)


def long_time(ms: int) -> str:
    """`14 min`, `1 h 5 min`, `320 h`: the longer, the less exact. `< 1 min` for a short time that isn't zero."""
    minutes = round(ms / 60_000)
    if not minutes and ms > 0:
        return _("< 1 min")
    if minutes < 60:
        return _("{minutes} min", minutes=minutes)
    hours, rest = divmod(minutes, 60)
    if hours < 100 and rest:
        return _("{hours:,} h {minutes} min", hours=hours, minutes=rest)
    return _("{hours:,} h", hours=hours)

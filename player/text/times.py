"""Dates, days and times of day as people write and read them; positions in a text."""

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from msgspec import Struct

from player.text import regional
from player.text.durations import parse_time
from player.text.sentences import _, mark, plural, translate

_DAYS = re.compile(r"(\d{1,4}) ?(?:d|days?)?", re.ASCII | re.IGNORECASE)
_AT_ONCE, _NEVER = ("at once", "now"), ("never", "")


def parse_days(text: str) -> int | None:
    """0 for at once, None for never. Raises ValueError with a sentence."""
    words = " ".join(text.lower().split())
    if words in _AT_ONCE:
        return 0
    if words in _NEVER:
        return None
    found = _DAYS.fullmatch(words)
    if not found:
        raise ValueError(_("use “at once”, “never”, or a number of days like “2 days”"))
    return int(found[1])


def days_in_words(days: int) -> str:
    return plural(days, "{n:,} day", "{n:,} days")


_WRITTEN = re.compile(r"([01]?\d|2[0-3]):([0-5]\d) ?[-–] ?([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)


class Hours(Struct, frozen=True):
    """The hours from `start` until just before `end`, across midnight if `end` is earlier; the whole day if they are
    equal.

    They are in local time: when the clocks are put forward or back, a night is an hour shorter or longer.
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


_TIME = r"(?:\d{1,2}:[0-5]?\d|\d{1,3}):[0-5]\d(?!:?\d)"
_NOT_OF_DAY = r"(?!\s*(?:(?i:[ap]\.?m|uhr|o.clock|utc|gmt)|[A-Z]{1,3}T)\b)"
_FIRST = re.compile(rf"\s*[(\[]?({_TIME}){_NOT_OF_DAY}[)\]]?(?:\s*[-–—:|]\s+|\s+|$)", re.ASCII)
# Not in the middle of a number, a date, an address or a range of hours; not a time of day.
_INSIDE = re.compile(rf"(?<![\w:.,/+$€=-])(?<!\d-\d\d )({_TIME})(?![\w%/])(?!\.\d){_NOT_OF_DAY}", re.ASCII)
_SCHEME = "earmark:time/"


class Timestamp(NamedTuple):
    """`start` and `end` are indexes into the text; for a leading time `end` is where the text after it begins."""

    start: int
    end: int
    text: str
    ms: int


def leading(text: str, duration_ms: int | None = None) -> Timestamp | None:
    """The time that a line begins with, `12:34 - Title` or `(12:34) Title`, if it is a position in the episode."""
    found = _FIRST.match(text)
    if found is None or not _in_episode(ms := parse_time(found[1]), duration_ms):
        return None
    return Timestamp(found.start(1), found.end(), found[1], ms)


def timestamps(text: str, duration_ms: int | None = None) -> Iterator[Timestamp]:
    """The times within a text that are positions in the episode.

    While the length of the episode is unknown, only the times in brackets: any other may be a time of day.
    """
    for found in _INSIDE.finditer(text):
        before = text[max(0, found.start() - 1) : found.start()]
        bracketed = before in ("(", "[") and text[found.end() : found.end() + 1] in (")", "]")
        if (bracketed or duration_ms is not None) and _in_episode(ms := parse_time(found[1]), duration_ms):
            yield Timestamp(found.start(), found.end(), found[1], ms)


def _in_episode(ms: int, duration_ms: int | None) -> bool:
    return duration_ms is None or ms <= duration_ms


def time_link(ms: int) -> str:
    """The link target for a position in the episode, as a URL is for a page."""
    return f"{_SCHEME}{ms}"


def time_of(href: str) -> int | None:
    """The position that `time_link` leads to, in ms; None for any other link."""
    number = href.removeprefix(_SCHEME)
    return int(number) if number != href and number.isascii() and number.isdigit() else None


MONTHS = (
    mark("Jan"), mark("Feb"), mark("Mar"), mark("Apr"), mark("May", "short"), mark("Jun"), mark("Jul"), mark("Aug"),
    mark("Sep"), mark("Oct"), mark("Nov"), mark("Dec"),
)  # fmt: skip
DAYS = (mark("Mon"), mark("Tue"), mark("Wed"), mark("Thu"), mark("Fri"), mark("Sat"), mark("Sun"))

_OF_YEAR = {
    "dmy": mark("{day} {month} {year}"),
    "mdy": mark("{month} {day}, {year}"),
    "ymd": mark("{year} {month} {day}"),
}
_OF_DAY = {"dmy": mark("{day} {month}"), "mdy": mark("{month} {day}"), "ymd": mark("{month} {day}")}


def month_name(month: int) -> str:
    """`Apr` for 4."""
    return _own(regional.region().months, MONTHS, month - 1)


def weekday_name(day: date) -> str:
    """`Thu`."""
    return _own(regional.region().days, DAYS, day.weekday())


def start_of_week(day: date) -> date:
    """The first day of its week."""
    return day - timedelta(days=(day.weekday() - regional.region().week_begins) % 7)


def day_and_month(day: date) -> str:
    """`12 Apr`."""
    return _ordered(_OF_DAY, day)


def day_in_figures(day: date) -> str:
    """`12/04`, `04/12` or `12.04.`, for want of room."""
    region = regional.region()
    if region.dotted:
        return f"{day.day:02}.{day.month:02}."
    return f"{day.day:02}/{day.month:02}" if region.order == "dmy" else f"{day.month:02}/{day.day:02}"


def day_month_year(day: date) -> str:
    """`12 Apr 2024`."""
    return _ordered(_OF_YEAR, day)


def month_and_year(day: date) -> str:
    """`Apr 2024`."""
    month = month_name(day.month)
    if regional.region().order == "ymd":
        return _("{year} {month}", month=month, year=day.year)
    return _("{month} {year}", month=month, year=day.year)


def full_moment(moment: datetime) -> str:
    """`12 Apr 2024, 18:05`, in the time zone of this computer."""
    local = moment.astimezone()
    return _("{date}, {time}", date=day_month_year(local), time=regional.time_of_day(local))


def _ordered(patterns: dict[str, str], day: date) -> str:
    region = regional.region()
    pattern = patterns.get(region.order, patterns["dmy"])
    # A language can have the full stop in its pattern.
    number = f"{day.day}." if region.dotted and "{day}." not in translate(pattern) else f"{day.day}"
    return translate(pattern, day=number, month=month_name(day.month), year=f"{day.year}")


def _own(names: tuple[str, ...], words: tuple[str, ...], at: int) -> str:
    return names[at] if names else translate(words[at])

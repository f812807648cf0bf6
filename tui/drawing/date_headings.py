"""The headings of a list by date: Today, Yesterday, This week, Last week, then the months. Pure."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from player.text.dates import start_of_week
from player.text.sentences import _, mark, translate

_MONTHS = (
    mark("January"), mark("February"), mark("March"), mark("April"), mark("May"), mark("June"), mark("July"),
    mark("August"), mark("September"), mark("October"), mark("November"), mark("December"),
)  # fmt: skip
_FIRST_YEAR = 2000
"""Before podcasts. Older months aren't told apart, and what has no date stands at 1970."""
_DATED_FROM = datetime(1980, 1, 1, tzinfo=UTC)


Headings = tuple[tuple[int, str], ...]
"""The rows of a list that have a heading above them, in order, and the words of each."""


class DateGroup(NamedTuple):
    """The episodes from a moment on, up to that of the group before."""

    since: datetime
    words: str


def date_groups(today: date) -> tuple[DateGroup, ...]:
    """The groups, the newest first: the last one has no beginning. Days begin at midnight in the reader's time zone,
    weeks on the day that the region says."""
    return _groups(today, start_of_week(today))


@lru_cache(2)
def _groups(today: date, week: date) -> tuple[DateGroup, ...]:
    groups = [
        DateGroup(_midnight(today + timedelta(days=1)), _("Upcoming")),
        DateGroup(_midnight(today), _("Today")),
        DateGroup(_midnight(today - timedelta(days=1)), _("Yesterday")),
        DateGroup(_midnight(week), _("This week")),
        DateGroup(_midnight(week - timedelta(days=7)), _("Last week")),
    ]
    year, month = today.year, today.month
    while year >= _FIRST_YEAR:
        groups.append(DateGroup(_midnight(date(year, month, 1)), _month_words(year, month, today)))
        year, month = (year, month - 1) if month > 1 else (year - 1, 12)
    groups.append(DateGroup(_DATED_FROM, _("Before {year}", year=_FIRST_YEAR)))
    groups.append(DateGroup(datetime.min.replace(tzinfo=UTC), _("Without a date")))
    # On the week's first day this week is today; at the beginning of a month, the month is in last week.
    kept: list[DateGroup] = []
    for one in groups:
        if not kept or one.since < kept[-1].since:
            kept.append(one)
    return tuple(kept)


def headings(groups: Sequence[DateGroup], counts: Sequence[int], total: int, *, oldest_first: bool = False) -> Headings:
    """Above which rows which words stand, in order. `counts`: how many of the list's `total` rows are of each group or
    a newer one, for all groups but the last. Of a very long list there are fewer counts, and the rest is “Earlier”."""
    rest = groups[-1].words if len(counts) >= len(groups) - 1 else _("Earlier")
    found = []
    before = 0
    for words, up_to in (*((group.words, count) for group, count in zip(groups, counts, strict=False)), (rest, total)):
        if up_to > before:
            found.append((total - up_to if oldest_first else before, words))
            before = up_to
    return tuple(reversed(found)) if oldest_first else tuple(found)


def _month_words(year: int, month: int, today: date) -> str:
    words = translate(_MONTHS[month - 1])
    return words if year == today.year else _("{month} {year}", month=words, year=year)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day).astimezone()

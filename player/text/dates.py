"""Days in few words, in the form of the listener's region (`regional.py`): `12 Apr 2024`, `Apr 12, 2024`, `12. Apr`."""

from datetime import date, datetime, timedelta

from player.text import regional
from player.text.sentences import _, mark, translate

MONTHS = (
    mark("Jan"), mark("Feb"), mark("Mar"), mark("Apr"), mark("May"), mark("Jun"), mark("Jul"), mark("Aug"), mark("Sep"),
    mark("Oct"), mark("Nov"), mark("Dec"),
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
    number = f"{day.day}." if region.dotted else f"{day.day}"
    pattern = patterns.get(region.order, patterns["dmy"])
    return translate(pattern, day=number, month=month_name(day.month), year=f"{day.year}")


def _own(names: tuple[str, ...], words: tuple[str, ...], at: int) -> str:
    return names[at] if names else translate(words[at])

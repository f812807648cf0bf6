"""Dates, times of day and numbers in the form of the listener's region, which is the locale of the environment."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, time

from msgspec import Struct
from msgspec.structs import replace


class Region(Struct, frozen=True):
    """`order` is the order of day, month and year (`dmy`, `mdy`, `ymd`) if the month is a word.

    `months` and `days` are short names, January and Monday first; empty: Earmark's names in the listener's language.
    `halves` are the words for the hours before and after noon; empty: the 24-hour clock.
    """

    order: str = "dmy"
    dotted: bool = False
    """Whether a full stop follows the number of the day: `12. Apr`."""
    months: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    halves: tuple[str, ...] = ()
    thousands: str = ","
    decimal: str = "."
    week_begins: int = 0
    """The first day of a week: Monday is 0, Sunday 6."""


class Grouped(int):
    """A number whose format `,` separates thousands as the region does."""

    def __format__(self, spec: str) -> str:
        return int.__format__(self, spec).replace(",", _region.thousands)


_region = Region()

_DIRECTIVES = {"%D": "%m/%d/%y", "%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%R": "%H:%M", "%r": "%I:%M:%S %p"}
_PARTS = {"d": "d", "e": "d", "m": "m", "b": "m", "B": "m", "h": "m", "y": "y", "Y": "y", "C": "y", "G": "y"}
_MOST_CELLS = 5
"""The most cells of the short name of a month or day; longer names are cut."""


def region() -> Region:
    """The region in use."""
    return _region


def use(new: Region) -> Callable[[], None]:
    """Numbers and dates are written as in `new` from now on; the function returned restores the previous one."""
    global _region
    before, _region = _region, new

    def restore() -> None:
        global _region
        _region = before

    return restore


def adopt(environ: Mapping[str, str] = os.environ, *, number: str = "", own_names: bool = True) -> None:
    """Uses the region of the environment's locale. Call it before there are threads: for a moment it changes the locale
    of the whole process. Where that is plain or isn't installed, numbers are written like `number` (`1.234,5`). For
    `own_names`, see `region_of`."""
    if written := re.fullmatch(r"1(\D)234(\D)5", number):
        use(replace(_region, thousands=_sign(written[1], ","), decimal=_sign(written[2], ".")))
    named = [environ.get("LC_ALL") or environ.get(name) or environ.get("LANG") or "C" for name in _CATEGORIES]
    if all(map(_is_plain, named)):
        return
    import locale  # a plain locale needs nothing of it

    first = first_day_of(named[0])
    use(replace(_region, week_begins=first))  # it follows from the territory, even if that locale isn't installed
    with suppress(locale.Error, ValueError, UnicodeError):
        before = locale.setlocale(locale.LC_TIME), locale.setlocale(locale.LC_NUMERIC)
        try:
            locale.setlocale(locale.LC_TIME, named[0])
            locale.setlocale(locale.LC_NUMERIC, named[1])
            words = {name: locale.nl_langinfo(getattr(locale, name)) for name in _WORDS}
            numbers = locale.localeconv()
        finally:
            locale.setlocale(locale.LC_TIME, before[0])
            locale.setlocale(locale.LC_NUMERIC, before[1])
        found = region_of(words, numbers, own_names=own_names and not named[0].startswith("en"))
        plain = Region(thousands=found.thousands, decimal=found.decimal)
        use(replace(plain if _is_plain(named[0]) else found, week_begins=first))


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"(C|POSIX)(\..*)?", name) is not None


_CATEGORIES = ("LC_TIME", "LC_NUMERIC")
_WORDS = (
    "D_FMT", "D_T_FMT", "T_FMT", "AM_STR", "PM_STR",
    *(f"ABMON_{n}" for n in range(1, 13)), *(f"ABDAY_{n}" for n in range(1, 8)),
)  # fmt: skip


def region_of(words: Mapping[str, str], numbers: Mapping[str, object], *, own_names: bool = True) -> Region:
    """The region according to the values of `nl_langinfo`, by name, and of `localeconv`. Without `own_names`, months
    and days have Earmark's names, which are in the language of its sentences."""
    dates = _expanded(words["D_FMT"])
    order = _order(dates)
    if order == "ymd" and len(with_word := _order(re.sub("%m", "", _expanded(words["D_T_FMT"])))) == 3:
        order = with_word  # Swedish dates are 2024-04-12 in figures, and 12 apr 2024 in words
    months = _names([words[f"ABMON_{n}"] for n in range(1, 13)])
    days = _names([words[f"ABDAY_{n}"] for n in (2, 3, 4, 5, 6, 7, 1)])
    halves = tuple(word.strip() for word in (words["AM_STR"], words["PM_STR"]) if word.strip())
    hours = _expanded(words["T_FMT"])
    return Region(
        order=order if len(order) == 3 else "dmy",
        dotted=bool(re.search(r"%[de]\.", dates)),
        months=months if own_names else (),
        days=days if own_names else (),
        halves=halves if len(halves) == 2 and re.search("%[-_0]?[Il]", hours) else (),
        thousands=_sign(numbers.get("thousands_sep"), ""),
        decimal=_sign(numbers.get("decimal_point"), "."),
    )


def time_of_day(moment: datetime | time) -> str:
    """`18:05`, or `6:05 PM`. A datetime with a time zone is shown in the time zone of this computer."""
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        moment = moment.astimezone()
    if not _region.halves:
        return f"{moment.hour:02}:{moment.minute:02}"
    return f"{moment.hour % 12 or 12}:{moment.minute:02} {_region.halves[moment.hour // 12]}"


def hour_of_day(hour: int) -> str:
    """`18` or `6 PM`."""
    return f"{hour % 12 or 12} {_region.halves[hour // 12]}" if _region.halves else f"{hour:02}"


def _expanded(pattern: str) -> str:
    return re.sub("%[DFTRr]", lambda found: _DIRECTIVES[found[0]], re.sub("%[-_0^#EO]", "%", pattern))


def _order(pattern: str) -> str:
    """`dmy` and the like; fewer letters if a part is missing."""
    return "".join(dict.fromkeys(_PARTS[letter] for letter in re.findall("%(.)", pattern) if letter in _PARTS))


def _names(names: Sequence[str]) -> tuple[str, ...]:
    """The names, cut to at most five cells; none if they aren't words of narrow letters, or can't be told apart once
    cut."""
    from unicodedata import east_asian_width

    clean = tuple(name.strip().rstrip(".")[:_MOST_CELLS] for name in names)
    narrow = all(east_asian_width(letter) not in "WF" for name in clean for letter in name)
    words = all(name.isalpha() for name in clean)
    return clean if words and narrow and len(set(clean)) == len(names) else ()


def _sign(value: object, otherwise: str) -> str:
    """The value if it is one printable character, with any space as a no-break space; else `otherwise`."""
    if not isinstance(value, str) or len(value) != 1:
        return otherwise
    return "\u00a0" if value.isspace() else value if value.isprintable() else otherwise


MONDAY, FRIDAY, SATURDAY, SUNDAY = 0, 4, 5, 6
_FIRST_DAYS = {
    FRIDAY: "MV",
    SATURDAY: "AE AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY",
    SUNDAY: (
        "AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH"
        " PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW"
    ),
}
_LOCALE = re.compile(r"[A-Za-z]{2,3}(?:_[A-Z][a-z]{3})?[_-]([A-Z]{2})(?![A-Za-z])")
"""As in `en_US.UTF-8`, `sr_Latn_RS`, `de_AT@euro`."""


def first_day_of(locale_name: str) -> int:
    """The first day of the week in the territory of a locale, as in `date.weekday`: Monday is 0. Monday if the name has
    no territory."""
    found = _LOCALE.match(locale_name)
    territory = found[1] if found else ""
    return next((day for day, territories in _FIRST_DAYS.items() if territory in territories.split()), MONDAY)

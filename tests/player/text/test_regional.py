"""Dates, times and numbers as written in several countries; their locales needn't be on this computer."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from gettext import NullTranslations
from locale import LC_NUMERIC, LC_TIME, setlocale

import pytest

from player.text import regional, times
from player.text.regional import Region, region_of, time_of_day
from player.text.sentences import plural, use
from player.text.sizes import size_label
from tui.drawing.labels import count, short_date

DAY = date(2026, 4, 12)


def _words(formats: str, months: str, days: str, halves: str = "AM PM") -> dict[str, str]:
    """`nl_langinfo` as glibc answers; `formats` are D_FMT, D_T_FMT and T_FMT."""
    names = dict(zip(("D_FMT", "D_T_FMT", "T_FMT"), formats.split("|"), strict=True))
    am, _, pm = halves.partition(" ")
    names |= {"AM_STR": am, "PM_STR": pm}
    names |= {f"ABMON_{n}": month for n, month in enumerate(months.split(), 1)}
    return names | {f"ABDAY_{n}": day for n, day in enumerate(days.split(), 1)}


_ENGLISH = ("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "Sun Mon Tue Wed Thu Fri Sat")
_COMMA = {"thousands_sep": ",", "decimal_point": "."}
REGIONS = {
    "C": Region(),
    "en_US": region_of(_words("%m/%d/%Y|%a %d %b %Y %r %Z|%r", *_ENGLISH), _COMMA, own_names=False),
    "en_GB": region_of(_words("%d/%m/%y|%a %d %b %Y %T %Z|%T", *_ENGLISH, "am pm"), _COMMA, own_names=False),
    "de_DE": region_of(
        _words(
            "%d.%m.%Y|%a %d %b %Y %T %Z|%T",
            "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
            "So Mo Di Mi Do Fr Sa",
            " ",
        ),
        {"thousands_sep": ".", "decimal_point": ","},
    ),
    "fr_FR": region_of(
        _words(
            "%d/%m/%Y|%a %d %b %Y %T|%T",
            "janv. févr. mars avril mai juin juil. août sept. oct. nov. déc.",
            "dim. lun. mar. mer. jeu. ven. sam.",
            " ",
        ),
        {"thousands_sep": "\u202f", "decimal_point": ","},
    ),
    "sv_SE": region_of(
        _words("%Y-%m-%d|%a %e %b %Y %H:%M:%S|%H:%M:%S", *_ENGLISH), {"thousands_sep": " ", "decimal_point": ","}
    ),
    "ja_JP": region_of(
        _words(
            "%Y年%m月%d日|%Y年%m月%d日 %H時%M分%S秒|%H時%M分%S秒",
            "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
            "日 月 火 水 木 金 土",
            "午前 午後",
        ),
        _COMMA,
    ),
}


@pytest.fixture(params=REGIONS)
def where(request: pytest.FixtureRequest) -> Iterator[str]:
    back = regional.use(REGIONS[request.param])
    yield request.param
    back()


def test_a_date_has_the_order_and_the_names_of_its_country(where: str) -> None:
    assert times.day_month_year(DAY) == {
        "en_US": "Apr 12, 2026", "de_DE": "12. Apr 2026", "fr_FR": "12 avril 2026", "ja_JP": "2026 Apr 12",
    }.get(where, "12 Apr 2026")  # fmt: skip
    assert times.weekday_name(DAY) == {"de_DE": "So", "fr_FR": "dim"}.get(where, "Sun")


class Dotted(NullTranslations):
    """A language that has a full stop after the number of a day."""

    def gettext(self, message: str) -> str:
        return message.replace("{day}", "{day}.")


def test_a_day_has_one_full_stop_where_both_country_and_language_have_it(where: str) -> None:
    back = use(Dotted())
    try:
        assert "12." in times.day_month_year(DAY)
        assert "12.." not in times.day_month_year(DAY)
    finally:
        back()


def test_a_time_of_day_has_12_hours_only_where_people_write_them(where: str) -> None:
    shown = [time_of_day(one) for one in (time(0, 5), time(12, 0), time(18, 40))]
    assert shown == (["12:05 AM", "12:00 PM", "6:40 PM"] if where == "en_US" else ["00:05", "12:00", "18:40"])


def test_thousands_are_separated_as_in_the_country_in_sentences_and_alone(where: str) -> None:
    sign = {"de_DE": ".", "fr_FR": "\u00a0", "sv_SE": "\u00a0"}.get(where, ",")
    assert plural(1058, "{n:,} episode", "{n:,} episodes") == f"1{sign}058 episodes"
    assert count(1058, "episode", "episodes") == f"1{sign}058 episodes"
    assert plural(7, "{n} day", "{n} days") == "7 days"
    assert size_label(1_500_000) == ("1,5 MB" if where in ("de_DE", "fr_FR", "sv_SE") else "1.5 MB")


def test_a_date_of_this_year_keeps_to_its_column(where: str) -> None:
    moment = datetime(2026, 4, 12, 12, tzinfo=UTC)
    assert len(short_date(moment, date(2026, 11, 20), 6)) <= 6


def test_hostile_or_missing_words_of_a_locale_are_left_to_earmark() -> None:
    odd = region_of(
        _words("%x|%c|%X", "\x1b[2J a b c d e f g h i j k", "x x x x x x x"), {"thousands_sep": "\x1b", "other": 3}
    )
    assert odd == Region(thousands="", months=(), days=())


@pytest.mark.parametrize("name", ["", "C", "POSIX", "C.UTF-8", "xx_XX.UTF-8"])
def test_a_plain_or_unknown_locale_changes_nothing(name: str) -> None:
    before = regional.region(), setlocale(LC_TIME), setlocale(LC_NUMERIC)
    regional.adopt({"LC_ALL": name})
    assert (regional.region(), setlocale(LC_TIME), setlocale(LC_NUMERIC)) == before

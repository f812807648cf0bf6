"""A year of listening, and the sentences that its page and its review share."""

from collections.abc import Mapping
from datetime import date, timedelta

from msgspec import Struct

from player.library.history.totals import ListeningTotals
from player.text.durations import long_time
from player.text.sentences import _, plural
from tui.drawing.labels import day_words

MOST_PODCASTS = 10
_LEAST_SAVED_MS = 60_000


class YearOfListening(Struct, frozen=True):
    """`per_day` has the listening time of each day of all years, in ms; days without listening aren't in it."""

    year: int
    totals: ListeningTotals
    per_day: Mapping[date, int]
    today: date

    @property
    def years(self) -> dict[int, int]:
        """How much was heard in each year, in ms, the earliest first."""
        found: dict[int, int] = {}
        for day, ms in self.per_day.items():
            found[day.year] = found.get(day.year, 0) + ms
        return dict(sorted(found.items()))

    def between(self, first: date, last: date) -> int:
        return sum(self.per_day.get(first + timedelta(days=number), 0) for number in range((last - first).days + 1))


def longest_words(found: YearOfListening, today: date | None = None) -> str:
    """The day with the most listening, and the most days in a row; "" for a year without any.

    Without a `today` the day is written with its date and year, whenever it is read.
    """
    longest = found.totals.longest
    if longest is None:
        return ""
    time, day = long_time(longest.real_ms), day_words(longest.day, today or date.min)
    words = _("The most on one day: {time} ({day}).", time=time, day=day)
    if found.totals.streak > 1:
        words += " " + plural(found.totals.streak, "{n} day in a row.", "{n} days in a row.")
    return words


def saved_words(totals: ListeningTotals) -> list[str]:
    """What speed and skipping saved the listener. Spans can't tell a skipped intro from a manual jump."""
    words = []
    faster = totals.content_ms - totals.real_ms
    if faster >= _LEAST_SAVED_MS:
        words.append(
            _(
                "Playing faster saved {time}: you heard {content} in {real}.",
                time=long_time(faster),
                content=long_time(totals.content_ms),
                real=long_time(totals.real_ms),
            )
        )
    if totals.skipped_ms >= _LEAST_SAVED_MS:
        time = long_time(totals.skipped_ms)
        words.append(_("You passed over {time} of the episodes that you finished, by jumps and skips.", time=time))
    return words

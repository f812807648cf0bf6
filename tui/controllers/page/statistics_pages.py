"""The pages of statistics, read from the library."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

from player.errors import EarmarkError
from player.library import Library
from player.player import Player
from player.text.sentences import _
from tui.controllers.page.about_pages import Build
from tui.drawing.statistics.review import year_in_review
from tui.drawing.statistics.sheet import statistics_sheet
from tui.drawing.statistics.year import YearOfListening


def read_year(library: Library, year: int, today: date) -> YearOfListening:
    """Reads all of the history."""
    totals = library.history.totals(date(year, 1, 1), date(year, 12, 31), today)
    return YearOfListening(year, totals, totals.per_day, today)


def statistics(player: Player, year: int, today: date, words: tuple[str, str]) -> Callable[[], Build]:
    """`words` are shown where nothing was ever heard, and where there are other years."""

    def read() -> Build:
        found = read_year(player.library, year, today)
        return lambda look: statistics_sheet(found, *words, look.columns, look.glyphs, tinted=look.tinted)

    return read


def save_year(library: Library, year: int, today: date, path: Path) -> None:
    """Writes the year's review. Raises EarmarkError."""
    text = year_in_review(read_year(library, year, today))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EarmarkError(
            _("{file} can't be written: {reason}", file=path, reason=error.strerror or error), _("Choose another file.")
        ) from error

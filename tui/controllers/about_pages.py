"""Reads the pages about a podcast or a person, and the page of statistics, from the library."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from player.errors import EarmarkError
from player.library import Library
from player.model.episode import EpisodeId, Person
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.player import Player
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.drawing.about.blocks import Block, sheet_of
from tui.drawing.about.sheet import Build, Look, PodcastPage, about_sheet, people_sheet, person_sheet
from tui.drawing.cells import width
from tui.drawing.episode_tabs import TextPage
from tui.drawing.fields import change_in_words
from tui.drawing.podcast_fields import fields
from tui.drawing.runs import Line, Run, wrap
from tui.drawing.statistics import YearOfListening, statistics_sheet, year_in_review

if TYPE_CHECKING:
    from player.sounds.repeats import Repeat

_LATEST = 5
_MOST_REPEATS = 5
_MOST_WORDS = 200
_TEXT_COLUMNS = 80
_ROLES = {"heading": "title", "code": "muted"}


def show(player: Player, podcast_id: PodcastId) -> Callable[[], Build]:
    """Reads the page about a podcast."""

    def read() -> Build:
        library = player.library
        facts = library.statistics.facts(podcast_id)
        latest = [one for one in _newest(library, podcast_id) if one not in facts.best]
        own = None if facts.podcast.previewed else _own_settings(player, podcast_id)
        rows = library.episodes.rows
        return partial(about_sheet, PodcastPage(facts, rows(facts.best), rows(latest), own))

    return read


def repeats(player: Player, podcast_id: PodcastId, goes_on: Callable[[], bool]) -> "tuple[Repeat, ...]":
    """What is repeated in a podcast and isn't marked, with what is said there. Computes for a second or two, as long as
    it `goes_on`. Raises LibraryError."""
    from player.clips.words import said_between
    from player.sounds.repeats import repeats_in

    found = repeats_in(player.library, podcast_id, player.services.measuring.sound, goes_on)[:_MOST_REPEATS]
    transcript = player.attachments.transcript
    words = [said_between(transcript(one.episode_id), one.start_ms, one.end_ms) for one in found]
    return tuple(replace(one, words=clean_line(said, _MOST_WORDS)) for one, said in zip(found, words, strict=True))


def person(player: Player, name: str, url: str = "") -> Callable[[], Build]:
    """Reads the page about a person: the episodes in which they appear."""

    def read() -> Build:
        library = player.library
        return partial(person_sheet, name, url, library.episodes.rows(library.statistics.episodes_with(name)))

    return read


def documentation(name: str, heading: str) -> Callable[[], Build]:
    """Reads a page of the documentation, from the section with this heading on."""

    def read() -> Build:
        from tui import manual

        page = manual.page(name)
        return partial(_documentation_sheet, manual.from_heading(page, heading) if page else "")

    return read


def _documentation_sheet(source: str, look: Look) -> TextPage:
    from tui import manual

    lines: list[Line] = []
    for text, kind in manual.rendered(source, min(look.columns, _TEXT_COLUMNS)):
        run = Run(text, _ROLES.get(kind, ""))
        if kind != "rule":
            lines += [(run,)] if width(text) <= look.columns else wrap([run], look.columns)
    return sheet_of(Block(lines))


def several(people: Sequence[Person]) -> Callable[[], Build]:
    """A page of people to choose from."""
    return lambda: partial(people_sheet, people)


def _newest(library: Library, podcast_id: PodcastId) -> list[EpisodeId]:
    return [EpisodeId(one) for one in library.episodes.ids(View.of(ViewName.PODCAST, podcast_id), _LATEST)]


def _own_settings(player: Player, podcast_id: PodcastId) -> tuple[str, ...]:
    """A sentence for each setting of the podcast that differs from the default."""
    settings = player.library.podcast_settings.get(podcast_id)
    shown = fields(inbox=player.settings.inbox.enabled).values()
    return tuple(change_in_words(field, settings) for field in shown if field.differs(settings))


def read_year(library: Library, year: int, today: date) -> YearOfListening:
    """Reads the listening of a year from the whole history."""
    totals = library.history.totals(date(year, 1, 1), date(year, 12, 31), today)
    return YearOfListening(year, totals, totals.per_day, today)


def statistics(player: Player, year: int, today: date, words: tuple[str, str]) -> Callable[[], Build]:
    """Reads the page of statistics. `words` are shown if nothing was ever heard, and beside the list of years."""

    def read() -> Build:
        found = read_year(player.library, year, today)
        return lambda look: statistics_sheet(found, *words, look.columns, look.glyphs, tinted=look.tinted)

    return read


def save_year(library: Library, year: int, today: date, path: Path) -> None:
    """Writes the year's review. Raises EarmarkError."""
    text = year_in_review(read_year(library, year, today))
    try:
        path.touch(0o600)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EarmarkError(
            _("{file} can't be written: {reason}", file=path, reason=error.strerror or error), _("Choose another file.")
        ) from error

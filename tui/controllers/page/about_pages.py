"""The pages about a podcast or a person, read from the library."""

from collections.abc import Callable, Sequence
from functools import partial

from player.model.extras import Person
from player.model.podcast import PodcastId
from player.player import Player
from tui.drawing.episode_tabs import TextPage
from tui.drawing.podcast_pages import about_sheet, people_sheet, person_sheet
from tui.look.glyphs import Glyphs

Build = Callable[[int, Glyphs], TextPage]
"""Builds the page for that many columns of text."""


def show(player: Player, podcast_id: PodcastId) -> Callable[[], Build]:
    """Reads what is known about a podcast."""

    def read() -> Build:
        facts = player.library.statistics.facts(podcast_id)
        return partial(about_sheet, facts, player.library.episodes.rows(facts.best))

    return read


def person(player: Player, name: str, url: str = "") -> Callable[[], Build]:
    """Reads the episodes in which a person is heard."""

    def read() -> Build:
        library = player.library
        return partial(person_sheet, name, url, library.episodes.rows(library.statistics.episodes_with(name)))

    return read


def several(people: Sequence[Person]) -> Callable[[], Build]:
    """A page of people to choose from."""
    return lambda: partial(people_sheet, people)

"""What the pages about a podcast or a person tell, read from the library."""

from collections.abc import Callable, Sequence
from functools import partial

from player.model.extras import Person
from player.model.podcast import PodcastId
from player.player import Player
from tui.drawing.episode_tabs import TextPage
from tui.drawing.podcast_pages import about_sheet, people_sheet, person_sheet
from tui.look.glyphs import Glyphs

Build = Callable[[int, Glyphs], TextPage]
"""Makes the page, for so many columns of text."""


def show(player: Player, podcast_id: PodcastId) -> Callable[[], Build]:
    """Reads what is told of a podcast."""

    def read() -> Build:
        facts = player.library.statistics.facts(podcast_id)
        return partial(about_sheet, facts, player.library.episodes.rows(facts.best))

    return read


def person(player: Player, name: str, url: str = "") -> Callable[[], Build]:
    """Reads in what somebody is heard."""

    def read() -> Build:
        library = player.library
        return partial(person_sheet, name, url, library.episodes.rows(library.statistics.episodes_with(name)))

    return read


def several(people: Sequence[Person]) -> Callable[[], Build]:
    """Somebody to choose."""
    return lambda: partial(people_sheet, people)

"""When the page beside the list is brought, and when it is left as it is."""

from typing import Any, cast

import pytest

from player.model.episode import Episode
from tests.tui.controllers.fake import Calls, FakeUi, episode
from tui.controllers.page import NotesController, PageController
from tui.widgets.episode_list import EpisodeList
from tui.widgets.episode_page import EpisodePage


class Cursor:
    episode: Episode | None = None
    is_awaited = False


class Notes:
    def __init__(self) -> None:
        self.made: list[tuple[Any, ...]] = []
        self.ui, self.cursor = FakeUi(), Cursor()
        self.page, self.pages = Calls(self.made), Calls(self.made, read_notes="words", begin_notes="words")
        self.page.display = True  # type: ignore[attr-defined]
        self.page.shown = None  # type: ignore[attr-defined]
        self.controller = NotesController(
            self.ui,
            cast(EpisodePage, self.page),
            cast(PageController, self.pages),
            cast(EpisodeList, self.cursor),
        )

    def show(self, shown: Episode | None) -> list[tuple[Any, ...]]:
        """What is done with the page when the cursor is there."""
        self.made.clear()
        self.cursor.episode = shown
        self.controller.show()
        return list(self.made)


def test_an_episode_is_brought_once_until_what_is_shown_may_be_old() -> None:
    notes = Notes()
    assert notes.show(episode(1)) == [("bring", episode(1))]
    assert notes.show(episode(1)) == []
    assert notes.show(episode(2)) == [("bring", episode(2))]
    notes.controller.forget()
    assert notes.show(episode(2)) == [("bring", episode(2))]


def test_the_first_frame_shows_the_notes_that_were_read_along_with_its_rows() -> None:
    notes = Notes()
    notes.ui.held = True
    notes.controller.read_first(episode())
    assert notes.show(episode()) == [("show", episode(), "words")]


async def test_notes_out_of_sight_are_read_for_the_page_that_may_open() -> None:
    notes = Notes()
    notes.page.display = False  # type: ignore[attr-defined]
    assert notes.show(episode()) == []
    assert notes.controller.known(episode()) is None
    await notes.ui.finish()
    assert notes.controller.known(episode()) == "words"


def test_without_an_episode_the_page_says_something_else_and_what_was_being_read_is_dropped() -> None:
    notes = Notes()

    async def nothing() -> None:
        """What would have been read."""

    notes.ui.in_background(nothing, "page")
    assert notes.show(None) == [("show_words", ("No episodes",))]
    assert notes.ui.work == {}


@pytest.mark.parametrize("hidden", [True, False])
def test_a_page_out_of_sight_and_a_row_that_is_still_read_bring_nothing(hidden: bool) -> None:
    notes = Notes()
    notes.page.display = not hidden  # type: ignore[attr-defined]
    notes.cursor.is_awaited = not hidden
    assert notes.show(episode()) == []

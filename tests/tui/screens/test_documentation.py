"""The documentation in the app: found in the list of commands, and read on a page."""

import pytest

from tests.tui.stage import stocked
from tui import manual
from tui.screens.about import AboutScreen


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_a_section_is_found_by_a_word_and_read_from_there(size: tuple[int, int]) -> None:
    word = "fades"
    passage = manual.passages([word])[0]
    async with stocked(size) as stage:
        await stage.press("?", *word)
        await stage.until(lambda: stage.shows("PAGES"), "the heading")
        rows = stage.app.screen.commands  # type: ignore[attr-defined]
        titles = [row.title for row in rows._rows if not row.heading]
        assert passage.heading in titles
        for _step in titles:
            if rows.chosen.title == passage.heading:
                break
            await stage.press("down")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen), "the page")
        await stage.until(lambda: stage.shows(passage.heading), "its section")
        await stage.press("escape")
        await stage.until(lambda: not isinstance(stage.app.screen, AboutScreen), "the list again")

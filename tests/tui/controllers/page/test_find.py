"""Finding words on a page: the line to type in, and the keys that go from match to match."""

from typing import Any, cast

import pytest

from tests.tui.controllers.fake import FakeUi
from tests.tui.stage import opened, stocked_player
from tui.controllers.links import FindController
from tui.dialogs.find_in_page import FindInPage
from tui.widgets.cursor_page import CursorPage


class Page:
    """Two lines with the words that are looked for."""

    def __init__(self, entry: Any = "entry") -> None:
        self.findable = entry is not None
        self.found = ""
        self.steps: list[int] = []

    def find(self, words: str, step: int = 0) -> tuple[int, int]:
        self.found = words
        self.steps.append(step)
        return 1, 2


def finding(page: Page, *, on_page: bool = True) -> tuple[FindController, FakeUi]:
    ui = FakeUi()
    ui.on_page = on_page
    return FindController(ui, cast(CursorPage, page)), ui


def test_a_page_without_text_has_nothing_to_find() -> None:
    controller, ui = finding(Page(entry=None))
    assert not controller.open()
    assert ui.dialog is None


def test_words_stay_marked_after_enter_and_go_after_escape() -> None:
    page = Page()
    controller, ui = finding(page)
    assert controller.open()
    assert isinstance(ui.dialog, FindInPage)
    page.find("loop")
    ui.answer(True)
    assert page.found == "loop"
    assert ui.messages[-1].startswith("“loop” 1 of 2")
    ui.answer(False)
    assert page.found == ""


@pytest.mark.parametrize(("key", "step"), [("n", 1), ("N", -1)])
def test_n_goes_from_match_to_match_while_words_are_marked(key: str, step: int) -> None:
    page = Page()
    controller, _ = finding(page)
    assert not controller.takes(key, key)
    page.find("loop")
    assert controller.takes(key, key)
    assert page.steps[-1] == step
    assert not controller.takes("x", "x")
    assert controller.takes("escape", None)
    assert page.found == ""


def test_keys_for_another_pane_are_not_taken() -> None:
    page = Page()
    controller, _ = finding(page, on_page=False)
    page.find("loop")
    assert not controller.takes("n", "n")


def looks(page: CursorPage, words: str) -> list[str]:
    """How each match in sight looks, from top to bottom, also without colours."""
    segments = (one for y in range(page.size.height) for one in page.render_line(y) if one.text.lower() == words)
    styles = [one.style for one in segments if one.style is not None]
    return ["reverse" if one.reverse else "underline" if one.underline else "" for one in styles]


@pytest.mark.parametrize("theme", ["ink", "paper", "ansi"])
async def test_the_current_match_stands_out_from_the_others(theme: str) -> None:
    async with opened(stocked_player(theme=theme), (80, 30)) as stage:
        await stage.press("v")
        page = stage.app.screen.query_one(CursorPage)
        await stage.press("slash", *"passes")
        seen = looks(page, "passes")
        assert len(seen) > 2
        for number in range(len(seen)):
            assert looks(page, "passes") == ["reverse" if at == number else "underline" for at in range(len(seen))]
            await stage.press("down")


async def test_the_entry_with_the_current_match_stands_out() -> None:
    async with opened(stocked_player(), (80, 30)) as stage:
        await stage.press("v", "2")
        page = stage.app.screen.query_one(CursorPage)
        await stage.press("slash", "e", "down")
        seen = looks(page, "e")
        entry = page.entry
        assert entry is not None
        assert seen.count("reverse") == entry.text.lower().count("e")
        assert "underline" in seen

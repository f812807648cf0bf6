"""Selecting text with the mouse, on every page that is text: drags, double and triple clicks, and what is copied."""

import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual import events

from tests.tui.stage import Stage, stocked
from tui.app import EarmarkApp
from tui.terminal import clipboard
from tui.widgets.page_view import PageView

TEXT = "The post-grad passes run once the graph has been made functional and split into forward and backward, so"


@pytest.fixture(autouse=True)
def _only_the_terminal_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "programs", lambda _environ: [])
    monkeypatch.setenv("TERM", "xterm-256color")


def page_of(stage: Stage) -> PageView:
    return stage.app.screen.query(PageView).first()


def at(stage: Stage, words: str) -> tuple[int, int]:
    """The cell of the screen where these words begin, on the page."""
    page = page_of(stage)
    for y, line in enumerate(stage.lines()):
        if words in line[page.region.x : page.region.right]:
            return page.region.x + line[page.region.x :].index(words), y
    raise AssertionError(f"{words!r} isn't shown")


async def drag(stage: Stage, start: tuple[int, int], *ends: tuple[int, int], release: bool = True) -> None:
    page = page_of(stage)
    steps = [(events.MouseDown, start), *((events.MouseMove, end) for end in ends)]
    if release:
        steps.append((events.MouseUp, ends[-1]))
    for kind, (x, y) in steps:
        await stage.pilot._post_mouse_events([kind], page, (x - page.region.x, y - page.region.y), button=1)
    await stage.settle()


async def test_drags_and_clicks_select_and_copy() -> None:
    async with stocked((120, 40)) as stage:
        await looks_different(stage, is_reversed=False)
        stage.app.console._color_system = ColorSystem.STANDARD
        await looks_different(stage, is_reversed=True)
        stage.app.console._color_system = ColorSystem.TRUECOLOR

        (x, y), (_, end) = at(stage, "The post-grad"), at(stage, "forward")
        await drag(stage, (x, y), (x + 5, y + 1), (119, end))
        copied = stage.app.clipboard
        assert TEXT.startswith(copied.rpartition(" ")[0])
        assert "\n" not in copied, "as it was written"
        assert stage.news == f"Copied {len(copied)} characters"
        await stage.press("escape")
        assert page_of(stage).selection is None
        assert stage.panes == ["sidebar", "pane", "notes"], "esc ended the selection and nothing else"

        x, y = at(stage, "post-grad")
        await stage.pilot.click(offset=(x, y), times=2)
        await stage.settle()
        assert (stage.app.clipboard, stage.news) == ("post-grad", "Copied 9 characters")
        stage.app._clipboard = ""
        await stage.press("y")
        assert stage.app.clipboard == "post-grad", "y copies it again"
        await stage.press("escape", "y")
        assert stage.app.clipboard.startswith("http"), "without a selection, the link"

        await stage.pilot.click(offset=(x, y), times=3)
        await stage.settle()
        assert stage.app.clipboard.startswith(TEXT), "the paragraph"
        assert "\n" not in stage.app.clipboard
        await drag(stage, (x + 8, y), (x, y))
        assert stage.app.clipboard == "post-grad", "backwards"

        followed: list[str] = []
        stage.screen.parts.pages.follow = followed.append  # type: ignore[method-assign, assignment]
        x, y = at(stage, "Lowering guide")
        await drag(stage, (x, y), (x + 7, y), (x + 13, y))
        assert (stage.app.clipboard, followed) == ("Lowering guide", []), "a drag that ends on a link opens nothing"
        await stage.pilot.click(offset=(x, y))
        assert len(followed) == 1


async def test_dragging_past_the_edge_scrolls_and_selects_on() -> None:
    async with stocked((120, 14)) as stage:
        page = page_of(stage)
        x, y = at(stage, "The post-grad")
        await drag(stage, (x, y), (x, page.region.bottom), release=False)
        await stage.until(lambda: page.scroll_offset.y == page.max_scroll_y, "the end")
        await stage.pilot._post_mouse_events([events.MouseUp], page, (x - page.region.x, page.size.height), button=1)
        await stage.settle()
        assert stage.app.clipboard.startswith(TEXT)
        assert stage.app.clipboard.endswith("custom_pre_pass = p")


async def test_every_page_of_text_can_be_selected() -> None:
    async with stocked((120, 40)) as stage:
        for key in "v2i":
            await stage.press(key)
            page = page_of(stage)
            row = next(y for y in range(3, page.size.height) if len(page.render_line(y).text.strip()) > 12)
            text = page.render_line(row).text
            x = page.content_region.x + len(text) - len(text.lstrip())
            stage.app._clipboard = ""
            await drag(stage, (x, page.content_region.y + row), (x + 9, page.content_region.y + row))
            assert stage.app.clipboard, key
            assert stage.app.clipboard.strip() in text, key
            await stage.press("escape", "escape")


async def test_other_buttons_do_nothing_and_what_changes_under_a_selection_ends_it() -> None:
    async with stocked((120, 40)) as stage:
        title, before = stage.title, stage.lines()
        for button in (2, 3):
            for where in ("#episodes", "#notes", "#sidebar", "#bar", "#footer"):
                await stage.pilot.click(where, offset=(12, 0), button=button, times=2)
                await stage.settle()
        assert (stage.title, stage.lines()[:-5]) == (title, before[:-5])
        assert page_of(stage).selection is None

        x, y = at(stage, "post-grad")
        await drag(stage, (x, y), (x + 4, y + 1))
        assert page_of(stage).selection
        await stage.resize(180, 40)
        page = page_of(stage)
        assert page.selection is None
        x, y = at(stage, "post-grad")
        await drag(stage, (x, y), (x + 4, y + 1))
        await stage.press("J")
        assert page.selection is None


async def test_selected_text_looks_different_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with stocked((120, 40)) as stage:
        await looks_different(stage, is_reversed=True)


async def looks_different(stage: Stage, *, is_reversed: bool) -> None:
    x, y = at(stage, "post-grad")
    page = page_of(stage)
    before = _styles(page, y - page.region.y)
    await drag(stage, (x, y), (x + 4, y))
    after = _styles(page, y - page.region.y)
    changed = {cell for cell, (one, other) in enumerate(zip(before, after, strict=True)) if one != other}
    assert changed == set(range(x - page.region.x, x - page.region.x + 5))
    assert not is_reversed or all(after[cell].reverse for cell in changed)
    await stage.press("escape")


def _styles(page: PageView, y: int) -> list[Style]:
    return [segment.style or Style() for segment in page.render_line(y) for _ in range(segment.cell_length)]


def test_a_second_click_counts_as_double_within_400_ms() -> None:
    assert EarmarkApp.CLICK_CHAIN_TIME_THRESHOLD == 0.4

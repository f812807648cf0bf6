"""Lists and pages cost a frame little, and look as Textual would draw them."""

import pytest
from textual.geometry import Region
from textual.scroll_view import ScrollView

from tests.quick import mostly_long
from tests.tui.stage import Stage, stocked
from tui.framework.rendering import LineView


def looks_as_textual_draws_it(view: LineView) -> bool:
    size = view.outer_size
    for crop in (size.region, Region(3, 2, size.width - 5, size.height - 4)):
        kept = [list(strip.simplify()) for strip in view.render_lines(crop)]
        view._styles_cache.clear()
        fresh = [list(strip.simplify()) for strip in ScrollView.render_lines(view, crop)]
        if kept != fresh:
            return False
    return True


@pytest.mark.parametrize("size", mostly_long([((120, 14),), ((120, 40),), ((160, 60),)]))
async def test_whatever_keys_do_a_kept_line_is_the_one_that_would_be_drawn(size: tuple[int, int]) -> None:
    async with stocked(size, drawn=True) as stage:
        for key in (
            *("G", "g", "ctrl+d", "j", "k", "s", "m", "l", "G", "k"),
            *("h", "h", "G", "g", "j", "l", "t", "/", "i", "escape"),
        ):
            await stage.press(key)
            for view in stage.screen.query(LineView):
                assert not view.display or looks_as_textual_draws_it(view), (key, view)


async def test_a_page_with_a_border_is_left_to_textual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with stocked(drawn=True) as stage:
        await stage.press("question_mark")
        assert looks_as_textual_draws_it(stage.screen.query_one(LineView))


async def test_lists_and_pages_of_another_length_lay_nothing_out_anew() -> None:
    async with stocked(drawn=True) as stage:
        layouts = laid_out(stage)
        await stage.press("j", "G", "k", "g", "h", "j", "G", "l", "G")
        assert stage.screen.query_one("#notes", LineView).virtual_size.height > 3
        assert layouts == []


async def test_the_scrollbar_knows_of_the_other_length_and_the_page_ends_where_it_ends() -> None:
    async with stocked((120, 16), drawn=True) as stage:
        notes = stage.screen.query_one("#notes", LineView)
        await stage.press("l", "G")
        assert notes.vertical_scrollbar.window_virtual_size == notes.virtual_size.height > notes.size.height
        assert notes.scroll_offset.y == notes.max_scroll_y > 0
        await stage.press("h", "j")
        assert notes.vertical_scrollbar.window_virtual_size == notes.virtual_size.height <= notes.size.height
        assert notes.scroll_offset.y == 0


def laid_out(stage: Stage) -> list[object]:
    """Grows with each layout of the screen."""
    layouts: list[object] = []
    stage.screen.screen_layout_refresh_signal.subscribe(stage.screen, layouts.append, immediate=True)
    return layouts

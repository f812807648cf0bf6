"""Lists with rows of two lines and date headings: the cursor goes from row to row, whatever stands between them."""

import pytest
from msgspec.structs import replace
from textual.events import MouseDown, MouseMove, MouseUp

from player.model.filters import ViewName
from player.settings import Appearance
from tests.tui.stage import QUIET, Stage, stocked


async def everything(stage: Stage) -> None:
    await stage.press(*stage.way_to(ViewName.ALL), "l", "g")


def has_headings(stage: Stage) -> bool:
    return stage.episodes._lines.has_headings


def line_of(stage: Stage, words: str) -> int:
    """Of the list, the line with these words, counted from its top."""
    left, right = stage.episodes.region.x, stage.episodes.region.right
    return next(at for at, line in enumerate(stage.lines()) if words in line[left:right]) - stage.episodes.region.y


async def test_keys_step_over_headings_and_the_mouse_rests_on_rows_alone() -> None:
    async with stocked((120, 40)) as stage:
        await everything(stage)
        episodes = stage.episodes
        assert line_of(stage, "Today") == 0
        assert line_of(stage, "Compiler collectives") == 1
        assert line_of(stage, "▎PyTorch Developer Podcast · today · 16m") == 2
        await stage.press("j")
        assert (episodes.cursor, stage.title) == (1, "TORCH_TRACE and tlparse")
        for words in ("Yesterday", "This week"):
            for line in (line_of(stage, words), line_of(stage, words) - 1):
                await stage.pilot.click("#episodes", offset=(4, line))
                assert episodes.cursor == 1, "neither on a heading nor on the gap above it"
        await stage.pilot.click("#episodes", offset=(4, line_of(stage, "Higher order") + 1))
        assert stage.title == "Higher order operators", "the second line of a row"
        await stage.press("k", "k", "k", "k")
        assert (episodes.cursor, episodes.scroll_offset.y) == (0, 0)


async def test_the_ends_and_pages_of_such_a_list() -> None:
    async with stocked((120, 40)) as stage:
        await everything(stage)
        episodes, count = stage.episodes, stage.episodes.row_count()
        await stage.press("G")
        assert episodes.cursor == count - 1
        assert episodes.rows_in_sight.stop == count
        assert episodes.scroll_offset.y == episodes.max_scroll_y
        assert episodes.virtual_size.height > 2 * count, "two lines each, and headings"
        await stage.press("g", "ctrl+d")
        assert 4 < episodes.cursor < episodes.size.height // 3
        assert episodes.cursor in episodes.rows_in_sight
        for _page in range(20):
            await stage.press("ctrl+d")
            top = episodes._lines.top_of(episodes.cursor) - episodes.scroll_offset.y
            assert 0 <= top < episodes.size.height - 1, "both of its lines are in sight"
        await stage.press(*["k"] * 12)
        head = episodes._lines.head_of(episodes.cursor) - episodes.scroll_offset.y
        assert head >= 0, "with the heading above it"


async def test_a_selection_goes_over_headings_and_counts_rows() -> None:
    async with stocked((120, 40)) as stage:
        await everything(stage)
        await stage.press("V", "j", "j")
        assert stage.shows("3 selected")
        await stage.pilot.click("#episodes", offset=(4, line_of(stage, "Compiler")), shift=True)
        assert stage.episodes.selected == range(1)


async def test_without_headings_where_the_order_or_a_filter_tells_otherwise() -> None:
    async with stocked((120, 40)) as stage:
        await everything(stage)
        assert has_headings(stage)
        await stage.press("slash", *"com", "enter")
        await stage.until(lambda: stage.shows("matches"), "the filter")
        assert not has_headings(stage)
        await stage.press(*stage.way_to(ViewName.IN_PROGRESS), "l")
        assert not has_headings(stage)
        assert stage.episodes._lines.height == 2


@pytest.mark.parametrize(
    ("rows", "size", "height"), [("one", (120, 40), 1), ("two", (80, 24), 2), ("auto", (80, 24), 1)]
)
async def test_the_setting_decides_and_otherwise_the_height_of_the_list(
    rows: str, size: tuple[int, int], height: int
) -> None:
    settings = replace(QUIET, appearance=Appearance(rows=rows))
    async with stocked(size, settings=settings) as stage:
        await everything(stage)
        assert stage.episodes._lines.height == height


@pytest.mark.long
async def test_rows_of_two_lines_are_dragged_by_rows() -> None:
    async with stocked((120, 40)) as stage:
        await everything(stage)
        await stage.press("e", "j", "e", "j", "e")
        await stage.press(*stage.way_to(ViewName.QUEUE), "l", "g")
        await stage.until(lambda: stage.episodes.row_count() == 3, "the queue")
        first = stage.title
        for event, line in ((MouseDown, 0), (MouseMove, 3), (MouseUp, 3)):
            await stage.pilot._post_mouse_events([event], "#episodes", (6, line), button=1)
        await stage.until(lambda: stage.episodes.cursor == 1, "the row one further down")
        assert stage.title == first

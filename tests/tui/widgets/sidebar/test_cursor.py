"""The sidebar's cursor stays on its podcast, in its group, whatever comes in above it."""

from player.model.filters import View, ViewCounts, ViewName
from tests.tui.alone import Alone, text_of
from tests.tui.widgets.sidebar.test_rows import ALL, BETA, GAMMA, podcast
from tui.widgets.sidebar import Sidebar
from tui.widgets.sidebar_rows import Shelf, view_of


def place(rows: Sidebar) -> tuple[View, str | None]:
    """The view under the cursor, and the group that it is in."""
    entry = rows._entries[rows.cursor]
    assert entry.view == rows.view
    return rows.view, entry.group


async def test_the_cursor_goes_to_a_podcast_and_stays_there_in_the_same_group() -> None:
    rows = Sidebar()
    async with Alone(rows).run_test(size=(30, 30)):
        rows.show(Shelf(ALL), view_of(BETA.id))
        assert place(rows) == (view_of(BETA.id), None)
        rows.show(Shelf(ALL), view_of(GAMMA.id))
        assert place(rows) == (view_of(GAMMA.id), "Ärzte"), "the first group with it"
        rows.move_to([entry.group for entry in rows._entries].index("work") + 2)
        assert place(rows) == (view_of(GAMMA.id), "work")
        rows.show(Shelf((podcast(9, "Aardvark", 1, pinned=True), *ALL)))
        assert place(rows) == (view_of(GAMMA.id), "work")
        rows.show(Shelf((podcast(9, "Aardvark", 1, pinned=True), *ALL)), view_of(GAMMA.id))
        assert place(rows) == (view_of(GAMMA.id), "work")


async def test_the_views_stay_in_sight_while_the_podcasts_scroll_if_there_is_room_for_both() -> None:
    rows = Sidebar()
    async with Alone(rows).run_test(size=(30, 20)) as pilot:
        rows.show(Shelf(tuple(podcast(number, f"Show {number:02}") for number in range(40)), new={}))
        await pilot.pause()
        views = [line.replace("▌", " ") for line in text_of(rows)[:7]]
        assert [line.split()[-1] for line in views[:6]] == ["LISTEN", "New", "Queue", "progress", "History", "episodes"]
        rows.move_to(99)
        assert text_of(rows)[:7] == views
        assert text_of(rows)[-1].split()[-1] == "39"
        assert text_of(rows)[7].split()[-1] == "27", "what is below them has scrolled"
        rows.move_on_screen(0.0)
        assert rows.view.name is ViewName.NEW
        assert rows.scroll_offset.y == 28, "they are in sight without scrolling"
        await pilot.click(rows, offset=(5, 7))
        assert rows.podcast is not None
        assert rows.podcast.title == "Show 27"
        for _step in range(40):
            rows.move_by(-1)
            line = next(at for at, text in enumerate(text_of(rows)) if text.startswith("▌"))
            assert rows.row_at(line) == rows.cursor, "the cursor is never below them"
        await pilot.resize_terminal(30, 13)
        rows.move_to(99)
        assert "LISTEN" not in "".join(text_of(rows)), "there is no room for both"


async def test_a_view_that_is_empty_is_gone_when_the_cursor_leaves_it() -> None:
    rows = Sidebar()
    async with Alone(rows).run_test(size=(30, 30)) as pilot:
        rows.show(Shelf(ALL, ViewCounts(starred=1)), View.of(ViewName.STARRED))
        rows.show(Shelf(ALL))
        await pilot.pause()
        assert rows.view == View.of(ViewName.STARRED)
        rows.move_by(1)
        await pilot.pause()
        assert rows.view == View.of(ViewName.HISTORY)
        assert "Starred" not in "".join(text_of(rows))

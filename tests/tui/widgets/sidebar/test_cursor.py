"""The sidebar's cursor stays on its podcast, in its group, whatever comes in above it."""

from player.model.filters import View
from tests.tui.alone import Alone
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

"""A list of rows: what its cursor looks like, and what the mouse selects."""

from collections.abc import Hashable, Sequence

from rich.color import Color
from rich.segment import Segment
from textual.color import Color as ThemeColor

from player.model.episode import EpisodeId
from tests.tui.alone import Alone
from tui.widgets.virtual_list import SelectingList


class Words(SelectingList):
    """Ten words in muted text."""

    @property
    def episode_id(self) -> EpisodeId:
        return EpisodeId(self.cursor)

    def row_count(self) -> int:
        return 10

    def row_key(self, index: int) -> Hashable:
        return index

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        return [Segment(f"word {index}", self.ink("muted"))]


def colour_of(rows: Words, index: int) -> Color | None:
    (word,) = [piece for piece in rows.render_line(index) if piece.text.startswith("word")]
    return word.style.color if word.style else None


async def test_muted_text_is_readable_on_the_ground_of_the_cursor_and_only_there_in_another_colour() -> None:
    rows = Words()
    app = Alone(rows)
    async with app.run_test(size=(20, 12)) as pilot:
        rows.rows_changed()
        await pilot.pause()
        readable = ThemeColor.parse(app.theme_variables["selection-muted"]).rich_color
        for cursor in (0, 3):
            rows.move_to(cursor)
            assert [index for index in range(10) if colour_of(rows, index) == readable] == [cursor]


async def test_a_click_with_shift_selects_from_the_cursor_on_and_a_plain_one_ends_that() -> None:
    rows = Words()
    async with Alone(rows).run_test(size=(20, 12)) as pilot:
        rows.rows_changed()
        rows.move_to(2)
        await pilot.pause()
        await pilot.click(rows, offset=(5, 5), shift=True)
        assert (rows.selected, rows.selection_began_on) == (range(2, 6), 2)
        await pilot.click(rows, offset=(5, 1), shift=True)
        assert rows.selected == range(1, 3), "it is still about the row where it began"
        await pilot.click(rows, offset=(5, 7))
        assert (len(rows.selected), rows.cursor) == (0, 7)
        rows.selectable = False
        await pilot.click(rows, offset=(5, 9), shift=True)
        assert (len(rows.selected), rows.cursor) == (0, 9)

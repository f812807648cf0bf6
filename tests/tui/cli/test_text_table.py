"""Tables stay straight and within the terminal."""

from hypothesis import given
from hypothesis import strategies as st

from tui.cli.command import Column
from tui.cli.text_table import layout, narrowed
from tui.drawing.cells import width

COLUMNS = (Column("ID", right=True), Column("TITLE", flexible=True), Column("DATE"))


def test_columns_are_as_wide_as_their_widest_and_numbers_stand_right() -> None:
    assert layout(COLUMNS, [("1", "Rain", "2026-04-20"), ("12", "Wind and snow", "")], None) == [
        "ID  TITLE          DATE",
        " 1  Rain           2026-04-20",
        "12  Wind and snow",
    ]


def test_wide_letters_keep_the_columns_straight() -> None:
    lines = layout(COLUMNS, [("1", "雪の音", "2026"), ("2", "🎧 Sea", "2026"), ("3", "Zoë", "2026")], None)
    assert {width(line[: line.index("2026")]) for line in lines[1:]} == {12}


def test_the_widest_flexible_column_gives_way() -> None:
    lines = layout(COLUMNS, [("1", "A title that is much too long", "2026-04-20")], 30)
    assert lines[1] == " 1  A title that…   2026-04-20"
    assert narrowed([2, 30, 20], [1, 2], 38) == [2, 19, 19]


def test_on_a_narrow_terminal_the_columns_that_can_be_spared_go_first() -> None:
    columns = (Column("TITLE", flexible=True), Column("DATE", spare=1), Column("PODCAST", spare=2))
    row = ("A title that is much too long", "2026-04-20", "Slow Radio")
    assert layout(columns, [row], 60)[0].split() == ["TITLE", "DATE", "PODCAST"]
    assert layout(columns, [row], 40)[0].split() == ["TITLE", "DATE"]
    assert layout(columns, [row], 20) == ["TITLE", "A title that is muc…"]


def test_an_optional_column_is_left_out_where_no_row_has_anything_in_it() -> None:
    columns = (Column("TITLE"), Column("TAGS", optional=True), Column("DATE"))
    assert layout(columns, [("Rain", "", "2026"), ("Wind", "", "")], None)[0].split() == ["TITLE", "DATE"]
    assert layout(columns, [("Rain", "", "2026"), ("Wind", "work", "")], None)[0].split() == ["TITLE", "TAGS", "DATE"]


def test_without_a_terminal_nothing_is_cut() -> None:
    title = "long " * 100
    assert title.strip() in layout(COLUMNS, [("1", title, "")], None)[1]


@given(
    st.lists(st.tuples(st.text(max_size=30), st.text(max_size=60), st.text(max_size=10)), max_size=5),
    st.integers(1, 90),
)
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, str, str]], room: int) -> None:
    assert all(width(line) <= room for line in layout(COLUMNS, rows, room))

"""A picture in block characters looks like the picture."""

from hypothesis import given
from hypothesis import strategies as st

from tui.drawing.cells import width
from tui.drawing.cover_cells import cells, nearest_of_256

RED, BLUE = (200, 30, 40), (20, 60, 190)


def one(*pixels: tuple[int, int, int]) -> str:
    """The glyph for four pixels: of red, blue."""
    [[cell]] = cells(bytes(value for pixel in pixels for value in pixel), 1, 1)
    assert cell.ground in (RED, BLUE)
    assert cell.front in (RED, BLUE, None)
    return cell.glyph + {RED: "r", BLUE: "b", None: ""}[cell.front]


def test_a_cell_shows_where_its_two_colours_are() -> None:
    assert one(RED, RED, RED, RED) == " "
    assert one(RED, BLUE, RED, BLUE) == "▌r"
    assert one(RED, RED, BLUE, BLUE) == "▀r"
    assert one(RED, BLUE, BLUE, RED) in ("▚r", "▞b")
    assert one(BLUE, RED, RED, RED) in ("▘b", "▟r")
    assert one(RED, RED, RED, BLUE) in ("▗b", "▛r")


@given(st.binary(min_size=4 * 3 * 6, max_size=4 * 3 * 6))
def test_there_are_as_many_cells_as_asked_for_each_one_wide(pixels: bytes) -> None:
    rows = list(cells(pixels, 3, 2))
    assert [len(row) for row in rows] == [3, 3]
    assert all(width(cell.glyph) == 1 for row in rows for cell in row)


def test_colours_of_a_terminal_with_256_are_the_nearest_ones() -> None:
    assert nearest_of_256((255, 0, 0)) == 196
    assert nearest_of_256((0, 0, 0)) == 16
    assert nearest_of_256((128, 128, 128)) == 244
    assert nearest_of_256((95, 135, 175)) == 67

"""Sixels, decoded again."""

import pytest
from PIL import Image, ImageChops, ImageStat

from player.artwork.scaling import sixel_rows
from tests.player.artwork.sixels import decode


def colourful(width: int, height: int) -> Image.Image:
    across = Image.linear_gradient("L").resize((width, height))
    around = Image.radial_gradient("L").resize((width, height))
    return Image.merge("RGB", (across, around, across.rotate(90).resize((width, height))))


@pytest.mark.parametrize(("width", "row_height"), [(1, 6), (60, 20), (97, 13), (120, 7)])
def test_the_rows_together_are_the_picture(width: int, row_height: int) -> None:
    image = colourful(width, 4 * row_height)
    rows = sixel_rows(image, row_height, 64)
    assert len(rows) == 4
    made = Image.new("RGBA", image.size)
    for number, row in enumerate(rows):
        part = decode(row)
        assert part.size == (width, row_height)
        made.paste(part, (0, number * row_height))
    assert made.getchannel("A").getextrema() == (255, 255)
    difference = ImageStat.Stat(ImageChops.difference(made.convert("RGB"), image))
    assert max(difference.mean) < 14


def test_black_and_white_stay_what_they_are() -> None:
    image = Image.new("RGB", (12, 12), "black")
    image.paste("white", (0, 0, 6, 12))
    (row,) = sixel_rows(image, 12, 16)
    assert decode(row).convert("RGB").tobytes() == image.tobytes()


def test_there_are_no_more_colours_than_the_terminal_has() -> None:
    rows = sixel_rows(colourful(80, 40), 20, 16)
    assert max(len(decode(row).getcolors() or []) for row in rows) <= 16

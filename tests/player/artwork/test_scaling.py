"""Any image becomes a small square picture, or a sentence about why it doesn't."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from player.artwork.picture import Form, Picture, Scaled, Shape
from player.artwork.scaling import scaled
from tests.player.artwork.images import BLUE, RED, animated, claims, close, gif_bomb, halves, mean, upright

BLOCKS = Shape(12, 6)
_JPEG = halves(kind="JPEG")


def picture(data: bytes, shape: Shape = BLOCKS) -> Picture:
    found = scaled(data, shape, keep=False).picture
    assert found is not None
    return found


def sides(quarters: bytes) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The mean colours of the left and the right half of a picture of 24 pixels across."""
    lines = [quarters[at : at + 72] for at in range(0, len(quarters), 72)]
    return mean(b"".join(line[:33] for line in lines)), mean(b"".join(line[39:] for line in lines))


@pytest.mark.parametrize(
    "data",
    [
        halves(),
        _JPEG,
        halves(kind="WEBP", quality=90),
        halves(kind="GIF"),
        halves(kind="BMP"),
        halves(kind="JPEG", mode="CMYK"),
        halves(mode="P"),
        halves(mode="RGBA"),
        halves(1, 1),
        halves(900, 300),
        halves(300, 900),
        upright(1),
    ],
    ids=["png", "jpeg", "webp", "gif", "bmp", "cmyk", "palette", "rgba", "one pixel", "wide", "high", "upright"],
)
def test_it_is_red_on_the_left_and_blue_on_the_right_whatever_it_came_in(data: bytes) -> None:
    left, right = sides(picture(data).quarters)
    if len(data) < 100:
        assert left == right
        return
    assert close(left, RED, 30)
    assert close(right, BLUE, 30)


def test_one_that_lies_on_its_side_is_turned_upright() -> None:
    left, right = sides(picture(upright(3)).quarters)
    assert close(left, BLUE, 30)
    assert close(right, RED, 30)


def test_of_an_animation_the_first_picture_is_shown() -> None:
    assert close(mean(picture(animated()).quarters), RED)


def test_what_is_transparent_is_white() -> None:
    out = io.BytesIO()
    Image.new("RGBA", (50, 50), (0, 0, 0, 0)).save(out, "PNG")
    assert mean(picture(out.getvalue()).quarters) == (255, 255, 255)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'/>",
        b"<html>not found</html>",
        b"\x89PNG\r\n\x1a\n",
        _JPEG[: len(_JPEG) // 2],
        halves()[:60],
        claims(30_000, 30_000),
        claims(1, 40_000),
        claims(0, 5),
        gif_bomb(),
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
        b"\xff\xd8\xff" + bytes(1000),
    ],
)
def test_what_cant_be_shown_is_a_problem_in_words(data: bytes) -> None:
    answer = scaled(data, BLOCKS, keep=True)
    assert answer.picture is None
    assert answer.problem
    assert not answer.kept


@given(st.binary(max_size=40), st.integers(0, len(_JPEG)), st.sampled_from(list(Form)))
def test_no_bytes_raise_anything(noise: bytes, at: int, form: Form) -> None:
    shape = Shape(4, 2, form, 5, 6, 16)
    assert isinstance(scaled(_JPEG[:at] + noise + _JPEG[at + len(noise) :], shape, keep=False), Scaled)
    assert isinstance(scaled(noise, shape, keep=True), Scaled)


def test_what_is_kept_serves_as_an_image_itself() -> None:
    kept = scaled(halves(2000, 2000), BLOCKS, keep=True).kept
    assert len(kept) < 100_000
    left, right = sides(picture(kept).quarters)
    assert close(left, RED)
    assert close(right, BLUE)


def test_a_picture_of_pixels_has_as_many_as_its_cells() -> None:
    made = picture(halves(), Shape(12, 6, Form.KITTY, 7, 15))
    assert Image.open(io.BytesIO(made.png)).size == (84, 90)
    assert len(picture(halves(), Shape(12, 6, Form.SIXEL, 7, 15, 16)).sixels) == 6

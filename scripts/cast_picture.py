"""A recording as a moving picture: an asciicast drawn frame by frame, as GIF."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyte
from PIL import Image, ImageDraw, ImageFont

_FONTS = Path("/usr/share/fonts/truetype/dejavu")
"""Of Debian's fonts-dejavu-core; all that the app draws is in it."""
_SIZE, _WIDTH, _HEIGHT = 12, 7, 15
_GROUND, _TEXT = "#14161b", "#d7dae0"
_LEAST_S = 0.08
"""Frames that follow sooner are one."""
_LAST_S = 3.0
_NAMED = {
    "black": "#14161b", "red": "#e07a7a", "green": "#6fbf83", "brown": "#d9a441", "blue": "#63a6dd",
    "magenta": "#b583d6", "cyan": "#56b8ad", "white": "#d7dae0",
}  # fmt: skip


def fingerprint(cast: Path) -> str:
    """Which recording a picture is of: its comment has this."""
    return sha256(cast.read_bytes()).hexdigest()


def make_gif(cast: Path, target: Path) -> Path:
    """Returns `target`. Raises OSError without the font."""
    head, *events = map(json.loads, cast.read_text(encoding="utf-8").splitlines())
    pen = _Pen(head["width"], head["height"])
    screen = pyte.Screen(head["width"], head["height"])
    stream = pyte.Stream(screen)
    pictures: list[Image.Image] = []
    times: list[float] = []
    for at, _kind, text in events:
        stream.feed(text)
        if times and at - times[-1] < _LEAST_S:
            pictures[-1] = pen.draw(screen)
            continue
        times.append(at)
        pictures.append(pen.draw(screen))
    lasting = [later - at for at, later in zip(times, [*times[1:], times[-1] + _LAST_S], strict=True)]
    palette = pictures[len(pictures) // 2].quantize(255, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    drawn = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures]
    drawn[0].save(
        target,
        save_all=True,
        append_images=drawn[1:],
        duration=[round(one * 1000) for one in lasting],
        loop=0,
        optimize=True,
        comment=fingerprint(cast).encode(),
    )
    return target


class _Pen:
    def __init__(self, columns: int, rows: int) -> None:
        self._size = columns * _WIDTH, rows * _HEIGHT
        self._plain = ImageFont.truetype(str(_FONTS / "DejaVuSansMono.ttf"), _SIZE)
        self._bold = ImageFont.truetype(str(_FONTS / "DejaVuSansMono-Bold.ttf"), _SIZE)
        self._cells: dict[tuple[str, str, str, bool], Image.Image] = {}
        self._image = Image.new("RGB", self._size, _GROUND)
        self._shown: dict[tuple[int, int], tuple[str, str, str, bool]] = {}

    def draw(self, screen: pyte.Screen) -> Image.Image:
        """A picture of the screen as it is now."""
        for row in range(screen.lines):
            for column in range(screen.columns):
                cell = _look(screen.buffer[row][column])
                if self._shown.get((row, column)) != cell:
                    self._shown[row, column] = cell
                    self._image.paste(self._cell(cell), (column * _WIDTH, row * _HEIGHT))
        return self._image.copy()

    def _cell(self, cell: tuple[str, str, str, bool]) -> Image.Image:
        if cell not in self._cells:
            text, foreground, background, bold = cell
            made = Image.new("RGB", (_WIDTH, _HEIGHT), background)
            pen = ImageDraw.Draw(made)
            pen.text((0, 0), text, fill=foreground, font=self._bold if bold else self._plain)
            self._cells[cell] = made
        return self._cells[cell]


def _look(char: Any) -> tuple[str, str, str, bool]:
    foreground, background = _colour(char.fg, _TEXT), _colour(char.bg, _GROUND)
    if char.reverse:
        foreground, background = background, foreground
    return char.data, foreground, background, char.bold


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    return _NAMED.get(name) or f"#{name}"

"""Images as sixels (DEC, “VT330/VT340 Programmer Reference Manual”, volume 2, chapter 14)."""

import re
from collections.abc import Iterator

from PIL import Image

_BAND = 6
"""Lines of pixels in a band, which is one line of sixels."""
_EMPTY = ord("?")
_REPEATED = re.compile(rb"(.)\1{3,}", re.DOTALL)
_BITS = [bytes(int(index == colour) for index in range(256)) for colour in range(256)]


def sixel_rows(image: Image.Image, row_height: int, colours: int) -> tuple[str, ...]:
    """Divides an RGB image into sixel images of `row_height` lines of pixels each. All have the same palette of at most
    `colours` colours.

    Each image can be drawn on its own if the others are hidden. None changes the pixels below it.
    """
    flat = image.quantize(max(2, min(colours, 256)), Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG)
    palette = flat.getpalette() or []
    shades = [tuple(round(value * 100 / 255) for value in palette[at : at + 3]) for at in range(0, len(palette), 3)]
    width, height = flat.size
    pixels = flat.tobytes()
    lines = [pixels[at : at + width] for at in range(0, width * height, width)]
    return tuple(
        _image(lines[top : top + row_height], width, shades)
        for top in range(0, height - height % row_height, row_height)
    )


def _image(lines: list[bytes], width: int, shades: list[tuple[int, ...]]) -> str:
    used = sorted(set().union(*lines))
    made = [f'\x1bP0;1;0q"1;1;{width};{len(lines)}']
    made += [f"#{colour};2;{';'.join(map(str, shades[colour]))}" for colour in used]
    bands = (lines[top : top + _BAND] for top in range(0, len(lines), _BAND))
    made.append("-".join("$".join(_colours(band, width)) for band in bands))
    made.append("\x1b\\")
    return "".join(made)


def _colours(band: list[bytes], width: int) -> Iterator[str]:
    """Each colour's part of a band: a character for each column, with a bit for each line that has the colour."""
    offset = int.from_bytes(bytes([_EMPTY]) * width, "big")
    for colour in sorted(set().union(*band)):
        bits = sum(int.from_bytes(line.translate(_BITS[colour]), "big") << row for row, line in enumerate(band))
        sixels = (bits + offset).to_bytes(width, "big").rstrip(b"?")
        yield f"#{colour}" + _REPEATED.sub(_shorter, sixels).decode("ascii")


def _shorter(match: re.Match[bytes]) -> bytes:
    return b"!%d%b" % (len(match[0]), match[1])

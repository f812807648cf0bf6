"""Scales images of any kind to covers, as pixels or as sixels (DEC, “VT330/VT340 Programmer Reference Manual”, volume
2, chapter 14). Only the process of `Scaler` (in `maker.py`) imports this module, and with it Pillow.
"""

import io
import re
import warnings
from collections.abc import Iterator

from PIL import (
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageOps,
    JpegImagePlugin,
    PngImagePlugin,
    UnidentifiedImageError,
    WebPImagePlugin,
)

from player.artwork.picture import Form, Picture, Scaled, Shape

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


_PLUGINS = (
    BmpImagePlugin.BmpImageFile,
    GifImagePlugin.GifImageFile,
    JpegImagePlugin.JpegImageFile,
    PngImagePlugin.PngImageFile,
    WebPImagePlugin.WebPImageFile,
)
_FORMATS = [plugin.format for plugin in _PLUGINS]
"""The formats that podcasts use: each further format is one more decoder that a malicious file could exploit."""
MOST_PIXELS = 40_000_000
"""Most pixels of an image: podcast directories want 3000 by 3000 at most."""
MOST_ACROSS = 20_000
_KEPT = 512
"""Pixels across a cached image: twice as many as a large cover has on a high-resolution screen."""
_QUALITY = 92
_LARGEST_SHAPE = 1024

Image.MAX_IMAGE_PIXELS = MOST_PIXELS


class Unsuitable(Exception):
    """It isn't an image, or not one that can be shown as asked."""


def scaled(data: bytes, shape: Shape, keep: bool, audio: str = "") -> Scaled:
    """Turns any bytes, or the image in any audio file, into a picture or a problem. Exceptions of Pillow and mutagen
    for a broken file become a problem; MemoryError isn't caught."""
    try:
        if audio:
            from player.artwork.embedded import embedded_picture

            data = embedded_picture(audio)
            if not data:
                raise Unsuitable("no picture is in it")
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            square = _square(data)
            kept = _compressed(square) if keep else b""
            return Scaled(_picture(square, shape), kept)
    except Unsuitable as error:
        return Scaled(problem=str(error))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        return Scaled(problem="it has too many pixels")
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a parser may raise anything for a broken file
        return Scaled(problem=f"it is broken: {type(error).__name__} {error}"[:300])


def _square(data: bytes) -> Image.Image:
    """The middle of the first picture in the file, upright, in RGB, at most `_KEPT` pixels across."""
    try:
        image: Image.Image = Image.open(io.BytesIO(data), formats=_FORMATS)
    except UnidentifiedImageError:
        raise Unsuitable("it isn't an image of a known format") from None
    width, height = image.size
    if not width or not height or width * height > MOST_PIXELS or max(width, height) > MOST_ACROSS:
        raise Unsuitable(f"it has {width} x {height} pixels")
    if image.format in ("JPEG", "MPO"):
        image.draft("RGB", (2 * _KEPT, 2 * _KEPT))
    image.load()
    # Scaled before any other step, as each step makes a copy.
    image = ImageOps.exif_transpose(_middle(image))
    return _opaque(image)


def _middle(image: Image.Image) -> Image.Image:
    width, height = image.size
    side = min(width, height)
    left, top = (width - side) // 2, (height - side) // 2
    exif = image.getexif()
    if image.mode in ("P", "PA", "1", "I", "F") or image.mode.startswith("I;"):
        image = image.convert("RGBA" if "transparency" in image.info or image.mode == "PA" else "RGB")
    box = (left, top, left + side, top + side)
    if side > _KEPT:
        image = image.resize((_KEPT, _KEPT), Image.Resampling.LANCZOS, box=box, reducing_gap=3.0)
    else:
        image = image.crop(box)
    image.info["exif"] = exif.tobytes() if len(exif) else b""
    return image


def _opaque(image: Image.Image) -> Image.Image:
    """The image in RGB, with white behind transparent pixels."""
    if image.mode in ("RGBA", "LA", "RGBa", "La") or "transparency" in image.info:
        ground = Image.new("RGBA", image.size, "white")
        ground.alpha_composite(image.convert("RGBA"))
        return ground.convert("RGB")
    return image.convert("RGB")


def _compressed(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=_QUALITY, subsampling=0, optimize=True)
    return out.getvalue()


def _picture(square: Image.Image, shape: Shape) -> Picture:
    if not (0 < shape.columns <= 200 and 0 < shape.rows <= 200):
        raise Unsuitable("no cover has such a size")
    quarters = _resized(square, (2 * shape.columns, 2 * shape.rows)).tobytes()
    if shape.form is Form.BLOCKS:
        return Picture(shape, quarters)
    width, height = shape.pixels
    if not (0 < width <= _LARGEST_SHAPE and 0 < height <= _LARGEST_SHAPE):
        raise Unsuitable("no cover has so many pixels")
    exact = _resized(square, (width, height))
    if shape.form is Form.SIXEL:
        return Picture(shape, quarters, sixels=sixel_rows(exact, shape.cell_height, shape.colours or 64))
    out = io.BytesIO()
    exact.save(out, "PNG", compress_level=6)
    return Picture(shape, quarters, png=out.getvalue())


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    return image if image.size == size else image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)

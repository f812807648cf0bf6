"""Arithmetic with colours written `#rrggbb`, and a podcast's own colour: one of the theme's eight hues."""

from collections.abc import Callable, Iterable, Sequence
from colorsys import hls_to_rgb, rgb_to_hls
from functools import cache, lru_cache
from zlib import crc32

_STEPS = 10
"""The steps of the binary search for a lightness: to a thousandth, finer than a colour's 255 steps."""
_CUBE = (0, 95, 135, 175, 215, 255)
"""The levels of red, green and blue in the colour cube of terminals with 256 colours: xterm's, as in most terminals."""


@lru_cache(1024)
def luminance(colour: str) -> float:
    """Relative luminance, 0 to 1."""
    red, green, blue = map(_linear, _parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def least_contrast(colour: str, grounds: Iterable[str]) -> float:
    """The least contrast of a colour with any of the backgrounds."""
    return min(contrast(colour, ground) for ground in grounds)


def readable(colour: str, grounds: Sequence[str], least: float) -> str:
    """`colour`, or the nearest colour of its hue whose contrast with each background is at least `least`; else black or
    white."""
    if least_contrast(colour, grounds) >= least:
        return colour
    hue, lightness, saturation = rgb_to_hls(*_parts(colour))
    lighter = least_contrast("#ffffff", grounds) > least_contrast("#000000", grounds)
    low, high = (lightness, 1.0) if lighter else (0.0, lightness)
    found = "#ffffff" if lighter else "#000000"
    for _ in range(_STEPS):
        middle = (low + high) / 2
        tried = _written(hls_to_rgb(hue, middle, saturation))
        fits = least_contrast(tried, grounds) >= least
        if fits:
            found = tried
        if fits is lighter:
            high = middle
        else:
            low = middle
    return found


def mixed(one: str, other: str, part: float) -> str:
    """A mix of two colours; `part` is the share of `other`, 0 to 1."""
    return _written(first + (second - first) * part for first, second in zip(_parts(one), _parts(other), strict=True))


@cache
def colours_of_256() -> tuple[str, ...]:
    """The colours 16 to 255: the cube and the grey ramp. The colours 0 to 15 differ between terminals."""
    cube = [f"#{red:02x}{green:02x}{blue:02x}" for red in _CUBE for green in _CUBE for blue in _CUBE]
    return (*cube, *(f"#{level:02x}{level:02x}{level:02x}" for level in range(8, 239, 10)))


def nearest(colour: str, among: Iterable[str], fits: Callable[[str], bool] = lambda _: True) -> str:
    """The colour that looks most like `colour`, among the colours that fit, or among all if none fits."""
    light, green_red, blue_yellow = _oklab(colour)

    def distance(one: str) -> float:
        other = _oklab(one)
        return (light - other[0]) ** 2 + (green_red - other[1]) ** 2 + (blue_yellow - other[2]) ** 2

    ordered = sorted(among, key=distance)
    return next(filter(fits, ordered), ordered[0])


@lru_cache(1024)
def _oklab(colour: str) -> tuple[float, float, float]:
    """Coordinates in Oklab (Björn Ottosson, 2020), in which distances correspond to perceived differences."""
    red, green, blue = map(_linear, _parts(colour))
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _parts(colour: str) -> tuple[float, float, float]:
    """Red, green and blue, 0 to 1."""
    return int(colour[1:3], 16) / 255, int(colour[3:5], 16) / 255, int(colour[5:7], 16) / 255


def _written(parts: Iterable[float]) -> str:
    return "#" + "".join(f"{round(255 * max(0.0, min(1.0, part))):02x}" for part in parts)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


HUES = 8
"""The number of hues in each theme: `$hue-0` to `$hue-7` in style sheets."""


def hue_of(feed_url: str) -> int:
    """The number of the hue of the podcast with this feed address, from 0 to HUES - 1."""
    return crc32(feed_url.encode("utf-8", "replace")) % HUES

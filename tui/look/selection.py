"""The ground of the selected row, worked out from a theme's own colours: so far from the ground around it that nobody
looks for it, in every theme.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from tui.look.colours import contrast as contrast_with
from tui.look.colours import luminance

FOCUSED, BLURRED = 1.38, 1.18
"""Contrast of the selected row's ground with its pane's, while that has the focus and while it hasn't. A little more
than the least that is wanted, 1.35 and 1.15, as colours are rounded."""
_READABLE = 4.6
_GREYS = tuple(f"#{level:02x}{level:02x}{level:02x}" for level in range(8, 239, 10))
"""The grey ramp of a terminal with 256 colours."""
_HEX = re.compile("#[0-9a-f]{6}", re.IGNORECASE)


def selection(grounds: Sequence[str], towards: str, contrast: float, *, of_256: bool = False) -> str:
    """The nearest colour to `grounds` on the way to `towards`, with at least that contrast to each of them; `of_256`:
    the nearest that a terminal with 256 colours has. If they aren't all `#rrggbb`, the last ground."""
    if not all(map(_HEX.fullmatch, (*grounds, towards))):
        return grounds[-1]
    lighter = luminance(towards) > max(map(luminance, grounds))
    ground = (max if lighter else min)(grounds, key=luminance)
    if of_256:
        fit = [grey for grey in _GREYS if (luminance(grey) > luminance(ground)) is lighter]
        return next(grey for grey in (fit if lighter else fit[::-1]) if contrast_with(grey, ground) >= contrast - 0.03)
    wanted = luminance(ground) + 0.05
    return mixed(ground, towards, (wanted * contrast if lighter else wanted / contrast) - 0.05)


def readable(text: str, ground: str, towards: str) -> str:
    """`text`, or as near to it on the way to `towards` as can be read on that ground."""
    if not all(map(_HEX.fullmatch, (text, ground, towards))) or contrast_with(text, ground) >= _READABLE:
        return text
    wanted = luminance(ground) + 0.05
    lighter = luminance(towards) > luminance(ground)
    return mixed(text, towards, (wanted * _READABLE if lighter else wanted / _READABLE) - 0.05)


def mixed(start: str, end: str, wanted: float) -> str:
    """The colour between the two that has this luminance, or else the end that is nearer to it. Light is mixed, not
    numbers, so the luminance says how much of each there is."""
    first, last = luminance(start), luminance(end)
    part = 1.0 if first == last else max(0.0, min(1.0, (wanted - first) / (last - first)))
    light = (one + (two - one) * part for one, two in zip(_light(start), _light(end), strict=True))
    return "#" + "".join(f"{round(255 * _encoded(one)):02x}" for one in light)


@lru_cache(256)
def _light(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return _linear(red), _linear(green), _linear(blue)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _encoded(light: float) -> float:
    return light * 12.92 if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055

"""Arithmetic with colours written `#rrggbb`, a podcast's own colour (one of the theme's eight hues), and the roles of
colours in a theme, to which a palette is converted readably.
"""

from collections.abc import Callable, Iterable, Sequence
from colorsys import hls_to_rgb, rgb_to_hls
from functools import cache, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from player.model.podcast import PodcastId

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
_APART = 3


def hue_of(podcast_id: PodcastId) -> int:
    """The number of a podcast's hue, from 0 to HUES - 1. Podcasts added one after the other get hues far from each
    other, and none gets one again before all others have theirs."""
    return int(podcast_id) * _APART % HUES


TEXT_CONTRAST, GLYPH_CONTRAST = 4.5, 3.0
"""The least contrast of text, and of headings, rules and glyphs, with every background (WCAG 2.2, 1.4.3 and 1.4.11)."""
_ON_SELECTION, _ON_SELECTION_OF_256 = 1.42, 1.6
"""The factors by which text needs more contrast with the backgrounds of panes, because the selected row's background
(`tui/look/themes.py`) is closer to it."""
_PARTS_OF_TINTS = (0.26, 0.42, 0.58, 0.78)


class Roles(Struct, frozen=True):
    """The colours of a theme by role, from the background up. `accent` marks only what is active.

    A colour is `#rrggbb`, or `ansi_…` for one of the terminal's own. `tints` rise from almost the background to the
    accent. `hues` distinguish podcasts (`tui/look/colours.py`); none is close to the accent.
    """

    background: str
    surface: str
    panel: str
    text: str
    muted: str
    faint: str
    line: str
    accent: str
    success: str
    error: str
    hues: tuple[str, ...]
    tints: tuple[str, ...] = ()
    dark: bool = True

    @property
    def grounds(self) -> tuple[str, str, str]:
        return self.background, self.surface, self.panel


GROUNDS = ("background", "surface", "panel")
TEXTS = ("text", "muted", "accent", "success", "error")


def legible(roles: Roles, least: float = TEXT_CONTRAST) -> Roles:
    """The roles with readable colours: colours too close to a background are made lighter or darker, but only as much
    as necessary. Missing tints are mixed."""
    grounds = roles.grounds
    texts = {name: readable(getattr(roles, name), grounds, least) for name in TEXTS}
    texts["text"] = readable(roles.text, grounds, least * _ON_SELECTION)
    glyphs = max(GLYPH_CONTRAST, least - 1.5)
    made = replace(
        roles,
        **texts,
        faint=readable(roles.faint, grounds, glyphs),
        hues=tuple(readable(hue, grounds, glyphs) for hue in roles.hues),
    )
    return made if made.tints else tinted(made)


def tinted(roles: Roles) -> Roles:
    """The roles with tints mixed from the background and the accent."""
    steps = (mixed(roles.background, roles.accent, part) for part in _PARTS_OF_TINTS)
    return replace(roles, tints=(roles.line, *steps, roles.accent))


def of_256(roles: Roles, least: float = TEXT_CONTRAST) -> Roles:
    """The roles in the nearest readable colours of a terminal with 256 colours, with backgrounds that stay distinct."""
    known = colours_of_256()
    lighter = luminance(roles.text) > luminance(roles.background)
    greys = [colour for colour in known if colour[1:3] == colour[3:5] == colour[5:7]]
    background = nearest(roles.background, known, lambda one: contrast(one, roles.text) >= least + 2)
    used = [background]

    def ground(wanted: str) -> str:
        used.append(nearest(wanted, greys, lambda one: one not in used and _in_order(one, background, wanted, roles)))
        return used[-1]

    surface, panel, line = ground(roles.surface), ground(roles.panel), ground(roles.line)
    grounds = (background, surface, panel)

    glyphs = max(GLYPH_CONTRAST, least - 1.5)
    text = nearest(roles.text, known, lambda one: least_contrast(one, grounds) >= least * _ON_SELECTION_OF_256)
    others = [getattr(roles, name) for name in TEXTS[1:]]
    read = _each_its_own(others, known, lambda one: one != text and least_contrast(one, grounds) >= least)
    texts = dict(zip(TEXTS, (text, *read), strict=True))
    accent = texts["accent"]
    taken = [*texts.values()]
    faint = nearest(roles.faint, known, lambda one: one not in taken and least_contrast(one, grounds) >= glyphs)
    return replace(
        roles,
        background=background,
        surface=surface,
        panel=panel,
        line=line,
        **texts,
        faint=faint,
        hues=_each_its_own(roles.hues, known, lambda one: one != accent and least_contrast(one, grounds) >= glyphs),
        tints=(*_each_its_own(roles.tints[:-1], known, lambda one: one not in (surface, accent)), accent),
        dark=lighter,
    )


def _each_its_own(colours: Sequence[str], known: Sequence[str], fits: Callable[[str], bool]) -> tuple[str, ...]:
    """The nearest known colour to each, none of them twice."""
    found: list[str] = []
    for colour in colours:
        found.append(nearest(colour, known, lambda one: one not in found and fits(one)))
    return tuple(found)


def _in_order(one: str, background: str, wanted: str, roles: Roles) -> bool:
    """Whether a colour is on the same side of the background (lighter or darker) as the wanted one."""
    return (luminance(one) > luminance(background)) is (luminance(wanted) > luminance(roles.background))

"""Themes in Textual's form, with the background of the selected row, faded text, and scrollbars."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style
from textual.color import Color as Ground
from textual.filter import LineFilter
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import Theme

from tui.look.built_in import ANSI, ANSI_LIGHT, built_in
from tui.look.colours import Roles, luminance
from tui.look.colours import contrast as contrast_with
from tui.look.glyphs import Glyphs

_BRIGHT_BLACK = 8
_DIM = Style(color=Color.default(), dim=True)


class Faded(LineFilter):
    """Draws text in bright black as dim text in the terminal's default colour."""

    def apply(self, segments: list[Segment], background: Ground) -> list[Segment]:  # noqa: ARG002 - as Textual calls it
        return [Segment(text, style and _faded(style), control) for text, style, control in segments]


@lru_cache(1024)
def _faded(style: Style) -> Style:
    colour = style.color
    return style + _DIM if colour is not None and colour.triplet is None and colour.number == _BRIGHT_BLACK else style


FOCUSED, BLURRED = 1.38, 1.18
"""The contrast of the selected row's background with its pane's, while the pane has the focus and while it hasn't. A
little more than the wanted 1.35 and 1.15, because colours are rounded."""
_READABLE = 4.6
_GREYS = tuple(f"#{level:02x}{level:02x}{level:02x}" for level in range(8, 239, 10))
"""The grey ramp of a terminal with 256 colours."""
_HEX = re.compile("#[0-9a-f]{6}", re.IGNORECASE)


def selection(grounds: Sequence[str], towards: str, contrast: float, *, of_256: bool = False) -> str:
    """The background of the selected row: the nearest colour to `grounds` on the way to `towards` that has at least
    this contrast with each of them; `of_256`: the nearest grey of a terminal with 256 colours, or `towards` if no grey
    has the contrast. If not all colours are `#rrggbb`, the last of `grounds`."""
    if not all(map(_HEX.fullmatch, (*grounds, towards))):
        return grounds[-1]
    lighter = luminance(towards) > max(map(luminance, grounds))
    ground = (max if lighter else min)(grounds, key=luminance)
    if of_256:
        fit = [grey for grey in _GREYS if (luminance(grey) > luminance(ground)) is lighter]
        greys = fit if lighter else fit[::-1]
        return next((grey for grey in greys if contrast_with(grey, ground) >= contrast - 0.03), towards)
    wanted = luminance(ground) + 0.05
    return mixed(ground, towards, (wanted * contrast if lighter else wanted / contrast) - 0.05)


def readable(text: str, ground: str, towards: str) -> str:
    """`text`, or the nearest colour to it on the way to `towards` that is readable on this background."""
    if not all(map(_HEX.fullmatch, (text, ground, towards))) or contrast_with(text, ground) >= _READABLE:
        return text
    wanted = luminance(ground) + 0.05
    lighter = luminance(towards) > luminance(ground)
    return mixed(text, towards, (wanted * _READABLE if lighter else wanted / _READABLE) - 0.05)


def mixed(start: str, end: str, wanted: float) -> str:
    """The colour between two colours with the `wanted` luminance, or else the end closer to it. Linear light is mixed,
    so that the share of each colour follows from the luminance."""
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


class WholeCells(ScrollBarRender):
    """A scrollbar of whole cells: Textual draws its ends in eighths of a cell, with characters that ASCII lacks."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "]


class ThinScrollBar(WholeCells):
    """A scrollbar for few colours or none: Textual reverses it, which is a white slab."""

    sign = "┃"

    @classmethod
    def render_bar(cls, *args: Any, **more: Any) -> Segments:
        drawn = super().render_bar(*args, **more)
        drawn.segments = [
            one._replace(text=cls.sign * len(one.text), style=one.style + _NOT_REVERSED)
            if one.style is not None and one.style.reverse
            else one
            for one in drawn.segments
        ]
        return drawn


_NOT_REVERSED = Style(reverse=False)


def draw_scrollbars(glyphs: Glyphs, colours: str | None) -> None:
    """Chooses how all scrollbars of this process are drawn. `colours` is the terminal's range, by Rich's names; None:
    it has none."""
    ThinScrollBar.sign = glyphs.pointer
    ScrollBar.renderer = (
        ThinScrollBar if colours in (None, *FEW_COLOURS) else ScrollBarRender if glyphs.rare else WholeCells
    )


MANY_COLOURS = ("truecolor", None)
"""Rich's names for terminals with all colours and for terminals without colours (None), which need no other theme."""
FEW_COLOURS = ("standard", "windows")
"""Rich's names for terminals with 16 colours."""


def theme_of(name: str, colours: str | None = None, *, is_light: bool = False) -> Theme:
    """A built-in theme in the terminal's range of `colours`, by Rich's names: `truecolor`, `256`, `standard`.

    With 16 colours, every theme is drawn in the terminal's own colours; `is_light`: its background is light.
    """
    if colours in FEW_COLOURS:
        return theme(name, built_in(ANSI_LIGHT if is_light else ANSI))
    few = colours not in MANY_COLOURS
    return theme(name, built_in(name, few=few), few=few)


def _selections(roles: Roles, *, few: bool) -> dict[str, str]:
    grounds = (roles.background, roles.surface)
    focused = selection(grounds, roles.muted, FOCUSED, of_256=few)
    on_panel = selection((roles.panel,), roles.muted, FOCUSED, of_256=few)
    return {
        "selection": focused,
        "selection-blurred": selection(grounds, roles.muted, BLURRED, of_256=few),
        "selection-on-panel": on_panel,
        "selection-muted": readable(readable(roles.muted, focused, roles.text), on_panel, roles.text),
    }


def theme(name: str, roles: Roles, *, few: bool = False) -> Theme:
    """A Textual theme with a variable for each role."""
    return Theme(
        name=name,
        dark=roles.dark,
        ansi=roles.background.startswith("ansi_"),
        primary=roles.accent,
        secondary=roles.muted,
        accent=roles.accent,
        warning=roles.accent,
        error=roles.error,
        success=roles.success,
        foreground=roles.text,
        background=roles.background,
        surface=roles.surface,
        panel=roles.panel,
        boost=roles.panel,
        text_alpha=1.0,
        variables={
            # Textual would make some of these transparent for the terminal's own colours.
            "background": roles.background,
            "surface": roles.surface,
            "panel": roles.panel,
            "boost": roles.panel,
            "ansi-background": roles.background,
            "ansi-foreground": roles.text,
            "text": roles.text,
            "muted": roles.muted,
            "faint": roles.faint,
            "line": roles.line,
            **_selections(roles, few=few),
            **{f"tint-{step}": tint for step, tint in enumerate(roles.tints)},
            **{f"hue-{number}": hue for number, hue in enumerate(roles.hues)},
            "text-muted": roles.muted,
            "text-disabled": roles.faint,
            "foreground-muted": roles.muted,
            "foreground-disabled": roles.faint,
            "border": roles.accent,
            "border-blurred": roles.line,
            "block-cursor-foreground": roles.text,
            "block-cursor-background": roles.panel,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-foreground": roles.text,
            "block-cursor-blurred-background": roles.panel,
            "block-hover-background": roles.panel,
            "scrollbar": roles.line,
            "scrollbar-hover": roles.faint,
            "scrollbar-active": roles.muted,
            "scrollbar-background": roles.background,
            "scrollbar-background-hover": roles.background,
            "scrollbar-background-active": roles.background,
            "scrollbar-corner-color": roles.background,
            "input-cursor-background": roles.accent,
            "input-cursor-foreground": roles.background,
            "input-selection-background": roles.line,
            "link-color": roles.text,
            "link-style": "underline",
            "link-background-hover": roles.panel,
            "link-color-hover": roles.accent,
        },
    )

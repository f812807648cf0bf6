"""The built-in themes by name. Only the palette of the theme that is asked for is imported."""

from importlib import import_module
from typing import NamedTuple

from tui.look.roles import TEXT_CONTRAST, Roles, legible, of_256


class BuiltIn(NamedTuple):
    """`palette` is `module.NAME` in this room. `contrast` is the least of text with every ground."""

    title: str
    palette: str
    dark: bool = True
    contrast: float = TEXT_CONTRAST


BUILT_IN = {
    "ink": BuiltIn("Ink", "earmark.INK"),
    "paper": BuiltIn("Paper", "earmark.PAPER", dark=False),
    "high-contrast-dark": BuiltIn("High contrast dark", "earmark.HIGH_CONTRAST_DARK", contrast=7.0),
    "high-contrast-light": BuiltIn("High contrast light", "earmark.HIGH_CONTRAST_LIGHT", dark=False, contrast=7.0),
    "catppuccin-mocha": BuiltIn("Catppuccin Mocha", "catppuccin.MOCHA"),
    "catppuccin-macchiato": BuiltIn("Catppuccin Macchiato", "catppuccin.MACCHIATO"),
    "catppuccin-frappe": BuiltIn("Catppuccin Frappé", "catppuccin.FRAPPE"),
    "catppuccin-latte": BuiltIn("Catppuccin Latte", "catppuccin.LATTE", dark=False),
    "dracula": BuiltIn("Dracula", "dracula.DRACULA"),
    "gruvbox-dark": BuiltIn("Gruvbox dark", "gruvbox.DARK"),
    "gruvbox-light": BuiltIn("Gruvbox light", "gruvbox.LIGHT", dark=False),
    "nord": BuiltIn("Nord", "nord.NORD"),
    "rose-pine": BuiltIn("Rosé Pine", "rose_pine.MAIN"),
    "rose-pine-moon": BuiltIn("Rosé Pine Moon", "rose_pine.MOON"),
    "rose-pine-dawn": BuiltIn("Rosé Pine Dawn", "rose_pine.DAWN", dark=False),
    "solarized-dark": BuiltIn("Solarized dark", "solarized.DARK"),
    "solarized-light": BuiltIn("Solarized light", "solarized.LIGHT", dark=False),
    "tokyo-night": BuiltIn("Tokyo Night", "tokyo_night.NIGHT"),
    "tokyo-night-day": BuiltIn("Tokyo Night Day", "tokyo_night.DAY", dark=False),
    "ansi": BuiltIn("The terminal's 16 colours", "terminal.ANSI"),
    "ansi-light": BuiltIn("The same, on a light ground", "terminal.ANSI_LIGHT", dark=False),
}

ANSI, ANSI_LIGHT = "ansi", "ansi-light"
_OF_256_BY_HAND = {"ink": "earmark.INK_OF_256", "paper": "earmark.PAPER_OF_256"}


def built_in(name: str, *, few: bool = False) -> Roles:
    """The roles of a built-in theme; `few`: in the colours of a terminal that has 256."""
    entry = BUILT_IN[name]
    if few and name in _OF_256_BY_HAND:
        return _roles(_OF_256_BY_HAND[name])
    roles = _roles(entry.palette)
    if name in (ANSI, ANSI_LIGHT):
        return roles
    roles = legible(roles, entry.contrast)
    return of_256(roles, entry.contrast) if few else roles


def _roles(palette: str) -> Roles:
    module, _, name = palette.partition(".")
    found: Roles = getattr(import_module(f"tui.look.palettes.{module}"), name)
    return found

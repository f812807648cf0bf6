"""The built-in themes by name. Earmark's own themes and the terminal's colours are defined here; each other theme is a
TOML file in the folder `palettes`, which is read when the theme is requested."""

from pathlib import Path
from typing import NamedTuple

from tui.look.colours import TEXT_CONTRAST, Roles, legible, of_256


class BuiltIn(NamedTuple):
    """`contrast` is the least contrast of text with every background."""

    title: str
    dark: bool = True
    contrast: float = TEXT_CONTRAST


BUILT_IN = {
    "ink": BuiltIn("Ink"),
    "paper": BuiltIn("Paper", dark=False),
    "high-contrast-dark": BuiltIn("High contrast dark", contrast=7.0),
    "high-contrast-light": BuiltIn("High contrast light", dark=False, contrast=7.0),
    "catppuccin-mocha": BuiltIn("Catppuccin Mocha"),
    "catppuccin-macchiato": BuiltIn("Catppuccin Macchiato"),
    "catppuccin-frappe": BuiltIn("Catppuccin Frappé"),
    "catppuccin-latte": BuiltIn("Catppuccin Latte", dark=False),
    "dracula": BuiltIn("Dracula"),
    "gruvbox-dark": BuiltIn("Gruvbox dark"),
    "gruvbox-light": BuiltIn("Gruvbox light", dark=False),
    "nord": BuiltIn("Nord"),
    "rose-pine": BuiltIn("Rosé Pine"),
    "rose-pine-moon": BuiltIn("Rosé Pine Moon"),
    "rose-pine-dawn": BuiltIn("Rosé Pine Dawn", dark=False),
    "solarized-dark": BuiltIn("Solarized dark"),
    "solarized-light": BuiltIn("Solarized light", dark=False),
    "tokyo-night": BuiltIn("Tokyo Night"),
    "tokyo-night-day": BuiltIn("Tokyo Night Day", dark=False),
    "ansi": BuiltIn("The terminal's 16 colours"),
    "ansi-light": BuiltIn("The same, on a light ground", dark=False),
}

ANSI, ANSI_LIGHT = "ansi", "ansi-light"

_INK = Roles(
    background="#10131a",
    surface="#151922",
    panel="#1b202b",
    text="#d5dbe6",
    muted="#8490a4",
    faint="#68748a",
    line="#262c39",
    accent="#e8a33d",
    success="#8fb573",
    error="#e06c75",
    tints=("#262c39", "#4e3e29", "#70542e", "#946c32", "#bc8637", "#e8a33d"),
    hues=("#e07a7a", "#b7c26b", "#6fbf83", "#56b8ad", "#63a6dd", "#8d93e6", "#b583d6", "#d97fb1"),
)

_PAPER = Roles(
    dark=False,
    background="#faf8f3",
    surface="#f4f1ea",
    panel="#ebe6db",
    text="#23262d",
    muted="#616774",
    faint="#7e848f",
    line="#ddd7c9",
    accent="#985808",
    success="#426e2c",
    error="#b3362f",
    tints=("#ddd7c9", "#d6b890", "#caa26f", "#bf8d4d", "#b3772c", "#985808"),
    hues=("#b8473f", "#6f7a1c", "#2f7d46", "#1d7a72", "#2468a8", "#4b51b8", "#7d43a6", "#a83a78"),
)

_HIGH_CONTRAST_DARK = Roles(
    background="#000000",
    surface="#0c0c0c",
    panel="#1c1c1c",
    text="#ffffff",
    muted="#d2d2d2",
    faint="#b0b0b0",
    line="#6e6e6e",
    accent="#ffd500",
    success="#7bf27b",
    error="#ff9c9c",
    hues=("#ff9c9c", "#d8e85a", "#7bf27b", "#5ff0e0", "#8cc8ff", "#b3b3ff", "#e0a6ff", "#ffa3dc"),
)

_HIGH_CONTRAST_LIGHT = Roles(
    dark=False,
    background="#ffffff",
    surface="#f6f6f6",
    panel="#e8e8e8",
    text="#000000",
    muted="#2e2e2e",
    faint="#484848",
    line="#8a8a8a",
    accent="#793b00",
    success="#0d4f0d",
    error="#8f0000",
    hues=("#8f0000", "#474d00", "#0d4f0d", "#004d49", "#003f86", "#2a2a9c", "#5f0091", "#86005a"),
)

# Terminals with 256 colours have no dark blues between black and navy, so all backgrounds of _INK would be black. These
# colours are chosen for them: steps of the grey ramp as backgrounds, and otherwise the nearest colours of the cube.
_INK_OF_256 = Roles(
    background="#121212",
    surface="#1c1c1c",
    panel="#262626",
    text="#dadada",
    muted="#949494",
    faint="#767676",
    line="#303030",
    accent="#ffaf5f",
    success="#87af5f",
    error="#ff5f5f",
    tints=("#303030", "#5f5f00", "#875f00", "#af5f00", "#d78700", "#ffaf5f"),
    hues=("#d75f5f", "#afaf5f", "#5faf5f", "#5fafaf", "#5fafd7", "#8787d7", "#af87d7", "#d787af"),
)

_PAPER_OF_256 = Roles(
    dark=False,
    background="#ffffff",
    surface="#eeeeee",
    panel="#e4e4e4",
    text="#262626",
    muted="#626262",
    faint="#808080",
    line="#d0d0d0",
    accent="#875f00",
    success="#005f00",
    error="#af0000",
    tints=("#dadada", "#ffd7af", "#ffaf5f", "#d78700", "#af5f00", "#875f00"),
    hues=("#af0000", "#5f5f00", "#005f00", "#005f5f", "#005faf", "#5f5faf", "#87005f", "#af005f"),
)

# The terminal's own palette: its background, and the basic colours of every terminal, whose look isn't known. So all
# backgrounds are the same, dialogs have borders, and the selected row is reversed, as in a terminal without colours
# (`:nocolor`). Bright black, which some palettes give the same colour as the background, only stands for faded text:
# `tui/look/themes.py` replaces it with the terminal's dim text.
_ANSI_ROLES = Roles(
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    text="ansi_default",
    muted="ansi_bright_black",
    faint="ansi_bright_black",
    line="ansi_bright_black",
    accent="ansi_yellow",
    success="ansi_green",
    error="ansi_red",
    tints=("ansi_bright_black", "ansi_yellow", "ansi_yellow", "ansi_yellow", "ansi_yellow", "ansi_yellow"),
    hues=(
        "ansi_red", "ansi_bright_red", "ansi_green", "ansi_cyan", "ansi_blue", "ansi_bright_blue", "ansi_magenta",
        "ansi_bright_magenta",
    ),
)  # fmt: skip

# Yellow is hard to see on a light background.
_ANSI_LIGHT_ROLES = Roles(
    dark=False,
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    text="ansi_default",
    muted="ansi_bright_black",
    faint="ansi_bright_black",
    line="ansi_bright_black",
    accent="ansi_magenta",
    success="ansi_green",
    error="ansi_red",
    tints=("ansi_bright_black", "ansi_magenta", "ansi_magenta", "ansi_magenta", "ansi_magenta", "ansi_magenta"),
    hues=(
        "ansi_red", "ansi_bright_red", "ansi_green", "ansi_cyan", "ansi_blue", "ansi_bright_blue", "ansi_black",
        "ansi_bright_magenta",
    ),
)  # fmt: skip

_HERE = {
    "ink": _INK,
    "paper": _PAPER,
    "high-contrast-dark": _HIGH_CONTRAST_DARK,
    "high-contrast-light": _HIGH_CONTRAST_LIGHT,
    ANSI: _ANSI_ROLES,
    ANSI_LIGHT: _ANSI_LIGHT_ROLES,
}
_OF_256 = {"ink": _INK_OF_256, "paper": _PAPER_OF_256}


def built_in(name: str, *, few: bool = False) -> Roles:
    """The roles of a built-in theme; `few`: in the 256 colours of a terminal."""
    entry = BUILT_IN[name]
    if few and name in _OF_256:
        return _OF_256[name]
    roles = _HERE.get(name) or _from_file(name, dark=entry.dark)
    if name in (ANSI, ANSI_LIGHT):
        return roles
    roles = legible(roles, entry.contrast)
    return of_256(roles, entry.contrast) if few else roles


def _from_file(name: str, *, dark: bool) -> Roles:
    import tomllib  # not needed for the default themes

    table = tomllib.loads((Path(__file__).parent / "palettes" / f"{name}.toml").read_text(encoding="utf-8"))
    return Roles(**table | {"hues": tuple(table["hues"])}, dark=dark)

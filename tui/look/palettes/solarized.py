"""Solarized, dark and light, as its author published it: the same eight colours on both."""

from tui.look.roles import Roles

_HUES = ("#dc322f", "#cb4b16", "#859900", "#2aa198", "#268bd2", "#6c71c4", "#a1629f", "#d33682")

DARK = Roles(
    background="#002b36",
    surface="#00242e",
    panel="#073642",
    text="#b2bdbd",  # of its grey on this ground, no darker one is left for muted text
    muted="#839496",
    faint="#657b83",
    line="#16505e",
    accent="#b58900",
    success="#859900",
    error="#dc322f",
    hues=_HUES,
)

LIGHT = Roles(
    dark=False,
    background="#fdf6e3",
    surface="#f6efdc",
    panel="#eee8d5",
    text="#3d545b",  # the same on this one
    muted="#657b83",
    faint="#839496",
    line="#d9d3c0",
    accent="#b58900",
    success="#859900",
    error="#dc322f",
    hues=_HUES,
)

"""Rosé Pine with its variants Moon and Dawn, as published."""

from tui.look.roles import Roles

MAIN = Roles(
    background="#191724",
    surface="#1f1d2e",
    panel="#26233a",
    text="#e0def4",
    muted="#908caa",
    faint="#6e6a86",
    line="#403d52",
    accent="#f6c177",
    success="#9ccfd8",
    error="#eb6f92",
    hues=("#eb6f92", "#ebbcba", "#95b1ac", "#9ccfd8", "#31748f", "#7aa2d6", "#c4a7e7", "#d58fc0"),
)

MOON = Roles(
    background="#232136",
    surface="#2a273f",
    panel="#393552",
    text="#e0def4",
    muted="#908caa",
    faint="#6e6a86",
    line="#44415a",
    accent="#f6c177",
    success="#9ccfd8",
    error="#eb6f92",
    hues=("#eb6f92", "#ea9a97", "#95b1ac", "#9ccfd8", "#3e8fb0", "#7aa2d6", "#c4a7e7", "#d58fc0"),
)

DAWN = Roles(
    dark=False,
    background="#faf4ed",
    surface="#fffaf3",
    panel="#f2e9e1",
    text="#464261",
    muted="#797593",
    faint="#9893a5",
    line="#dfdad9",
    accent="#ea9d34",
    success="#286983",
    error="#b4637a",
    hues=("#b4637a", "#d7827e", "#6d8f89", "#56949f", "#286983", "#5a78b8", "#907aa9", "#b0699b"),
)

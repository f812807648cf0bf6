"""Gruvbox, dark and light, as its author published it."""

from tui.look.roles import Roles

DARK = Roles(
    background="#282828",
    surface="#1d2021",
    panel="#3c3836",
    text="#ebdbb2",
    muted="#bdae93",
    faint="#928374",
    line="#504945",
    accent="#fe8019",
    success="#b8bb26",
    error="#fb4934",
    hues=("#fb4934", "#fabd2f", "#b8bb26", "#8ec07c", "#83a598", "#689d6a", "#d3869b", "#b16286"),
)

LIGHT = Roles(
    dark=False,
    background="#fbf1c7",
    surface="#f2e5bc",
    panel="#ebdbb2",
    text="#3c3836",
    muted="#665c54",
    faint="#7c6f64",
    line="#d5c4a1",
    accent="#af3a03",
    success="#79740e",
    error="#9d0006",
    hues=("#9d0006", "#b57614", "#79740e", "#427b58", "#076678", "#458588", "#8f3f71", "#b16286"),
)

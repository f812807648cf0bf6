"""Tokyo Night and its day, as published."""

from tui.look.roles import Roles

NIGHT = Roles(
    background="#1a1b26",
    surface="#16161e",
    panel="#292e42",
    text="#c0caf5",
    muted="#a9b1d6",
    faint="#737aa2",
    line="#3b4261",
    accent="#ff9e64",
    success="#9ece6a",
    error="#f7768e",
    hues=("#f7768e", "#e0af68", "#9ece6a", "#73daca", "#7dcfff", "#7aa2f7", "#bb9af7", "#c77dbb"),
)

DAY = Roles(
    dark=False,
    background="#e1e2e7",
    surface="#e9e9ed",
    panel="#d0d5e3",
    text="#3760bf",
    muted="#6172b0",
    faint="#848cb5",
    line="#c4c8da",
    accent="#b15c00",
    success="#587539",
    error="#f52a65",
    hues=("#f52a65", "#8c6c3e", "#587539", "#118c74", "#007197", "#2e7de9", "#9854f1", "#d20065"),
)

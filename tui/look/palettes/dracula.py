"""Dracula, as its specification has it."""

from tui.look.roles import Roles

DRACULA = Roles(
    background="#282a36",
    surface="#21222c",
    panel="#343746",
    text="#f8f8f2",
    muted="#b6bad0",
    faint="#6272a4",
    line="#44475a",
    accent="#ffb86c",
    success="#50fa7b",
    error="#ff5555",
    hues=("#ff5555", "#f1fa8c", "#50fa7b", "#7ee6c5", "#8be9fd", "#8f9df9", "#bd93f9", "#ff79c6"),
)

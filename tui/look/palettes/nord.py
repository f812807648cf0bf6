"""Nord: its sixteen colours, as it publishes them."""

from tui.look.roles import Roles

NORD = Roles(
    background="#2e3440",
    surface="#292e39",
    panel="#3b4252",
    text="#e5e9f0",
    muted="#b3bccb",
    faint="#8891a5",
    line="#4c566a",
    accent="#ebcb8b",
    success="#a3be8c",
    error="#bf616a",
    hues=("#bf616a", "#d08770", "#a3be8c", "#8fbcbb", "#88c0d0", "#81a1c1", "#b48ead", "#c895bf"),
)

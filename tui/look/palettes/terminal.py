"""The terminal's own colours, whatever they are: no ground but its own, and the eight that every terminal has.

Nothing is known of how they look. So all grounds are the same, dialogs have edges, and the selected row is reversed,
as in a terminal without colours (`:nocolor`). Bright black, which some palettes make the same as the background, only
stands for text that recedes: `tui/look/themes.py` has the terminal dim its own text for it.
"""

from tui.look.roles import Roles

ANSI = Roles(
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

# On a light ground, yellow is hard to see.
ANSI_LIGHT = Roles(
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

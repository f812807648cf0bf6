"""The two themes, by role. Colours are defined nowhere else.

Style sheets use $background, $surface, $panel, $text, $muted, $faint, $line, $accent, $success and $error.
"""

from msgspec import Struct
from textual.theme import Theme


class Roles(Struct, frozen=True):
    """What a colour is for, from the background up; `accent` marks what is active and nothing else.

    `tints` lead up to it from almost nothing.
    """

    background: str
    surface: str
    panel: str
    text: str
    muted: str
    faint: str
    line: str
    accent: str
    success: str
    error: str
    tints: tuple[str, ...]


INK = Roles(
    background="#10131a",
    surface="#151922",
    panel="#1b202b",
    text="#d5dbe6",
    muted="#7b8699",
    faint="#4a5365",
    line="#262c39",
    accent="#e8a33d",
    success="#8fb573",
    error="#e06c75",
    tints=("#262c39", "#4e3e29", "#70542e", "#946c32", "#bc8637", "#e8a33d"),
)

PAPER = Roles(
    background="#faf8f3",
    surface="#f4f1ea",
    panel="#ebe6db",
    text="#23262d",
    muted="#6d7380",
    faint="#aeb2ba",
    line="#ddd7c9",
    accent="#a8620a",
    success="#4c7a34",
    error="#b3362f",
    tints=("#ddd7c9", "#d6b890", "#caa26f", "#bf8d4d", "#b3772c", "#a8620a"),
)

# A terminal with 256 colours has no dark blues between black and navy: all backgrounds of INK would be black there. So
# it has its own colours: steps of the grey ramp, and the nearest of the colour cube for the others.
_INK_OF_256 = Roles(
    background="#121212",
    surface="#1c1c1c",
    panel="#262626",
    text="#dadada",
    muted="#8a8a8a",
    faint="#585858",
    line="#303030",
    accent="#ffaf5f",
    success="#87af5f",
    error="#d75f5f",
    tints=("#303030", "#5f5f00", "#875f00", "#af5f00", "#d78700", "#ffaf5f"),
)

_PAPER_OF_256 = Roles(
    background="#ffffff",
    surface="#eeeeee",
    panel="#e4e4e4",
    text="#262626",
    muted="#6c6c6c",
    faint="#a8a8a8",
    line="#d0d0d0",
    accent="#af5f00",
    success="#5f8700",
    error="#af0000",
    tints=("#dadada", "#ffd7af", "#ffaf5f", "#d78700", "#d75f00", "#af5f00"),
)


def _theme(name: str, roles: Roles, *, dark: bool) -> Theme:
    return Theme(
        name=name,
        dark=dark,
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
            "text": roles.text,
            "muted": roles.muted,
            "faint": roles.faint,
            "line": roles.line,
            **{f"tint-{step}": tint for step, tint in enumerate(roles.tints)},
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


THEMES = {"ink": _theme("ink", INK, dark=True), "paper": _theme("paper", PAPER, dark=False)}

_THEMES_OF_256 = {
    "ink": _theme("ink", _INK_OF_256, dark=True),
    "paper": _theme("paper", _PAPER_OF_256, dark=False),
}


def themes_for(color_system: str | None) -> dict[str, Theme]:
    """The themes for a terminal whose colours Rich calls `truecolor`, `256`, `standard` ... (None: no colours)."""
    return THEMES if color_system in ("truecolor", None) else _THEMES_OF_256


def other(name: str) -> str:
    """The theme that “switch the theme” changes to from `name`."""
    return "ink" if name == "paper" else "paper"

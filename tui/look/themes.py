"""Themes as Textual wants them. Colours are defined in tui/look/palettes, by role, and nowhere else.

Style sheets use $background, $surface, $panel, $text, $muted, $faint, $line, $accent, $success and $error. Worked out
from these are $selection, the ground of the selected row, $selection-blurred in a pane without the focus,
$selection-on-panel on a panel, and $selection-muted for muted text on all of them.
"""

from textual.theme import Theme

from tui.look.palettes.catalogue import ANSI, ANSI_LIGHT, built_in
from tui.look.roles import Roles
from tui.look.selection import BLURRED, FOCUSED, readable, selection

MANY_COLOURS = ("truecolor", None)
"""What Rich calls a terminal with all colours; None: one without any, where it makes no difference."""
FEW_COLOURS = ("standard", "windows")
"""A terminal with 16 colours."""


def theme_of(name: str, colours: str | None = None, *, is_light: bool = False) -> Theme:
    """A built-in theme, in the colours of a terminal as Rich calls them: `truecolor`, `256`, `standard`.

    With 16 colours there are none but the terminal's own, whatever the theme; `is_light` says how its background is.
    """
    if colours in FEW_COLOURS:
        return theme(name, built_in(ANSI_LIGHT if is_light else ANSI))
    few = colours not in MANY_COLOURS
    return theme(name, built_in(name, few=few), few=few)


def _selections(roles: Roles, *, few: bool) -> dict[str, str]:
    grounds = (roles.background, roles.surface)
    focused = selection(grounds, roles.muted, FOCUSED, of_256=few)
    on_panel = selection((roles.panel,), roles.muted, FOCUSED, of_256=few)
    return {
        "selection": focused,
        "selection-blurred": selection(grounds, roles.muted, BLURRED, of_256=few),
        "selection-on-panel": on_panel,
        "selection-muted": readable(readable(roles.muted, focused, roles.text), on_panel, roles.text),
    }


def theme(name: str, roles: Roles, *, few: bool = False) -> Theme:
    """As Textual wants it, with a variable for each role."""
    return Theme(
        name=name,
        dark=roles.dark,
        ansi=roles.background.startswith("ansi_"),
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
            # Textual makes some of these transparent where the colours are the terminal's own.
            "background": roles.background,
            "surface": roles.surface,
            "panel": roles.panel,
            "boost": roles.panel,
            "ansi-background": roles.background,
            "ansi-foreground": roles.text,
            "text": roles.text,
            "muted": roles.muted,
            "faint": roles.faint,
            "line": roles.line,
            **_selections(roles, few=few),
            **{f"tint-{step}": tint for step, tint in enumerate(roles.tints)},
            **{f"hue-{number}": hue for number, hue in enumerate(roles.hues)},
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

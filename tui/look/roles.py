"""The roles of colours in a theme, and the conversion of a palette to readable colours for them."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tui.look.colours import colours_of_256, contrast, least_contrast, luminance, mixed, nearest, readable

TEXT_CONTRAST, GLYPH_CONTRAST = 4.5, 3.0
"""The least contrast of text, and of headings, rules and glyphs, with every background (WCAG 2.2, 1.4.3 and 1.4.11)."""
_ON_SELECTION, _ON_SELECTION_OF_256 = 1.42, 1.6
"""The factors by which text needs more contrast with the backgrounds of panes, because the selected row's background
(`tui/look/themes.py`) is closer to it."""
_PARTS_OF_TINTS = (0.26, 0.42, 0.58, 0.78)


class Roles(Struct, frozen=True):
    """The colours of a theme by role, from the background up. `accent` marks only what is active.

    A colour is `#rrggbb`, or `ansi_…` for one of the terminal's own. `tints` rise from almost the background to the
    accent. `hues` distinguish podcasts (`tui/look/colours.py`); none is close to the accent.
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
    hues: tuple[str, ...]
    tints: tuple[str, ...] = ()
    dark: bool = True

    @property
    def grounds(self) -> tuple[str, str, str]:
        return self.background, self.surface, self.panel


GROUNDS = ("background", "surface", "panel")
TEXTS = ("text", "muted", "accent", "success", "error")


def legible(roles: Roles, least: float = TEXT_CONTRAST) -> Roles:
    """The roles with readable colours: colours too close to a background are made lighter or darker, but only as much
    as necessary. Missing tints are mixed."""
    grounds = roles.grounds
    texts = {name: readable(getattr(roles, name), grounds, least) for name in TEXTS}
    texts["text"] = readable(roles.text, grounds, least * _ON_SELECTION)
    glyphs = max(GLYPH_CONTRAST, least - 1.5)
    made = replace(
        roles,
        **texts,
        faint=readable(roles.faint, grounds, glyphs),
        hues=tuple(readable(hue, grounds, glyphs) for hue in roles.hues),
    )
    return made if made.tints else tinted(made)


def tinted(roles: Roles) -> Roles:
    """The roles with tints mixed from the background and the accent."""
    steps = (mixed(roles.background, roles.accent, part) for part in _PARTS_OF_TINTS)
    return replace(roles, tints=(roles.line, *steps, roles.accent))


def of_256(roles: Roles, least: float = TEXT_CONTRAST) -> Roles:
    """The roles in the nearest readable colours of a terminal with 256 colours, with backgrounds that stay distinct."""
    known = colours_of_256()
    lighter = luminance(roles.text) > luminance(roles.background)
    greys = [colour for colour in known if colour[1:3] == colour[3:5] == colour[5:7]]
    background = nearest(roles.background, known, lambda one: contrast(one, roles.text) >= least + 2)
    used = [background]

    def ground(wanted: str) -> str:
        used.append(nearest(wanted, greys, lambda one: one not in used and _in_order(one, background, wanted, roles)))
        return used[-1]

    surface, panel, line = ground(roles.surface), ground(roles.panel), ground(roles.line)
    grounds = (background, surface, panel)

    glyphs = max(GLYPH_CONTRAST, least - 1.5)
    text = nearest(roles.text, known, lambda one: least_contrast(one, grounds) >= least * _ON_SELECTION_OF_256)
    others = [getattr(roles, name) for name in TEXTS[1:]]
    read = _each_its_own(others, known, lambda one: one != text and least_contrast(one, grounds) >= least)
    texts = dict(zip(TEXTS, (text, *read), strict=True))
    accent = texts["accent"]
    taken = [*texts.values()]
    faint = nearest(roles.faint, known, lambda one: one not in taken and least_contrast(one, grounds) >= glyphs)
    return replace(
        roles,
        background=background,
        surface=surface,
        panel=panel,
        line=line,
        **texts,
        faint=faint,
        hues=_each_its_own(roles.hues, known, lambda one: one != accent and least_contrast(one, grounds) >= glyphs),
        tints=(*_each_its_own(roles.tints[:-1], known, lambda one: one not in (surface, accent)), accent),
        dark=lighter,
    )


def _each_its_own(colours: Sequence[str], known: Sequence[str], fits: Callable[[str], bool]) -> tuple[str, ...]:
    """The nearest known colour to each, none of them twice."""
    found: list[str] = []
    for colour in colours:
        found.append(nearest(colour, known, lambda one: one not in found and fits(one)))
    return tuple(found)


def _in_order(one: str, background: str, wanted: str, roles: Roles) -> bool:
    """Whether a colour is on the same side of the background (lighter or darker) as the wanted one."""
    return (luminance(one) > luminance(background)) is (luminance(wanted) > luminance(roles.background))

"""The listener's own themes: TOML files in the folder `themes` beside config.toml.

    base = "nord"            # what the file doesn't set is this theme's; without it, ink's
    background = "#101820"   # any role, as #rrggbb or #rgb
    hues = ["#…", …]         # eight colours

A theme file sets only colours. The colours that it sets are used unchanged; the others are adjusted to be readable on
its backgrounds.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from player import regular_file
from player.text.sentences import _
from player.text.typed_names import suggestion
from tui.look.built_in import ANSI, ANSI_LIGHT, BUILT_IN, built_in
from tui.look.colours import HUES, Roles, legible, luminance, tinted

SUFFIX = ".toml"
_LARGEST = 64 * 1024
_MOST_FILES = 200
_STEPS = 6
_COLOUR = re.compile("#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_NAME = re.compile("[a-z0-9][a-z0-9_-]{0,39}")
_LINE = re.compile(r"at line (\d+)")
_SINGLE = ("background", "surface", "panel", "text", "muted", "faint", "line", "accent", "success", "error")
_LISTS = {"hues": HUES, "tints": _STEPS}
_KNOWN = ("base", *_SINGLE, *_LISTS)


class BadTheme(ValueError):
    """A sentence about the problem that names the file and, if known, the line."""


class OwnTheme(Struct, frozen=True):
    name: str
    file: Path
    roles: Roles


class Found(Struct, frozen=True):
    """The themes of a folder by name, and a sentence for each file that can't be used."""

    themes: Mapping[str, OwnTheme]
    problems: tuple[str, ...] = ()


def is_name(name: str) -> bool:
    """Whether a theme can have this name, which is also the name of its file."""
    return _NAME.fullmatch(name) is not None


def file_of(folder: Path, name: str) -> Path:
    return folder / f"{name}{SUFFIX}"


def own_themes(folder: Path) -> Found:
    """All themes in the folder. Doesn't raise; none if there is no folder."""
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix == SUFFIX)[:_MOST_FILES]
    except OSError:
        return Found({})
    themes: dict[str, OwnTheme] = {}
    problems: list[str] = []
    for file in files:
        try:
            themes[file.stem] = own_theme(file)
        except BadTheme as problem:
            problems.append(str(problem))
    return Found(themes, tuple(problems))


def own_theme(file: Path) -> OwnTheme:
    """Reads the theme in a file. Raises BadTheme."""
    name = file.stem
    if not is_name(name):
        raise _bad(file, 0, _("its name can have small letters, digits and hyphens only"))
    if name in BUILT_IN or name == "auto":
        raise _bad(file, 0, _("“{name}” is the name of a theme that Earmark has; give it another", name=name))
    text = _read(file)
    import tomllib  # few listeners have themes of their own

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        last = text.rstrip().count("\n") + 1
        raise _bad(file, int(line[1]) if line else last, _("it isn't TOML: {error}", error=error)) from error
    return OwnTheme(name, file, _roles(file, text, table))


def template(name: str, roles: Roles) -> str:
    """The text of a theme file that looks like the theme `name`, to start from."""
    values = asdict(roles)
    lines = [
        f'base = "{name}"',
        "",
        "# " + _("Lines left out come from the base. Text needs a contrast of 4.5 with the three grounds."),
        *(f'{role} = "{values[role]}"' for role in _SINGLE),
        "",
        "# " + _("Podcasts get them in turn."),
        "hues = [" + ", ".join(f'"{hue}"' for hue in roles.hues) + "]",
    ]
    return "\n".join(lines)


def _read(file: Path) -> str:
    try:
        with regular_file.opened(file) as stream:
            data = stream.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise _bad(file, 0, _("it is too large for a theme"))
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _bad(file, 0, _("it isn't UTF-8 text")) from error
    except OSError as error:
        raise _bad(file, 0, error.strerror or _("disk error")) from error


def _roles(file: Path, text: str, table: dict[str, Any]) -> Roles:
    def bad(key: str, why: str) -> BadTheme:
        found = re.search(rf"^[ \t\"']*{re.escape(key)}\b", text, re.MULTILINE)
        return _bad(file, text.count("\n", 0, found.start()) + 1 if found else 0, why)

    for key in table:
        if key not in _KNOWN:
            raise bad(key, _("there is no colour “{name}”.", name=key[:40]) + suggestion(key, _KNOWN))
    base = table.get("base", "ink")
    if not isinstance(base, str) or base not in BUILT_IN or base in (ANSI, ANSI_LIGHT):
        near = suggestion(base, BUILT_IN) if isinstance(base, str) else ""
        raise bad("base", _("“base” must be a theme of Earmark with colours of its own.") + near)
    given: dict[str, Any] = {}
    for key in _SINGLE:
        if key in table:
            if (colour := _colour(table[key])) is None:
                raise bad(key, _('“{name}” must be a colour like "#d5dbe6"', name=key))
            given[key] = colour
    for key, number in _LISTS.items():
        if key in table:
            value = table[key]
            colours = [_colour(one) for one in value] if isinstance(value, list) else []
            if len(colours) != number or None in colours:
                raise bad(key, _("“{name}” must be a list of {n} colours", name=key, n=number))
            given[key] = tuple(colours)
    merged = replace(legible(replace(built_in(base), **given)), **given)
    if "tints" not in given:
        merged = tinted(merged)
    return replace(merged, dark=luminance(merged.text) > luminance(merged.background))


def _colour(value: object) -> str | None:
    """A colour as `#rrggbb`; None if it isn't one."""
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        return None
    value = value.lower()
    return value if len(value) == 7 else "#" + "".join(2 * digit for digit in value[1:])


def _bad(file: Path, line: int, why: str) -> BadTheme:
    why = why.rstrip(".")
    if line:
        return BadTheme(
            _("In {file}, line {line}: {problem}. The theme is left out.", file=file, line=line, problem=why)
        )
    return BadTheme(_("In {file}: {problem}. The theme is left out.", file=file, problem=why))

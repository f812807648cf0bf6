"""Where the value of each setting comes from."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from player import regular_file
from player.configuration.catalogue import names, value_of
from player.settings import Settings
from player.settings_file import LARGEST
from player.toml import Places, places

DEFAULT, FILE, APP, ENVIRONMENT = "default", "file", "app", "environment"

Chosen = Callable[[str, Any], Any]
"""The value chosen in the app instead of the value in config.toml; the latter if nothing was chosen."""


class Origin(Struct, frozen=True):
    """`source` is one of the four above, `line` the line in the file, `variable` the environment variable."""

    name: str
    value: Any
    default: Any
    source: str = DEFAULT
    line: int | None = None
    variable: str = ""


def origins(
    path: Path, settings: Settings, chosen: Chosen = lambda _name, value: value, environ: Mapping[str, str] = os.environ
) -> list[Origin]:
    """The origins of all settings, and of each entry of [keys]. `settings` are the settings from the file; a setting
    with a mistake has the value that applies instead, and the line of the mistake."""
    there = _places(path)
    defaults = Settings()
    found = [_origin(name, settings, defaults, there, chosen, environ) for name in names()]
    for key, value in settings.keys.items():
        found.append(Origin(f"keys.{key}", value, None, FILE, there.line_of(("keys", key))))
    return found


def _origin(
    name: str, settings: Settings, defaults: Settings, there: Places, chosen: Chosen, environ: Mapping[str, str]
) -> Origin:
    value, default = value_of(settings, name), value_of(defaults, name)
    place = there.values.get((*name.split("."),))
    line = place.line if place is not None else _line_within(there, name)
    plain = Origin(name, value, default, DEFAULT if line is None else FILE, line)
    if (other := chosen(name, value)) != value:
        return Origin(name, other, default, APP, line)
    variable = _variable(name, value, environ)
    return Origin(name, value, default, ENVIRONMENT, line, variable) if variable else plain


def _line_within(there: Places, name: str) -> int | None:
    """The first entry of a table, or its header; or the section that was written as one value."""
    section = (*name.split("."),)
    for found in (there.sections, there.values):
        for key, place in found.items():
            if len(key) >= len(section) and key[: len(section)] == section:
                return place.line
    inline = there.values.get(section[:1])
    return inline.line if inline is not None else None


def _variable(name: str, value: Any, environ: Mapping[str, str]) -> str:
    """The environment variable that overrides the setting, if it is set."""
    if name == "appearance.theme" and "NO_COLOR" in environ:
        return "NO_COLOR"
    if name == "appearance.hyperlinks" and value == "auto" and environ.get("FORCE_HYPERLINK"):
        return "FORCE_HYPERLINK"
    return ""


def _places(path: Path) -> Places:
    """None if the file can't be read, or isn't TOML."""
    import tomllib

    try:
        text = regular_file.read_text(path, LARGEST)
        tomllib.loads(text)
    except (OSError, ValueError):
        return Places({}, {})
    return places(text)

"""One setting changed in config.toml; its comments, and all else, stay."""

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_origin

from player import regular_file
from player.configuration.catalogue import kind_of, names, sections, value_of
from player.configuration.saving import save
from player.errors import EarmarkError
from player.settings import Settings
from player.settings_file import LARGEST, checked, parse_settings
from player.text.sentences import _
from player.text.suggestion import suggestion
from player.toml.writing import put

_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class UnknownSetting(EarmarkError):
    """There is no setting of that name."""


class CantChange(EarmarkError):
    """The value can't be used, or the file is written so that it can't be put in."""


def check_name(name: str) -> None:
    """Raises UnknownSetting, with the nearest name that there is."""
    section, _dot, own = name.partition(".")
    if section in sections() and sections()[section] is None and own:
        return
    if name not in names():
        near = suggestion(name, names()) or suggestion(name, sections())
        raise UnknownSetting(_("There is no setting “{name}”", name=name[:60]), near.strip())


def changed(path: Path, text: str, name: str, words: Sequence[str]) -> str:
    """The text of config.toml with another value for that setting. Raises UnknownSetting or CantChange."""
    check_name(name)
    section, own = name.split(".", 1)
    value = _value(name, words)
    try:
        checked(kind_of(name), list(value) if isinstance(value, tuple) else value, name)
    except ValueError as error:
        raise CantChange(str(error).rstrip(".")) from error
    try:
        after = put(text, (section, own), value)
    except tomllib.TOMLDecodeError as error:
        raise CantChange(_("{file} contains a mistake: {error}", file=path, error=error), _by_hand()) from error
    except ValueError as error:
        raise CantChange(
            _("“{name}” stands in {file} in a way that can't be changed from here", name=name, file=path), _by_hand()
        ) from error
    return after


def change(path: Path, name: str, words: Sequence[str], mistake: Callable[[str], str] = lambda _text: "") -> Any:
    """Writes it; returns the value that applies now. `mistake` says what else would be wrong with this setting in the
    changed text. Raises what `changed` does, and CantSave."""
    check_name(name)
    try:
        text = regular_file.read_text(path, LARGEST)
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        raise CantChange(_("Can't read {file}", file=path), _by_hand()) from error
    after = changed(path, text, name, words)
    if what := mistake(after):
        raise CantChange(what)
    if after != text:
        save(path, after)
    settings: Settings = parse_settings(path, after).settings
    return value_of(settings, name)


def _value(name: str, words: Sequence[str]) -> Any:
    """What was typed, as the setting's type. Raises CantChange."""
    kind, text = kind_of(name), " ".join(words)
    if get_origin(kind) is tuple:
        return tuple(words) if words != [""] else ()
    if get_origin(kind) is dict:
        raise CantChange(_("“{name}” is a section with entries of your own", name=name), _by_hand())
    if kind is bool:
        if text.lower() not in _TRUTHS:
            raise CantChange(_("“{name}” must be true or false, not “{value}”", name=name, value=text))
        return _TRUTHS[text.lower()]
    if kind is int:
        try:
            return int(text)
        except ValueError:
            raise CantChange(_("“{name}” must be a whole number, not “{value}”", name=name, value=text)) from None
    return text


def _by_hand() -> str:
    return _("Change it with: earmark config edit")

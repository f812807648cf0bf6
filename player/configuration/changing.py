"""Changes one setting in config.toml, which is written as a whole or not at all; its comments, and everything else,
stay."""

import errno
import os
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_origin

from player import regular_file
from player.configuration.catalogue import kind_of, names, sections, value_of
from player.errors import EarmarkError
from player.settings import Settings
from player.settings_file import LARGEST, checked, parse_settings
from player.text.sentences import _
from player.text.typed_names import suggestion
from player.toml import put, take_out


class CantSave(EarmarkError):
    """config.toml, or its folder, can't be written."""


def save(path: Path, text: str) -> None:
    """Raises CantSave; then the file is as it was."""
    target = path.resolve()  # people keep it elsewhere, with a link here
    copy: Path | None = None
    try:
        regular_file.private_folder(target.parent)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        if not mode & 0o222:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        copy = beside(target, text)
        copy.chmod(mode)
        copy.replace(target)
    except OSError as error:
        if copy is not None:
            with suppress(OSError):
                copy.unlink()
        raise _cant(path, error) from error


def create(path: Path, text: str) -> bool:
    """False if there is such a file already, which stays as it is. Raises CantSave."""
    try:
        regular_file.private_folder(path.parent)
        with os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w", encoding="utf-8"
        ) as file:
            file.write(text)
    except FileExistsError:
        return False
    except OSError as error:
        raise _cant(path, error) from error
    return True


def copy_beside(path: Path, text: str) -> Path:
    """A separate copy in the same folder, for an editor: `config-….toml`. Raises CantSave."""
    try:
        regular_file.private_folder(path.parent)
        return beside(path, text)
    except OSError as error:
        raise _cant(path, error) from error


def beside(path: Path, text: str) -> Path:
    """Raises OSError; then there is no such file."""
    handle, name = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=path.suffix, dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            Path(name).unlink()
        raise
    return Path(name)


def _cant(path: Path, error: OSError) -> CantSave:
    full, elsewhere = _("Free some space on that disk, then try again."), _("Check the permissions of file and folder.")
    what = _("Can't write {file} ({reason})", file=path, reason=error.strerror or _("disk error"))
    return CantSave(what, full if error.errno in (errno.ENOSPC, errno.EDQUOT) else elsewhere)


_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class UnknownSetting(EarmarkError):
    """There is no setting with that name."""


class CantChange(EarmarkError):
    """The value can't be used, or the file is written in a way that it can't be inserted."""


def check_name(name: str) -> None:
    """Raises UnknownSetting, with the most similar existing name."""
    section, _dot, own = name.partition(".")
    if section in sections() and sections()[section] is None and own:
        return
    if name not in names():
        near = suggestion(name, names()) or suggestion(name, sections())
        raise UnknownSetting(_("There is no setting “{name}”", name=name[:60]), near.strip())


def typed(name: str, words: Sequence[str]) -> Any:
    """The typed words as a value of that setting. Raises UnknownSetting or CantChange."""
    check_name(name)
    value = _value(name, words)
    try:
        return checked(kind_of(name), list(value) if isinstance(value, tuple) else value, name)
    except ValueError as error:
        raise CantChange(str(error).rstrip(".")) from error


def changed(path: Path, text: str, name: str, words: Sequence[str] | None) -> str:
    """The text of config.toml with another value for that setting, or without one. Raises UnknownSetting or
    CantChange."""
    check_name(name)
    section, own = name.split(".", 1)
    try:
        after = take_out(text, (section, own)) if words is None else put(text, (section, own), typed(name, words))
    except tomllib.TOMLDecodeError as error:
        raise CantChange(_("{file} contains a mistake: {error}", file=path, error=error), _by_hand()) from error
    except ValueError as error:
        raise CantChange(
            _("“{name}” stands in {file} in a way that can't be changed from here", name=name, file=path), _by_hand()
        ) from error
    return after


def change(path: Path, name: str, words: Sequence[str] | None, mistake: Callable[[str], str] = lambda _text: "") -> Any:
    """Writes it, or takes it out (None): returns the value that applies now. `mistake` returns any other mistake in
    this setting in the changed text. Raises the exceptions of `changed`, and CantSave."""
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
    """The typed text as a value of the setting's type. Raises CantChange."""
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

"""`earmark:` addresses, opened with Earmark by the desktop: freedesktop.org's Desktop Entry and MIME Applications
specifications, in the listener's own folders alone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from player.configuration.changing import save
from player.errors import EarmarkError
from player.text.sentences import _

DESKTOP = "earmark.desktop"
TYPE = "x-scheme-handler/earmark"
_OURS = "X-Earmark-Registered=true"
"""In a file that may be written again. Another of that name is the listener's own."""
_SECONDS = 20
_RESERVED = " \t\n\"'\\><~|&;$*?#()`"
"""Characters because of which an argument has to be quoted (Desktop Entry Specification, "The Exec key")."""

Run = Callable[[Sequence[str]], tuple[int, str]]


class CantRegister(EarmarkError):
    """The desktop can't be told."""


def register(
    environ: Mapping[str, str] = os.environ,
    program: str = "",
    run: Run | None = None,
    platform: str = sys.platform,
) -> list[str]:
    """What was done, in sentences, and how to undo it. Doing it again changes nothing. Raises CantRegister."""
    if not platform.startswith("linux"):
        raise CantRegister(_("Only desktops of Linux can be told of earmark: addresses"))
    run = run or _run
    said: list[str] = []
    file = _data(environ) / "applications" / DESKTOP
    text = entry(program or this_program())
    if _is_others(file):
        said.append(_("{file} is your own, and is left as it is.", file=file))
        if f"{TYPE};" not in file.read_text(encoding="utf-8", errors="replace"):
            raise CantRegister(
                _("{file} is your own, and doesn't say that it opens earmark: addresses", file=file),
                _("Add the line MimeType={type}; to it, or move it away.", type=TYPE),
            )
    elif _text_of(file) == text:
        said.append(_("{file} is there already.", file=file))
    else:
        save(file, text)
        said.append(_("Wrote {file}.", file=file))
    if not _found("xdg-mime", environ):
        raise CantRegister(
            _("xdg-mime isn't installed, so the desktop can't be told"),
            _("Install xdg-utils, then again: earmark doctor --register"),
        )
    if _found("update-desktop-database", environ):
        run(["update-desktop-database", str(file.parent)])
    if _lists(environ) and run(["xdg-mime", "query", "default", TYPE]) == (0, DESKTOP):
        said.append(_("The desktop opens earmark: addresses with it already."))
    else:
        code, words = run(["xdg-mime", "default", DESKTOP, TYPE])
        if code:
            raise CantRegister(_("xdg-mime failed ({problem})", problem=words or code))
        said.append(_("The desktop opens earmark: addresses with it from now on."))
    lists = ", ".join(map(str, _lists(environ))) or "mimeapps.list"
    said.append(_("To undo that, delete {file} and the line “{type}” in {lists}.", file=file, type=TYPE, lists=lists))
    return said


def _lists(environ: Mapping[str, str]) -> list[Path]:
    """The files of the listener that say so: which of them xdg-mime writes depends on its version and the desktop."""
    folders = (_config(environ), _data(environ) / "applications")
    files = [file for folder in folders for file in sorted(folder.glob("*.list"))]
    return [file for file in files if f"{TYPE}={DESKTOP}" in (_text_of(file) or "").replace(" ", "")]


def entry(program: str) -> str:
    """The desktop file that Earmark ships, with the path of this program."""
    shipped = Path(__file__).parent / DESKTOP
    text = shipped.read_text(encoding="utf-8")
    return text.replace("Exec=earmark %u", f"Exec={quoted(program)} %u").rstrip("\n") + f"\n{_OURS}\n"


def quoted(word: str) -> str:
    """As the Exec key wants it: quotes for reserved characters, `%%` for a percent sign."""
    if any(letter in _RESERVED for letter in word):
        # Escaped once for the argument, and the backslashes again for the string that the whole value is.
        inside = "".join(f"\\\\{letter}" if letter in '"`$\\' else letter for letter in word)
        word = f'"{inside}"'
    return word.replace("%", "%%")


def this_program() -> str:
    """The path of this `earmark`, or else its name: a desktop may not look where a shell does."""
    started = Path(sys.argv[0])
    if started.name == "earmark" and started.exists():
        return str(started.absolute())
    return shutil.which("earmark") or "earmark"


def _is_others(file: Path) -> bool:
    text = _text_of(file)
    return text is not None and _OURS not in text


def _text_of(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _found(program: str, environ: Mapping[str, str]) -> bool:
    return shutil.which(program, path=environ.get("PATH")) is not None


def _data(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("XDG_DATA_HOME") or _home(environ) / ".local" / "share")


def _config(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("XDG_CONFIG_HOME") or _home(environ) / ".config")


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or Path.home())


def _run(words: Sequence[str]) -> tuple[int, str]:
    """The exit code, and the last line that was printed."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    lines = (done.stdout or done.stderr).strip().splitlines()
    return done.returncode, lines[-1] if lines else ""

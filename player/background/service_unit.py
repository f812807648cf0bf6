"""The player without a screen as a service of the user's systemd: the unit, and its file (systemd.unit(5))."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from player.errors import EarmarkError
from player.text.sentences import _

NAME = "earmark.service"
_OURS = "# Made by: earmark service install"
_PATIENCE_S = 20.0
_PLAIN = re.compile(r"[\w/.:=,+-]+", re.ASCII)
_SIGNALS = "129 130 143"
"""The exit codes after SIGHUP, SIGINT and SIGTERM, which are an orderly end."""


class ServiceError(EarmarkError):
    """The service can't be installed, or systemd refuses."""


def unit_text(command: Sequence[str], home: str | None) -> str:
    """The unit that runs `command`; `home` is EARMARK_HOME, if that is set. Raises ServiceError if a path can't be
    written in a unit."""
    program, *arguments = command
    return "\n".join(
        [
            _OURS,
            "[Unit]",
            "Description=Earmark, a podcast player, without a screen",
            "Documentation=man:earmark(1)",
            "After=pipewire-pulse.service pulseaudio.service",
            "",
            "[Service]",
            "Type=notify",
            f"ExecStart={' '.join([_quoted(program), *(_quoted(word).replace('$', '$$') for word in arguments)])}",
            *_environment(home),
            f"SuccessExitStatus={_SIGNALS}",
            "Restart=on-failure",
            "RestartSec=30",
            "TimeoutStopSec=5",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )


def unit_path(environ: Mapping[str, str] = os.environ) -> Path:
    config = environ.get("XDG_CONFIG_HOME", "")
    folder = Path(config) if config.startswith("/") else Path(environ.get("HOME", "~")).expanduser() / ".config"
    return folder / "systemd" / "user" / NAME


def is_installed(path: Path) -> bool:
    """Raises ServiceError if another unit has that name."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ServiceError(_("Can't read {file} ({reason})", file=path, reason=error.strerror)) from error
    if not text.startswith(_OURS):
        raise ServiceError(
            _("{file} wasn't made by Earmark, so it stays as it is", file=path), _("Move it away, then try again.")
        )
    return True


def is_for(path: Path, home: str | None) -> bool:
    """Whether the installed unit plays from the library of that EARMARK_HOME; None: the default library. Raises
    ServiceError."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ServiceError(_("Can't read {file} ({reason})", file=path, reason=error.strerror)) from error
    return [one for one in lines if one.startswith("Environment=")] == _environment(home)


def _environment(home: str | None) -> list[str]:
    return [f"Environment={_quoted(f'EARMARK_HOME={home}')}"] if home else []


def write_unit(path: Path, text: str) -> None:
    """Raises ServiceError; then the earlier unit is still there."""
    is_installed(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ServiceError(_("Can't write {file} ({reason})", file=path, reason=error.strerror)) from error


def remove_unit(path: Path) -> bool:
    """False if there was none. Raises ServiceError."""
    if not is_installed(path):
        return False
    try:
        path.unlink()
    except OSError as error:
        raise ServiceError(_("Can't delete {file} ({reason})", file=path, reason=error.strerror)) from error
    return True


def systemctl(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs `systemctl --user WORDS`; its exit code isn't checked. Raises ServiceError if there is no systemctl, or if
    it doesn't answer."""
    program = shutil.which("systemctl")
    if program is None:
        raise no_systemd()
    try:
        return subprocess.run(
            [program, "--user", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ServiceError(_("systemctl didn't answer ({error})", error=type(error).__name__)) from error


def is_running() -> bool:
    """Whether a systemd that can run services is running for this user."""
    try:
        asked = systemctl("show-environment")
    except ServiceError:
        return False
    return asked.returncode == 0


def no_systemd() -> ServiceError:
    return ServiceError(
        _("There is no systemd for this user here, as in most containers"),
        _("Run this as the service instead: earmark play --headless --stay"),
    )


def _quoted(word: str) -> str:
    """Quoted for a unit: in quotation marks if needed, with C's escapes, and without specifiers."""
    if _PLAIN.fullmatch(word):
        return word
    if any(ord(one) < 32 or ord(one) == 127 for one in word):
        raise ServiceError(_("{path} can't be used in a systemd unit", path=ascii(word)))
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'

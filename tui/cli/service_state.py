"""The state of the service of the user's systemd, for commands that look for a running Earmark."""

import os
from collections.abc import Mapping
from pathlib import Path

from player.background import service_unit as unit
from player.background.service_unit import ServiceError
from player.text.cleaning import clean_line
from player.text.sentences import _

_WORD = 20


def home(environ: Mapping[str, str] = os.environ) -> str | None:
    """EARMARK_HOME as it stands in a unit; None where it isn't set."""
    folder = environ.get("EARMARK_HOME")
    return str(Path(folder).expanduser().absolute()) if folder else None


def standing() -> str:
    """systemd's word for the service that plays from this library (is-active of systemctl(1)): `active`, `activating`,
    `inactive`, `failed` ...; "" where none is installed, or there is no systemd."""
    path = unit.unit_path()
    try:
        if not (unit.is_installed(path) and unit.is_for(path, home())):
            return ""
        return clean_line(unit.systemctl("is-active", unit.NAME).stdout, _WORD)
    except ServiceError:
        return ""


def standing_text(word: str) -> tuple[str, str]:
    """What is to be said about a service that isn't active, and what to do; "" for nothing."""
    match word:
        case "" | "active":
            return "", ""
        case "failed":
            return _("the service failed"), _("See why: journalctl --user -u earmark")
        case "activating" | "reloading":
            return _("the service is starting"), _("Try again in a moment.")
        case _:
            return _("the service is installed, but it doesn't run"), _("Start it: systemctl --user start earmark")

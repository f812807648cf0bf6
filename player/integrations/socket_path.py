"""The control socket's path: its limit, and where it is by the environment alone."""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from player.errors import ControlError
from player.text.sentences import _

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST = 103 if sys.platform == "darwin" else 107
"""Bytes of a socket's path: sun_path of unix(4) and unix(7), less the zero at its end."""


def plain_socket_path(environ: Mapping[str, str]) -> str | None:
    """`Paths.of(environ).socket`, without the libraries that needs; None where only they can say."""
    home, runtime = environ.get("EARMARK_HOME", ""), environ.get("XDG_RUNTIME_DIR", "")
    if home:
        return f"{home}/run/control.sock" if _is_plain(home) else None
    return f"{runtime}/earmark/control.sock" if sys.platform == "linux" and _is_plain(runtime) else None


def _is_plain(folder: str) -> bool:
    return folder.startswith("/") and folder == os.path.normpath(folder)


def check_length(path: "Path | str") -> None:
    """Raises ControlError when the path is longer than the system allows for a socket."""
    length = len(os.fsencode(path))
    if length > _LONGEST:
        raise ControlError(
            _(
                "The control socket's path is too long ({length} bytes, at most {limit}): {file}",
                length=length,
                limit=_LONGEST,
                file=path,
            ),
            _("Set EARMARK_HOME or XDG_RUNTIME_DIR to a shorter path."),
        )

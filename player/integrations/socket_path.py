"""The limit of a control socket's path."""

import os
import sys
from pathlib import Path

from player.errors import ControlError
from player.text.sentences import _

_LONGEST = 103 if sys.platform == "darwin" else 107
"""Bytes of a socket's path: sun_path of unix(4) and unix(7), less the zero at its end."""


def check_length(path: Path) -> None:
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

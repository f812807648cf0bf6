"""Where the control socket may stand."""

import os
import sys
from pathlib import Path

from player.errors import ControlError

_LONGEST = 103 if sys.platform == "darwin" else 107
"""Bytes of a socket's path: sun_path of unix(4) and unix(7), less the zero at its end."""


def check_length(path: Path) -> None:
    """Raises ControlError when the system takes no socket with so long a path."""
    length = len(os.fsencode(path))
    if length > _LONGEST:
        raise ControlError(
            f"The control socket's path is too long ({length} bytes, at most {_LONGEST}): {path}",
            "Set EARMARK_HOME or XDG_RUNTIME_DIR to a shorter folder.",
        )

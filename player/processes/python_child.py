"""The one way to start another Python: nothing of the working folder is ever on its path."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import player

_ROOT = str(Path(player.__file__).parent.parent)


def command(*arguments: str) -> list[str]:
    """Python with these arguments (`-m`, a module), for a process with `environment`. `-P` leaves out the working
    folder, whose `vlc.py` or `player` would be imported."""
    return [sys.executable, "-P", *arguments]


def lone_script(file: Path, *arguments: str) -> list[str]:
    """Python with a script that imports the standard library only: no packages, nothing that the environment says."""
    return [sys.executable, "-I", "-S", "-X", "utf8", str(file), *arguments]


def environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """With this Earmark on the path first. An empty or relative entry of PYTHONPATH is the working folder, or below
    it: none is passed on."""
    environ = os.environ if environ is None else environ
    others = [entry for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]  # noqa: PTH117
    return {**environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys([_ROOT, *others]))}

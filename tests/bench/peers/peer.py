"""What the bench asks of a player, Earmark or another one, about a list of feeds on loopback."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from tests.pty.terminal import Terminal

PATIENCE_S = 240.0


class Missing(Exception):
    """It can't be installed on this machine; says why."""


class Peer(Protocol):
    """Each `home` is a folder of its own, with nothing in it at first. What takes time returns it in seconds."""

    name: str

    def install(self) -> str:
        """Its version. Raises Missing."""

    def import_opml(self, home: Path, opml: Path) -> float:
        """From an OPML file to a library that has all of the episodes."""

    def refresh(self, home: Path) -> float:
        """Refreshes all feeds, in its fastest way."""

    def episodes(self, home: Path) -> int:
        """How many its library has."""

    def opened(self, home: Path) -> AbstractContextManager[Terminal]:
        """Its first screen, as soon as it shows rows of that library."""

    def browse(self, terminal: Terminal) -> None:
        """Moves about in it, as somebody would who looks for an episode."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """For what is started here: none of the user's settings, and no proxy between it and loopback."""
    home.mkdir(parents=True, exist_ok=True)
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
        "HOME": str(home),
        "PULSE_SERVER": "unix:/nowhere",
        "no_proxy": "127.0.0.1",
        **more,
    }


def timed(command: Sequence[str | Path], environ: Mapping[str, str]) -> float:
    """How long it ran, in s. Raises subprocess.SubprocessError when it fails or doesn't end."""
    start = time.perf_counter()
    subprocess.run(
        command, check=True, env=environ, timeout=PATIENCE_S, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - start

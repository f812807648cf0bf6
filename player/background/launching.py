"""Starts the player without a screen in a process, session and folder of its own, and waits until it plays."""

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from player.processes.python_child import environment
from player.text.sentences import _

PARENT = "--parent"
"""The option of `earmark play --headless` after which the descriptor stands that is told how it began."""


class Launched(Struct, frozen=True):
    """How it began. `problem`: the sentence that says why nothing plays. `status`: as in the answers of the control
    socket; None where it hasn't said anything yet, or couldn't be opened. `already`: as another Earmark runs."""

    problem: str | None = None
    status: dict[str, Any] | None = None
    already: bool = False


def launch(command: Sequence[str], log: Path, timeout_s: float, environ: Mapping[str, str] = os.environ) -> Launched:
    """Runs `command` (`earmark play --headless` and its options) in the background. Its output goes to the log.

    It has no terminal and belongs to no session of the caller's, so that it outlives both. Returns once it says how it
    began, or after `timeout_s`, when it is still trying.
    """
    reader, writer = os.pipe()
    try:
        try:
            with _log_of(log) as output:
                subprocess.Popen(
                    [*command, PARENT, str(writer)],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=(writer,),
                    start_new_session=True,
                    env=_absolute(environ),
                )
        except OSError as error:
            return Launched(_("Can't start {program} ({reason}).", program=command[0], reason=error.strerror))
        finally:
            os.close(writer)
        return _answer(reader, timeout_s, log)
    finally:
        os.close(reader)


def _answer(handle: int, timeout_s: float, log: Path) -> Launched:
    received, deadline = b"", time.monotonic() + timeout_s
    while not received.endswith(b"\n"):
        if not select.select([handle], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return Launched()
        part = os.read(handle, 65536)
        if not part:
            return Launched(_("The background player ended at once. See {file}", file=log))
        received += part
    document = json.loads(received)
    return Launched(document["problem"], document["status"], document.get("already", False))


def _log_of(path: Path) -> Any:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600), "wb")
    except OSError:
        return open(os.devnull, "wb")  # noqa: PTH123 - it isn't a file of ours


def _absolute(environ: Mapping[str, str]) -> dict[str, str]:
    """It changes to another folder, and what it starts has to find the same files."""
    home = environ.get("EARMARK_HOME")
    return environment({**environ, "EARMARK_HOME": str(Path(home).expanduser().absolute())} if home else environ)

"""How a player without a screen begins: started in a process of its own, given the sound that plays here, reporting
whether it succeeded, or waiting for its turn."""

import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import wait
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from msgspec import Struct

from player import regular_file
from player.background.headless_player import Begun
from player.errors import AlreadyRunning, EarmarkError
from player.integrations.json_api import status_json
from player.integrations.single_instance import is_held
from player.model.playback import ACTIVE
from player.paths import Paths
from player.player import Player
from player.processes.python_child import command, environment
from player.processes.threads import on_own_thread
from player.text.sentences import _, mark, translate


def tell_parent(handle: int, begun: Begun) -> None:
    """Writes one line of JSON to that descriptor, then closes it; `launch` reads the line."""
    _tell(handle, {"problem": begun.problem, "status": status_json(begun.status, {})})


def tell_refusal(handle: int, error: EarmarkError) -> None:
    """The same for a player that couldn't even be opened."""
    _tell(handle, {"problem": str(error), "status": None, "already": isinstance(error, AlreadyRunning)})


def tell_systemd(environ: Mapping[str, str] = os.environ) -> None:
    """Reports that the service has started (sd_notify(3)); does nothing if systemd didn't start it, or didn't ask for
    the report."""
    address = environ.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.settimeout(1.0)
        sender.sendto(b"READY=1", "\0" + address[1:] if address[0] == "@" else address)


def _tell(handle: int, document: object) -> None:
    with suppress(OSError):
        os.write(handle, json.dumps(document).encode() + b"\n")
        os.close(handle)


def earmark_command() -> list[str]:
    """The program, or Python and the module, as paths that are found from any folder."""
    program = Path(sys.argv[0]).absolute()
    if program.name == "earmark" and program.is_file():
        return [str(program)]
    return command("-m", "tui")


PARENT = "--parent"
"""The option of `earmark play --headless` that is followed by the descriptor to report to."""


class Launched(Struct, frozen=True):
    """The outcome of a start. `problem`: the sentence that says why nothing plays. `status`: as in the answers of the
    control socket; None if the player hasn't reported anything yet, or couldn't be opened. `already`: another Earmark
    is running in this role."""

    problem: str | None = None
    status: dict[str, Any] | None = None
    already: bool = False


def launch(command: Sequence[str], log: Path, timeout_s: float, environ: Mapping[str, str] = os.environ) -> Launched:
    """Runs `command` (`earmark play --headless` and its options) in the background. Its output goes to the log.

    It has no terminal and doesn't belong to the caller's session, so that it outlives both. Returns once it reports the
    outcome, or after `timeout_s`, while it is still trying.
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
        regular_file.private_folder(path.parent)
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600), "wb")
    except OSError:
        return open(os.devnull, "wb")  # noqa: PTH123 - it isn't a file of ours


def _absolute(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment with EARMARK_HOME as an absolute path: the process changes to another folder, and the programs
    that it starts have to find the same files."""
    home = environ.get("EARMARK_HOME")
    return environment({**environ, "EARMARK_HOME": str(Path(home).expanduser().absolute())} if home else environ)


_LOOK_S = 0.02
_LATE = mark("The background player didn't start in time.")
TAKE_OVER = "--take-over"
"""The option of `earmark play --headless` that is followed by the word that the giver expects."""


def taking_over(word: str) -> list[str]:
    """The arguments of `earmark` for a player that takes over from the Earmark that expects `word`, which may begin
    with a hyphen."""
    return ["play", "--headless", f"{TAKE_OVER}={word}"]


class Detaching:
    """Hands over the sound of one started player. One call at a time."""

    def __init__(self, player: Player, command: Sequence[str] = ()) -> None:
        """`command` starts this Earmark."""
        self._player = player
        self._command = list(command) or earmark_command()

    @property
    def plays(self) -> bool:
        """Whether there is anything to hand over."""
        return self._player.status.state in ACTIVE

    def run(self, timeout_s: float) -> str | None:
        """Returns None once the sound is in the background for good, where QuitAsked has been published; or a sentence
        that says why the sound continues here. Blocks for at most `timeout_s`."""
        claim = self._player.claim
        giver = self._player.services.giver
        deadline = time.monotonic() + timeout_s
        if giver.expects:  # a handover is under way already, and the terminal is being closed meanwhile
            while giver.expects and not claim.is_gone and time.monotonic() < deadline:
                time.sleep(_LOOK_S)
            return None if claim.is_gone else translate(_LATE)
        word = secrets.token_urlsafe(16)
        giver.expect(word)
        command = [*self._command, *taking_over(word)]
        launched = on_own_thread(lambda: launch(command, self._player.paths.log, timeout_s), "earmark-detach")
        while not claim.is_gone and not launched.done() and time.monotonic() < deadline:
            with suppress(TimeoutError):
                wait([launched], _LOOK_S)
        giver.expect(None)
        if claim.is_gone:
            return None
        if launched.done() and (problem := launched.result().problem) is not None:
            return problem
        return translate(_LATE)


_TURN_S = 1.0


def wait_for_turn(paths: Paths, pause: Callable[[float], None] = time.sleep) -> None:
    """Returns when no process plays. A signal ends the process: there is nothing to save.

    The lock is only checked if there is no control socket, because a process that starts during the check would be
    refused.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    while paths.socket.exists() or is_held(paths.lock):
        pause(_TURN_S)


def _end(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)

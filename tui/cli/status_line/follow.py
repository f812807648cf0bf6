"""`earmark status --follow`: prints a line whenever it would be another one."""

import json
import os
import select
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from player.errors import ControlError, NotRunning
from player.integrations.client import connected
from tui.cli.status_line.fields import Status, forwarded, next_second_in

AGAIN_S = 1.0
"""How soon it is looked again whether Earmark runs."""
_DEAD_S = 150.0
"""There is a line each minute: a server that is silent for so long has stopped."""
_LINE_LIMIT = 1 << 20

Shown = Callable[[Status | None], str]
"""The text for a status; None while no Earmark runs."""


def follow(
    socket_path: Path, shown: Shown, *, moves: bool, complain: Callable[[str], object] = lambda _sentence: None
) -> None:
    """Prints until the output is closed (BrokenPipeError) or ctrl+c (KeyboardInterrupt). `moves`: the text may change
    while nothing happens. `complain` is told once why nothing can be shown."""
    printer = _Printer(shown)
    told = ""
    while True:
        try:
            with connected(socket_path) as connection:
                told = ""
                _follow(connection, printer, moves=moves)
        except NotRunning as error:
            told = _tell_once(error, told, complain)
        except (ControlError, OSError, ValueError, LookupError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            told = _tell_once(error, told, complain)
        printer.show(None)
        _wait(None, AGAIN_S)


class _Printer:
    """Prints a text unless it is the one that was printed last."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._last: str | None = None

    def show(self, status: Status | None) -> None:
        text = self._shown(status)
        if text != self._last:
            self._last = text
            print(text, flush=True)


def _follow(connection: socket.socket, printer: _Printer, *, moves: bool) -> None:
    """Until the other side ends it."""
    pending = b""
    status: Status | None = None
    at = heard = time.monotonic()
    connection.sendall(b'{"command": "follow"}\n')
    connection.setblocking(False)
    while True:
        wait = _DEAD_S - (time.monotonic() - heard)
        if status is not None:
            now = forwarded(status, time.monotonic() - at)
            printer.show(now)
            tick = next_second_in(now) if moves else None
            wait = wait if tick is None else min(wait, tick + 0.002)
        if wait <= 0:
            return
        if not _wait(connection, wait):
            continue
        try:
            part = connection.recv(65536)
        except BlockingIOError:
            continue
        if not part or len(pending) > _LINE_LIMIT:
            return
        heard = time.monotonic()
        *lines, pending = (pending + part).split(b"\n")
        for line in lines:
            event = json.loads(line)
            if event.get("ok") is False:
                raise ControlError(str(event.get("error")).rstrip("."))
            if "status" in event:
                status, at = event["status"], heard


def _wait(connection: socket.socket | None, seconds: float) -> bool:
    """Whether there is something to read. Raises BrokenPipeError when nobody reads what is printed any more."""
    poll = select.poll()
    if connection is not None:
        poll.register(connection, select.POLLIN)
    output = _output()
    if output is not None:
        poll.register(output, 0)
    ready = dict(poll.poll(seconds * 1000))
    if output is not None and ready.get(output, 0) & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
        raise BrokenPipeError
    return connection is not None and connection.fileno() in ready


def _output() -> int | None:
    try:
        number = sys.stdout.fileno()
        os.fstat(number)
    except (OSError, ValueError, AttributeError):
        return None
    return number


def _tell_once(error: Exception, told: str, complain: Callable[[str], object]) -> str:
    """The sentence that was told last."""
    if str(error) != told:
        complain(str(error))
    return str(error)

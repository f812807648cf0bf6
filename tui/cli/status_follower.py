"""`earmark status --follow`: prints a line whenever it would be another one."""

import os
import select
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from player.errors import ControlError
from player.integrations import client
from player.integrations.client import is_status
from tui.cli.status_line import Status, forwarded, next_second_in

AGAIN_S = 1.0
"""How soon it is looked again whether Earmark runs."""
_DEAD_S = 150.0
"""There is a line each minute: a server that is silent for so long has stopped."""

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
            with client.connected(socket_path) as connection:
                _follow(connection, printer, moves=moves)
            problem = ""
        except ControlError as error:
            problem = str(error)
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            problem = str(client.gone())
        if printer.shows_something:
            told = ""
        if problem and problem != told:
            complain(problem)
            told = problem
        printer.show(None)
        _wait(None, AGAIN_S)


class _Printer:
    """Prints a text unless it is the one that was printed last."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._last: str | None = None
        self.shows_something = False

    def show(self, status: Status | None) -> None:
        text = self._shown(status)
        self.shows_something = status is not None
        if text != self._last:
            self._last = text
            print(text, flush=True)


def _follow(connection: socket.socket, printer: _Printer, *, moves: bool) -> None:
    """Until the other side ends it. Raises ControlError: it refuses, is silent, or sends something else.

    Raises OSError, and BrokenPipeError when nobody reads what is printed.
    """
    pending = b""
    status: Status | None = None
    began = at = heard = time.monotonic()
    try:
        connection.sendall(b'{"command": "follow"}\n')
    except OSError as error:  # A broken pipe here isn't that of the output.
        raise client.gone() from error
    connection.setblocking(False)
    while True:
        end = began + client.TIMEOUT_S if status is None else heard + _DEAD_S
        wait = end - time.monotonic()
        if status is not None:
            now = forwarded(status, time.monotonic() - at)
            printer.show(now)
            tick = next_second_in(now) if moves else None
            wait = wait if tick is None else min(wait, tick + 0.002)
        if wait <= 0:
            raise client.silent()
        if not _wait(connection, wait):
            continue
        try:
            part = connection.recv(65536)
        except BlockingIOError:
            continue
        if not part and status is None:
            raise client.gone()
        if not part:
            return
        *lines, pending = (pending + part).split(b"\n")
        if len(pending) > client.LINE_LIMIT:
            raise client.unreadable()
        for line in lines:
            heard = time.monotonic()
            status, at = _status_in(line, status, at)


def _status_in(line: bytes, status: Status | None, at: float) -> tuple[Status | None, float]:
    """The status that a line brings, and when it did; what was known before where it brings none."""
    event = client.parsed(line)
    if event.get("ok") is False:
        raise client.refused(event)
    if "status" not in event:
        return status, at
    if not is_status(event["status"]):
        raise client.unreadable()
    return event["status"], time.monotonic()


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

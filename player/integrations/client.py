"""Sends requests to the running Earmark; the basis of `earmark status` and similar commands. Imports next to
nothing."""

import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from player.errors import ControlError, NotRunning
from player.integrations.answer_check import is_answer
from player.text.sentences import _

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT_S = 5.0
LINE_LIMIT = 1 << 20
"""The most bytes of one answer."""
_LONGEST = 103 if sys.platform == "darwin" else 107
"""The most bytes of a socket's path: sun_path in unix(4) and unix(7), without the terminating zero."""


def plain_socket_path(environ: Mapping[str, str]) -> str | None:
    """`Paths.of(environ).socket`, without importing the libraries for it; None if only these can tell."""
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


def request(socket_path: "Path | str", command: str, **arguments: Any) -> dict[str, Any]:
    """The answer to one command, with its `status`: it has all fields of its document, in the right types.

    Raises ControlError if Earmark isn't running (NotRunning), refuses (with its own sentence), sends something else, or
    hasn't sent its whole answer within five seconds.
    """
    deadline = time.monotonic() + TIMEOUT_S
    line = json.dumps({"command": command, **arguments}).encode() + b"\n"
    with connected(socket_path) as connection:
        try:
            connection.sendall(line)
            reply = _read_line(connection, deadline)
        except TimeoutError as error:
            raise silent() from error
        except OSError as error:
            raise gone() from error
    if not reply:
        raise gone()
    answer = parsed(reply)
    if answer.get("ok") is not True:
        raise refused(answer)
    if not is_answer(answer, command):
        raise unreadable()
    return answer


def connected(socket_path: "Path | str") -> socket.socket:
    """A connection to the running Earmark. Raises ControlError; NotRunning if there is none."""
    check_length(socket_path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(TIMEOUT_S)
        if os.stat(socket_path).st_uid != os.getuid():  # noqa: PTH116 - pathlib takes longer to load than all of this
            raise ControlError(
                _("{file} belongs to another user", file=socket_path), _("Earmark doesn't connect to it.")
            )
        connection.connect(os.fspath(socket_path))
    except BaseException as error:
        connection.close()
        match error:
            case TimeoutError() | BlockingIOError():  # The latter means that too many clients wait before us.
                raise silent() from error
            case PermissionError():
                raise ControlError(_("Can't use {file} ({reason})", file=socket_path, reason=error.strerror)) from error
            case OSError():  # No such file, or one that no process listens on.
                raise NotRunning(_("Earmark isn't running"), _("Start it with: earmark")) from error
        raise
    return connection


def _read_line(connection: socket.socket, deadline: float) -> bytes:
    """One line, or as much as has arrived when the other side hangs up. Raises OSError, TimeoutError at the
    deadline."""
    received = bytearray()
    while b"\n" not in received[-65536:] and len(received) < LINE_LIMIT:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        part = connection.recv(65536)
        if not part:
            break
        received += part
    return bytes(received.partition(b"\n")[0])


def parsed(line: bytes) -> dict[str, Any]:
    """The object in a line. Raises ControlError if it isn't one."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise unreadable() from error
    if not isinstance(document, dict):
        raise unreadable()
    return document


def refused(answer: dict[str, Any]) -> ControlError:
    """The error in an answer that isn't `ok`."""
    sentence, reason = answer.get("error"), answer.get("reason")
    if not sentence or not isinstance(sentence, str):
        sentence = _("The running Earmark refused without giving a reason")
    return ControlError(sentence, reason=reason if isinstance(reason, str) else "")


def unreadable() -> ControlError:
    return ControlError(_("The running Earmark sent an unreadable answer"), _("Restart it."))


def silent() -> ControlError:
    return ControlError(_("Earmark is running but isn't responding"), _("Try again, or restart it."))


def gone() -> ControlError:
    return ControlError(_("Earmark quit before it answered"), _("Start it with: earmark"))

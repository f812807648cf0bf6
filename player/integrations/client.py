"""Asks the Earmark that is running; what `earmark status` and its kin are made of. Imports next to nothing."""

import json
import os
import socket
from typing import TYPE_CHECKING, Any

from player.errors import ControlError, NotRunning
from player.integrations.socket_path import check_length
from player.text.sentences import _

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT_S = 5.0
_REPLY_LIMIT = 1 << 20


def request(socket_path: "Path | str", command: str, **arguments: Any) -> dict[str, Any]:
    """The answer to one command, with its `status`.

    Raises ControlError: none is running, it refuses (its own sentence), or it doesn't answer in five seconds.
    """
    line = json.dumps({"command": command, **arguments}).encode() + b"\n"
    with connected(socket_path) as connection:
        try:
            connection.sendall(line)
            reply = _read_line(connection)
        except TimeoutError as error:
            raise _silent() from error
        except OSError as error:
            raise _gone() from error
    return _checked(reply)


def connected(socket_path: "Path | str") -> socket.socket:
    """A connection to the Earmark that is running. Raises ControlError; NotRunning where there is none."""
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
            case TimeoutError() | BlockingIOError():  # The latter: too many wait before us.
                raise _silent() from error
            case PermissionError():
                raise ControlError(_("Can't use {file} ({reason})", file=socket_path, reason=error.strerror)) from error
            case OSError():  # No such file, or one that nobody listens on.
                raise NotRunning(_("Earmark isn't running"), _("Start it with: earmark")) from error
        raise
    return connection


def _read_line(connection: socket.socket) -> bytes:
    received = bytearray()
    while not received.endswith(b"\n") and len(received) < _REPLY_LIMIT:
        part = connection.recv(65536)
        if not part:
            break
        received += part
    return bytes(received)


def _checked(line: bytes) -> dict[str, Any]:
    if not line:
        raise _gone()
    try:
        reply = json.loads(line)
    except ValueError as error:
        raise ControlError(_("The running Earmark sent an unreadable answer"), _("Restart it.")) from error
    if not isinstance(reply, dict) or reply.get("ok") is not True:
        refused = reply if isinstance(reply, dict) else {}
        sentence = refused.get("error") or _("The running Earmark refused without giving a reason")
        raise ControlError(str(sentence), reason=str(refused.get("reason") or ""))
    return reply


def _silent() -> ControlError:
    return ControlError(_("Earmark is running but isn't responding"), _("Try again, or restart it."))


def _gone() -> ControlError:
    return ControlError(_("Earmark quit before it answered"), _("Start it with: earmark"))

"""Asks the Earmark that is running; what `earmark status` and its kin are made of. Imports next to nothing."""

import json
import os
import socket
from pathlib import Path
from typing import Any

from msgspec import Struct

from player.errors import ControlError, NotRunning
from player.integrations.socket_path import check_length
from player.model.episode import EpisodeId
from player.model.playback import HOLDS_PLACE
from player.text.sentences import _

TIMEOUT_S = 5.0
_REPLY_LIMIT = 1 << 20


def request(socket_path: Path, command: str, **arguments: Any) -> dict[str, Any]:
    """The answer to one command, with its `status`.

    Raises ControlError: none is running, it refuses (its own sentence), or it doesn't answer in five seconds.
    """
    check_length(socket_path)
    line = json.dumps({"command": command, **arguments}).encode() + b"\n"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(TIMEOUT_S)
        try:
            if socket_path.stat().st_uid != os.getuid():
                raise ControlError(
                    _("{file} belongs to another user", file=socket_path), _("Earmark doesn't connect to it.")
                )
            connection.connect(str(socket_path))
        except (TimeoutError, BlockingIOError) as error:  # The latter: too many wait before us.
            raise _silent() from error
        except PermissionError as error:
            raise ControlError(_("Can't use {file} ({reason})", file=socket_path, reason=error.strerror)) from error
        except OSError as error:  # No such file, or one that nobody listens on.
            raise NotRunning(_("Earmark isn't running"), _("Start it with: earmark")) from error
        try:
            connection.sendall(line)
            reply = _read_line(connection)
        except TimeoutError as error:
            raise _silent() from error
        except OSError as error:
            raise _gone() from error
    return _checked(reply)


class Heard(Struct, frozen=True):
    """What the running Earmark plays, or holds paused, and how long the rest takes at its speed: None if unknown."""

    episode_id: EpisodeId
    left_ms: int | None


def heard(socket_path: Path) -> tuple[Heard | None, float]:
    """And the speed of playback. Where no Earmark runs, or none answers, nothing is heard, at normal speed."""
    try:
        status = request(socket_path, "status")["status"]
    except ControlError:
        return None, 1.0
    speed = float(status["speed"])
    if status["episode"] is None or status["state"] not in HOLDS_PLACE:
        return None, speed
    length = status["duration_ms"]
    left = None if length is None else int(max(0, length - status["position_ms"]) / speed)
    return Heard(EpisodeId(status["episode"]["id"]), left), speed


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
        sentence = reply.get("error") if isinstance(reply, dict) else None
        raise ControlError(str(sentence or _("The running Earmark refused without giving a reason")))
    return reply


def _silent() -> ControlError:
    return ControlError(_("Earmark is running but isn't responding"), _("Try again, or restart it."))


def _gone() -> ControlError:
    return ControlError(_("Earmark quit before it answered"), _("Start it with: earmark"))

"""Telling whoever started this process how it began: the program at the other end of a pipe, and systemd."""

import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress

from player.background.runner import Begun
from player.errors import AlreadyRunning, EarmarkError
from player.integrations.json_api import status_json


def tell_parent(handle: int, begun: Begun) -> None:
    """One line of JSON into that descriptor, which is then closed; `launching.py` reads it."""
    _tell(handle, {"problem": begun.problem, "status": status_json(begun.status, {})})


def tell_refusal(handle: int, error: EarmarkError) -> None:
    """The same where it couldn't even be opened."""
    _tell(handle, {"problem": str(error), "status": None, "already": isinstance(error, AlreadyRunning)})


def tell_systemd(environ: Mapping[str, str] = os.environ) -> None:
    """That the service has started (sd_notify(3)); nothing where systemd didn't start it, or doesn't want to know."""
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

"""The messages that two Earmarks exchange during a handover: lines of JSON, and open files with them.

`{"command": "hand_over", "step": "ask", ...}` is answered with an `Offer`; `"step": "give"` with a `Handed`, and with
the lock and the control socket as open files (SCM_RIGHTS of unix(7)); `"step": "taken"` with `{"ok": true}`, after
which the giver is silent and writes nothing; the giver hangs up once everything else in it has ended. The step
`"failed"` gives the sound back to the giver. docs/control-protocol.md describes it for other programs.
"""

import array
import os
import select
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from player.errors import ControlError
from player.integrations import client
from player.integrations.followers import PROTOCOL
from player.integrations.orders import HAND_OVER, refusal
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, Role
from player.playback.handover import SessionMemory

FORM = 2
"""The version of `Handed`: it increases with each change of its contents, and only Earmarks of the same version hand
over."""

GIVEN_S = 4.0
"""Seconds that a receiver waits for the sound that it has asked for."""
TAKEN_S = 3.0
"""Seconds that a giver waits until the receiver plays; after that the giver plays on."""
_LONGEST = 1 << 20


class Lock(Protocol):
    """The lock that only one process has (`InstanceLock`)."""

    def take(self) -> None: ...
    def share(self) -> int | None: ...
    def keep(self) -> None: ...
    def adopt(self, handle: int, /) -> None: ...
    def own(self) -> None: ...


class Step(StrEnum):
    ASK = "ask"
    GIVE = "give"
    TAKEN = "taken"
    FAILED = "failed"


class Reason(StrEnum):
    """Why the sound isn't handed over: the `reason` of a refusal."""

    VERSION = "version"
    """The Earmark that plays has another version."""
    ENDING = "ending"
    STAYS = "stays"
    """It plays in a role that can't be taken over."""
    BUSY = "busy"
    TAKEN_BACK = "taken_back"


class Offer(Struct, frozen=True):
    """The episode that plays, and its process; `at` (time.monotonic, which all processes share) is the time of the
    position."""

    holder: Role
    pid: int
    episode_id: EpisodeId | None = None
    state: PlaybackState = PlaybackState.STOPPED
    position_ms: int = 0
    at: float = 0.0
    speed: float = 1.0
    volume: int = 100


class Handed(Struct, frozen=True):
    """Everything that is handed over besides the library. `offline`: offline mode as chosen by hand. `output` and
    `device` are libvlc's names."""

    session: SessionMemory
    offline: bool = False
    only_here: bool = False
    output: str = ""
    device: str = ""


class Wire:
    """One side of the conversation, on a connection that the caller closes. All methods raise OSError if the other side
    is gone (TimeoutError if it is silent)."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._pending = b""
        self._handles: list[int] = []

    def ask(self, step: Step, **arguments: Any) -> None:
        self._send({"command": HAND_OVER, "step": step, **arguments})

    def answer(self, handles: Sequence[int] = (), **fields: Any) -> None:
        self._send({"ok": True, "protocol": PROTOCOL, **fields}, handles)

    def refuse(self, sentence: str, reason: Reason) -> None:
        self._send({**refusal(sentence, reason), "protocol": PROTOCOL})

    def receive(self, within_s: float) -> tuple[dict[str, Any], list[int]] | None:
        """The next line, and the open files that came with it, which the caller must close; None: the other side has
        hung up."""
        deadline = time.monotonic() + within_s
        while b"\n" not in self._pending:
            # Even after the deadline, for example when this process was stopped: everything that has arrived by then
            # counts.
            self._wait_readable(max(0.0, deadline - time.monotonic()))
            data, handles, _flags, _address = socket.recv_fds(self._connection, 1 << 16, 4)
            self._handles += handles
            if not data or len(self._pending) > _LONGEST:
                self.close_handles()
                return None
            self._pending += data
        line, _newline, self._pending = self._pending.partition(b"\n")
        handles, self._handles = self._handles, []
        try:
            document = msgspec.json.decode(line, type=dict[str, Any])
        except (ValueError, RecursionError):
            return {}, handles
        return document, handles

    def _wait_readable(self, timeout_s: float) -> None:
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        if not poll.poll(timeout_s * 1000):
            raise TimeoutError

    def close_handles(self) -> None:
        """Closes the files that came with an incomplete line."""
        for handle in self._handles:
            with suppress(OSError):
                os.close(handle)
        self._handles = []

    def _send(self, document: dict[str, Any], handles: Sequence[int] = ()) -> None:
        line = msgspec.json.encode(document) + b"\n"
        self._connection.settimeout(GIVEN_S)
        if handles:
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", handles))
            sent = self._connection.sendmsg([line], [rights])
            line = line[sent:]
        self._connection.sendall(line)


def refused(document: dict[str, Any]) -> ControlError | None:
    """The error of a refusal; None if it isn't one."""
    return None if document.get("ok") is True else client.refused(document)


def read_struct(value: Any, kind: Any) -> Any:
    """Reads one of the structs above. Raises ControlError."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise client.unreadable() from error

"""What one client of the control socket says, and is answered."""

import select
import socket
from collections.abc import Callable
from typing import Any, Protocol

from player.errors import ControlError
from player.integrations.arguments import Arguments
from player.integrations.following.follower import PROTOCOL, Follower, encode
from player.integrations.following.followers import Followers
from player.integrations.orders import FOLLOW, HAND_OVER, Tag, read, refusal
from player.text.sentences import _

LINE_LIMIT = 64 * 1024
"""Bytes of one request."""


class HandsOver(Protocol):
    """What hands the sound over to a client that asks for it."""

    def serve(self, connection: socket.socket, arguments: Arguments, /) -> None:
        """Holds the rest of the conversation. Raises ControlError, or OSError where the other side is gone."""
        ...


class Conversation:
    """What one client says, and is answered; once it follows, its answers stand among the events."""

    def __init__(
        self,
        connection: socket.socket,
        reply: Callable[[bytes], dict[str, Any]],
        followers: Followers | None,
        hands_over: HandsOver | None,
    ) -> None:
        self._connection = connection
        self._reply = reply
        self._followers = followers
        self._hands_over = hands_over
        self._follower: Follower | None = None

    def hold(self) -> None:
        pending = b""
        while part := self._receive():
            *lines, pending = (pending + part).split(b"\n")
            for line in lines:
                self._answer(line)
            if len(pending) > LINE_LIMIT:
                self._end_with(too_long())
                return
        if pending:
            self._answer(pending)
        if self._follower is not None and not is_gone(self._connection):
            self._follower.join()  # It has said all it had to say, and listens.

    def _end_with(self, answer_: dict[str, Any]) -> None:
        if self._follower is None:
            self._send(answer_)
        else:
            self._follower.end(encode({**answer_, "protocol": PROTOCOL}))
            self._follower.join()

    def end(self) -> None:
        if self._followers is not None and self._follower is not None:
            self._followers.leave(self._follower)

    def _receive(self) -> bytes:
        """A client that follows may be silent for as long as it likes."""
        while True:
            try:
                return self._connection.recv(LINE_LIMIT)
            except TimeoutError:
                if self._follower is None or self._follower.ended:
                    raise

    def _answer(self, line: bytes) -> None:
        wish = _wish(line)
        if wish is None:
            self._send(self._reply(line))
            return
        command, arguments, tag = wish
        try:
            if self._follower is not None:
                raise ControlError(_("This connection follows already"))
            if command == HAND_OVER and self._hands_over is not None:
                self._hands_over.serve(self._connection, arguments)
            elif command == FOLLOW and self._followers is not None:
                self._follower = self._followers.follow(self._connection, arguments, tag)
            else:
                self._send(self._reply(line))
        except ControlError as error:
            self._send({**refusal(str(error), error.reason), **tag})

    def _send(self, answer_: dict[str, Any]) -> None:
        """Raises OSError: nobody reads it."""
        line = encode({**answer_, "protocol": PROTOCOL})
        if self._follower is None:
            self._connection.sendall(line)
        elif not self._follower.put_answer(line):
            self._follower.join()  # It writes what still waits.
            raise BrokenPipeError


def _wish(line: bytes) -> tuple[str, Arguments, Tag] | None:
    """One of the commands that concern the connection, its arguments, and what its answer carries; None for others."""
    if len(line) > LINE_LIMIT or not any(one.encode() in line for one in (FOLLOW, HAND_OVER)):
        return None
    try:
        command, arguments, tag = read(line)
    except ControlError:
        return None
    return (command, arguments, tag) if command in (FOLLOW, HAND_OVER) else None


def is_gone(connection: socket.socket) -> bool:
    """Whether the other side is closed, and not only done with sending."""
    poll = select.poll()
    poll.register(connection, 0)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))


def too_long() -> dict[str, Any]:
    return refusal(_("That line is too long. The limit is {limit} bytes.", limit=LINE_LIMIT))

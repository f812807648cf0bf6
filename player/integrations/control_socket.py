"""The control socket: one JSON object a line each way, for `earmark status` and its like, and any other program."""

import logging
import os
import select
import selectors
import socket
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from player.errors import ControlError
from player.integrations.following import PROTOCOL, Follower, Followers, encode
from player.integrations.json_api import Ranks
from player.integrations.orders import (
    FOLLOW,
    HAND_OVER,
    Acting,
    Controlled,
    Downloading,
    Follow,
    HandOver,
    Machine,
    Tell,
    answer,
    refusal,
)
from player.integrations.requests import Arguments, Tag, read, typed
from player.integrations.socket_path import check_length
from player.text.sentences import _

LINE_LIMIT = 64 * 1024
"""Bytes of one request."""


HandsOver = Callable[[socket.socket, HandOver], None]
"""Holds the rest of a conversation in which the sound is asked for. Raises ControlError, or OSError where the other
side is gone."""


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
                self._hands_over(self._connection, typed((HandOver,), arguments))
            elif command == FOLLOW and self._followers is not None:
                self._follower = self._followers.follow(self._connection, typed((Follow,), arguments).events, tag)
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


log = logging.getLogger(__name__)

_MOST_CLIENTS = 32
_IDLE_S = 60.0
_JOIN_S = 2.0
_REST_S = 0.2
"""After a client couldn't be heard, as there was no descriptor left for it."""
_REFUSAL_S = 0.0005
"""The least time between two refusals, to all clients together: nonsense by the thousand delays no key."""


class ControlServer:
    """Answers at `socket_path`, for this user alone, from `start` to `close`.

    The process that starts it holds the instance lock, so an existing socket was left behind, and is replaced. `ranks`
    reads where episodes stand in the queue; the library is changed through `acts`, and `tell` is called with what
    another program has undone or removed. `offline`: whether Earmark is. `downloads`: their queue.
    `machine`: the network and the sound output. `followers`: whoever wants to know what happens. `hands_over`: gives
    the sound to another Earmark, and with it the socket that is listened at.
    """

    def __init__(
        self,
        socket_path: Path,
        session: Controlled,
        ranks: Callable[[], Ranks] = dict,
        acts: Acting | None = None,
        tell: Tell = lambda _sentence: None,
        offline: Callable[[], bool] = lambda: False,
        downloads: Downloading | None = None,
        machine: Machine | None = None,
        followers: Followers | None = None,
        hands_over: HandsOver | None = None,
    ) -> None:
        self._path = socket_path
        self._session = session
        self._ranks = ranks
        self._acts = acts
        self._tell = tell
        self._offline = offline
        self._downloads = downloads
        self._machine = machine
        self._followers = followers
        self._hands_over = hands_over
        self._listener: socket.socket | None = None
        self._identity: tuple[int, int] | None = None
        self._waker: socket.socket | None = None
        self._clients: dict[socket.socket, threading.Thread] = {}
        self._lock = threading.Lock()
        self._refusing = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self, listener: socket.socket | None = None) -> None:
        """Raises ControlError or OSError when nothing can be heard at that path; then nothing is left behind.

        `listener`: the socket of the Earmark that played before, where clients may be waiting already.
        """
        if listener is None:
            listener = self._new_listener()
        self._identity = _identity(self._path)
        self._listen_at(listener)

    def rest(self) -> socket.socket | None:
        """Whoever connects from now on waits, until `go_on`; returns the socket where, for another process.

        A `close` before that leaves the path to the other process.
        """
        self._identity = None
        if self._waker is not None:
            self._waker.close()
        if self._thread is not None:
            self._thread.join(_JOIN_S)
        return self._listener

    def go_on(self) -> None:
        """After `rest`."""
        if self._listener is not None and self._thread is not None:
            self._identity = _identity(self._path)
            self._listen_at(self._listener)

    def _listen_at(self, listener: socket.socket) -> None:
        self._listener = listener
        woken, self._waker = socket.socketpair()
        self._thread = threading.Thread(
            target=self._listen, args=(listener, woken), name="earmark-control", daemon=True
        )
        self._thread.start()

    def _new_listener(self) -> socket.socket:
        check_length(self._path)
        _make_private(self._path.parent)
        _clear(self._path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(self._path))
            self._path.chmod(0o600)  # The folder, 0700, kept everybody out until here.
            listener.listen(128)
        except OSError:
            listener.close()
            raise
        return listener

    def close(self) -> None:
        """Ends all conversations, after the answers under way, and takes the socket away.

        May be called twice, or without a start.
        """
        thread, self._thread = self._thread, None
        if thread is None or self._waker is None:
            return
        self._waker.close()
        thread.join(_JOIN_S)
        if self._listener is not None:
            self._listener.close()
        if self._identity is not None and _identity(self._path) == self._identity:
            self._path.unlink(missing_ok=True)
        with self._lock:
            clients = dict(self._clients)
        if self._followers is not None:
            self._followers.close()
        deadline = time.monotonic() + _JOIN_S
        for way in (socket.SHUT_RD, socket.SHUT_RDWR):
            for connection in clients:
                with suppress(OSError):
                    connection.shutdown(way)
            for client in clients.values():
                client.join(max(0.0, deadline - time.monotonic()))

    # -- inside -----------------------------------------------------------------------------------------------

    def _listen(self, listener: socket.socket, woken: socket.socket) -> None:
        with woken, selectors.DefaultSelector() as ready:
            ready.register(listener, selectors.EVENT_READ)
            ready.register(woken, selectors.EVENT_READ)
            rest_s: float | None = None
            told = False
            while not any(key.fileobj is woken for key, _events in ready.select(rest_s)):
                if rest_s is not None:
                    ready.register(listener, selectors.EVENT_READ)
                    rest_s = None
                    continue
                try:
                    connection, _address = listener.accept()
                except OSError:
                    if not told:
                        log.warning("clients of the control socket have to wait", exc_info=True)
                    told, rest_s = True, _REST_S
                    ready.unregister(listener)  # whoever waits there would wake this thread at once
                else:
                    told = False
                    self._welcome(connection)

    def _welcome(self, connection: socket.socket) -> None:
        connection.settimeout(_IDLE_S)
        client = threading.Thread(target=self._talk, args=(connection,), name="earmark-client", daemon=True)
        with self._lock:
            following = len(self._followers) if self._followers is not None else 0
            if has_room := len(self._clients) - following < _MOST_CLIENTS:
                self._clients[connection] = client
        if has_room:
            client.start()
        else:
            _turn_away(connection)

    def _talk(self, connection: socket.socket) -> None:
        try:
            with connection:
                self._converse(connection)
        except OSError:
            log.debug("a client of the control socket went away", exc_info=True)
        finally:
            with self._lock:
                self._clients.pop(connection, None)

    def _converse(self, connection: socket.socket) -> None:
        conversation = Conversation(connection, self._reply, self._followers, self._hands_over)
        try:
            conversation.hold()
        finally:
            conversation.end()

    def _reply(self, line: bytes) -> dict[str, Any]:
        if len(line) > LINE_LIMIT:
            return too_long()
        reply = self._carried_out(line)
        if not reply["ok"]:
            with self._refusing:
                time.sleep(_REFUSAL_S)
        return reply

    def _carried_out(self, line: bytes) -> dict[str, Any]:
        try:
            return answer(
                line,
                self._session,
                self._ranks,
                self._acts,
                self._tell,
                self._offline,
                self._downloads,
                self._machine,
            )
        except Exception:
            log.exception("an order from the control socket failed")
            return refusal(_("Something went wrong inside Earmark. See the log."))


def _turn_away(connection: socket.socket) -> None:
    with connection, suppress(OSError):
        connection.setblocking(False)
        crowded = refusal(_("Too many connections at once. Try again in a moment."))
        connection.sendall(encode({**crowded, "protocol": PROTOCOL}))


def _make_private(folder: Path) -> None:
    """Creates the folder for this user alone. Where everyone may write, somebody else may have created it first."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise ControlError(
            _("{folder} isn't a folder of yours", folder=folder),
            _("Set XDG_RUNTIME_DIR to one, then start again."),
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)


def _clear(path: Path) -> None:
    """Takes away a socket that nobody listens on. Raises ControlError where somebody does, or something else stands."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise ControlError(_("{file} isn't a socket", file=path), _("Move it away, then start again."))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
    raise ControlError(_("Another Earmark, with another library, is listening at {file}", file=path))


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

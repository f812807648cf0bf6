"""The control socket: one JSON object a line each way, for `earmark status`, `earmark toggle` and other programs.

One thread listens; each client has its own, so that a slow client holds up nobody else.
"""

import logging
import os
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
from player.integrations.act_orders import Acting, Tell
from player.integrations.conversation import LINE_LIMIT as LINE_LIMIT
from player.integrations.conversation import Conversation, HandsOver, too_long
from player.integrations.download_orders import Downloading
from player.integrations.following.follower import PROTOCOL, encode
from player.integrations.following.followers import Followers
from player.integrations.json_api import Ranks
from player.integrations.machine_orders import Machine
from player.integrations.orders import Controlled, answer, refusal
from player.integrations.socket_path import check_length
from player.text.sentences import _

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

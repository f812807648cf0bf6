"""The control socket: one JSON object per line in both directions, for `earmark status` and similar commands, and for
any other program.

One thread serves all connections and blocks on none of them: it reads the bytes that have arrived and writes as many as
can be sent. Commands are carried out on other threads, one at a time for each connection.
"""

import logging
import os
import select
import socket
import stat
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from typing import TYPE_CHECKING

from player import regular_file
from player.errors import ControlError
from player.integrations import followers
from player.integrations.client import check_length
from player.integrations.followers import PROTOCOL, Follower, Followers, encode
from player.integrations.json_api import Ranks
from player.integrations.orders import (
    FOLLOW,
    HAND_OVER,
    Answer,
    Follow,
    HandOver,
    Machine,
    Tell,
    answer,
    refusal,
)
from player.integrations.requests import Arguments, Tag, read, typed
from player.processes.threads import DaemonThreads
from player.text.sentences import _

if TYPE_CHECKING:
    from player.acts import Acts
    from player.downloads.downloader import Downloader
    from player.playback.service import PlaybackService

log = logging.getLogger(__name__)

LINE_LIMIT = 64 * 1024
"""The most bytes of one request."""

_MOST_CLIENTS = 32
_IDLE_S = 60.0
_JOIN_S = 2.0
_REST_S = 0.2
"""Seconds until clients are accepted again after no file descriptor was left for one."""
_REFUSAL_S = 0.0005
"""The least time in seconds between two refusals, over all clients: thousands of invalid requests mustn't delay a key
press."""

HandsOver = Callable[[socket.socket, HandOver], None]
"""Carries on a conversation in which another Earmark has asked for the sound. Raises ControlError, or OSError if the
other side is gone."""
Work = Callable[[], Answer | None]


class Conversation:
    """The requests of one client and the answers to them; once the client follows events, the answers are sent among
    the events.

    For the thread of the control socket; no method blocks. Each raises OSError if the client is gone.
    """

    def __init__(self, connection: socket.socket, server: "ControlServer") -> None:
        connection.setblocking(False)
        self.connection = connection
        self.follower: Follower | None = None
        self.due = time.monotonic() + _IDLE_S
        """The latest time at which `go_on` has to be called."""
        self._server = server
        self._lines: deque[bytes] = deque()
        self._incomplete = b""
        self._leaving = memoryview(b"")
        self._command: Future[Answer | None] | None = None
        self._hears = True
        self._ends = False

    @property
    def waits_for(self) -> int:
        """The selector events to wait for. No request is read while a command is carried out."""
        takes_more = self.follower is not None or not self._leaving
        reads = self._hears and takes_more and not (self._lines or self._ends or self.is_busy)
        return (EVENT_READ if reads else 0) | (EVENT_WRITE if self._leaving else 0)

    @property
    def is_busy(self) -> bool:
        """Whether a command is being carried out on another thread, which may be using the connection."""
        return self._command is not None

    def receive(self) -> None:
        with suppress(BlockingIOError):
            part = self.connection.recv(LINE_LIMIT)
            *lines, self._incomplete = (self._incomplete + part).split(b"\n")
            self._lines.extend(lines)
            if not part or len(self._incomplete) > LINE_LIMIT:
                self._hear_last(is_too_long=bool(part))
            self._put_off()

    def _hear_last(self, *, is_too_long: bool) -> None:
        self._hears = False
        if self.follower is not None and is_too_long:
            self.follower.end(encode({**too_long(), "protocol": PROTOCOL}))
        elif self._incomplete:
            self._lines.append(self._incomplete)
        elif self.follower is not None and is_gone(self.connection):
            raise BrokenPipeError

    def go_on(self) -> bool:
        """Does everything that is possible without blocking. Returns False when the conversation is over."""
        if self._command is not None and self._command.done():
            done, self._command = self._command, None
            self._say(done.result())
            self._put_off()
        self._send()
        while self._takes_line:
            self._take(self._lines.popleft())
            self._send()
        if self.is_busy:
            return True
        if self.follower is None:
            return time.monotonic() < self.due and bool(self._hears or self._lines or self._leaving)
        return self._follows(self.follower)

    @property
    def _takes_line(self) -> bool:
        if not self._lines or self.is_busy:
            return False
        return not self._leaving if self.follower is None else self.follower.takes_answers

    def _take(self, line: bytes) -> None:
        wish = _wish(line)
        if wish is None:
            self._do(partial(self._server.reply, line))
            return
        command, arguments, tag = wish
        try:
            if self.follower is not None:
                raise ControlError(_("This connection already follows events"))
            if command == HAND_OVER and (hands_over := self._server.hands_over) is not None:
                self._do(partial(self._hand_over, hands_over, typed((HandOver,), arguments), tag))
            elif command == FOLLOW and (followers := self._server.followers) is not None:
                self.follower = followers.follow(
                    typed((Follow,), arguments).events, tag, partial(self._server.move, self)
                )
            else:
                self._do(partial(self._server.reply, line))
        except ControlError as error:
            self._say({**refusal(str(error), error.reason), **tag})

    def _do(self, work: Work) -> None:
        self._command, self.due = self._server.begin(self, work), float("inf")

    def _hand_over(self, hands_over: HandsOver, asked: HandOver, tag: Tag) -> Answer | None:
        try:
            hands_over(self.connection, asked)
        except ControlError as error:
            return {**refusal(str(error), error.reason), **tag}
        finally:
            self.connection.setblocking(False)
        return None

    def _say(self, answer_: Answer | None) -> None:
        if answer_ is None:
            return
        line = encode({**answer_, "protocol": PROTOCOL})
        if self.follower is None:
            self._leaving = memoryview(line)
        else:
            self.follower.put_answer(line)

    def _send(self) -> None:
        with suppress(BlockingIOError):
            while self._leaving or self._next_event():
                self._leaving = self._leaving[self.connection.send(self._leaving) :]

    def _next_event(self) -> bool:
        line = self.follower.take() if self.follower is not None else None
        if line is not None:
            self._leaving = memoryview(line)
            self._put_off()
        return line is not None

    def _put_off(self) -> None:
        following_ = self.follower is not None and not self._ends
        self.due = time.monotonic() + (followers.HEARTBEAT_S if following_ else _IDLE_S)

    def _follows(self, follower: Follower) -> bool:
        """Whether the follower goes on. Its last line has to be sent within the time that an idle client is given."""
        if follower.ended:
            if not self._ends:
                self._ends = True
                self._put_off()
            return time.monotonic() < self.due and not (follower.over and not self._leaving)
        if time.monotonic() >= self.due:
            if not self._leaving:
                follower.put(followers.line("alive"))
                self._send()
            self._put_off()
        return True


def _wish(line: bytes) -> tuple[str, Arguments, Tag] | None:
    """A command that concerns the connection (FOLLOW or HAND_OVER), its arguments, and the tag of its answer; None for
    any other command."""
    if len(line) > LINE_LIMIT:
        return None
    try:
        command, arguments, tag = read(line)
    except ControlError:
        return None
    return (command, arguments, tag) if command in (FOLLOW, HAND_OVER) else None


def is_gone(connection: socket.socket) -> bool:
    """Whether the other side has closed the connection, and not only its sending half."""
    poll = select.poll()
    poll.register(connection, 0)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))


def too_long() -> Answer:
    return refusal(_("That line is too long. The limit is {limit} bytes.", limit=LINE_LIMIT))


class ControlServer:
    """Answers at `socket_path`, for this user alone, from `start` to `close`.

    The process that starts it holds the instance lock, so an existing socket was left behind, and is replaced. `ranks`
    reads the positions of episodes in the queue; the library is changed through `acts`, and `tell` is called with a
    sentence about what another program has undone or removed. `offline`: whether Earmark is offline. `downloads`: the
    queue of downloads.

    `machine`: the network and the sound output. `followers`: the clients that follow events. `hands_over` gives the
    sound to another Earmark, and the listening socket with it.
    """

    def __init__(
        self,
        socket_path: Path,
        session: "PlaybackService",
        ranks: Callable[[], Ranks] = dict,
        acts: "Acts | None" = None,
        tell: Tell = lambda _sentence: None,
        offline: Callable[[], bool] = lambda: False,
        downloads: "Downloader | None" = None,
        machine: Machine | None = None,
        followers: Followers | None = None,
        hands_over: HandsOver | None = None,
    ) -> None:
        self._path = socket_path
        self._answer = partial(
            answer,
            session=session,
            ranks=ranks,
            acts=acts,
            tell=tell,
            offline=offline,
            downloads=downloads,
            machine=machine,
        )
        self.followers = followers
        self.hands_over = hands_over
        self._listener: socket.socket | None = None
        self._identity: tuple[int, int] | None = None
        self._conversations: list[Conversation] = []
        self._moved: deque[Conversation] = deque()
        """Conversations that can go on. Any thread may add one, and then wakes the serving thread."""
        self._watched: dict[socket.socket, int] = {}
        self._accepting = threading.Lock()
        self._resting = False
        self._accepts_at = 0.0
        self._is_short = False
        """Whether no file descriptor was left for the last client."""
        self._ends_at: float | None = None
        self._strangers: set[int] = set()
        self._refusing = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self, listener: socket.socket | None = None) -> None:
        """Raises ControlError or OSError if it can't listen at that path, and leaves no socket there.

        `listener` is the listening socket of the Earmark that played before, on which clients may be waiting already.
        """
        self._ready, self._watched = DefaultSelector(), {}
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._listener = self._new_listener() if listener is None else listener
        self._listener.setblocking(False)
        self._identity = _identity(self._path)
        self._resting, self._ends_at = False, None
        self._workers = DaemonThreads(_MOST_CLIENTS + followers.MOST_FOLLOWERS, "earmark-command")
        self._thread = threading.Thread(target=self._run, args=(self._listener,), name="earmark-control", daemon=True)
        self._thread.start()

    def rest(self) -> socket.socket | None:
        """Clients that connect from now on wait until `go_on`. Returns the listening socket, to be passed to another
        process.

        A `close` before `go_on` leaves the path to that process.
        """
        self._identity = None
        with self._accepting:
            self._resting = True
        return self._listener

    def go_on(self) -> None:
        """After `rest`."""
        if self._thread is not None:
            self._identity = _identity(self._path)
            self._resting = False
            self._wake()

    def close(self) -> None:
        """Ends all conversations, after the answers in progress, and removes the socket.

        May be called twice, or without a start.
        """
        thread, self._thread = self._thread, None
        if thread is None:
            return
        with self._accepting:
            self._resting = True
        if self._identity is not None and _identity(self._path) == self._identity:
            self._path.unlink(missing_ok=True)
        if self.followers is not None:
            self.followers.close()
        self._ends_at = time.monotonic() + _JOIN_S
        self._wake()
        thread.join(2 * _JOIN_S)

    # -- for conversations --------------------------------------------------------------------------------------

    def begin(self, one: Conversation, work: Work) -> Future[Answer | None]:
        """Does the work on another thread; then the conversation goes on."""
        begun = self._workers.submit(work)
        begun.add_done_callback(lambda _done: self.move(one))
        return begun

    def move(self, one: Conversation) -> None:
        """Makes the conversation go on soon. May be called from any thread."""
        self._moved.append(one)
        self._wake()

    def _wake(self) -> None:
        with suppress(OSError):  # The thread has been woken already, or has ended.
            self._waker.send(b".")

    def reply(self, line: bytes) -> Answer:
        """Carries out a command. Blocks until it is done."""
        if len(line) > LINE_LIMIT:
            return too_long()
        try:
            reply = self._answer(line)
        except Exception:
            log.exception("an order from the control socket failed")
            reply = refusal(_("Something went wrong inside Earmark. See the log."))
        if not reply["ok"]:
            with self._refusing:
                time.sleep(_REFUSAL_S)
        return reply

    # -- inside -----------------------------------------------------------------------------------------------

    def _new_listener(self) -> socket.socket:
        check_length(self._path)
        _make_private(self._path.parent)
        _clear(self._path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(self._path))
            self._path.chmod(0o600)  # Until here the folder, 0700, kept other users out.
            listener.listen(128)
        except OSError:
            listener.close()
            raise
        return listener

    def _run(self, listener: socket.socket) -> None:
        with self._woken, self._waker, listener, self._ready:
            self._watch(self._woken, EVENT_READ, lambda: self._woken.recv(4096))
            while self._ends_at is None:
                accepts = not self._resting and time.monotonic() >= self._accepts_at
                self._watch(listener, EVENT_READ if accepts else 0, partial(self._accept, listener))
                self._serve()
            self._watch(listener, 0)
            listener.close()
            for one in self._conversations:
                with suppress(OSError):
                    one.connection.shutdown(socket.SHUT_RD)
            while self._conversations and time.monotonic() < self._ends_at:
                self._serve()
            for one in tuple(self._conversations):
                self._end(one)
        self._workers.shutdown()

    def _serve(self) -> None:
        """Waits until something can be done, and does it."""
        now = time.monotonic()
        due = [one.due for one in self._conversations]
        due += [one for one in (self._accepts_at, self._ends_at) if one is not None and one > now]
        timeout_s = min(due, default=float("inf")) - now
        for key, events in self._ready.select(None if timeout_s == float("inf") else max(0.0, timeout_s)):
            if not isinstance(key.data, Conversation):
                key.data()
            elif events & EVENT_WRITE or self._succeeds(key.data.receive):
                self._moved.append(key.data)
            else:
                self._end(key.data)
        now = time.monotonic()
        self._moved.extend(one for one in self._conversations if one.due <= now)
        while self._moved:
            self._go_on(self._moved.popleft())

    def _go_on(self, one: Conversation) -> None:
        if one not in self._conversations:
            return
        if self._succeeds(one.go_on):
            self._watch(one.connection, one.waits_for, one)
        else:
            self._end(one)

    def _accept(self, listener: socket.socket) -> None:
        with self._accepting:
            if self._resting:
                return
            try:
                connection, _address = listener.accept()
            except BlockingIOError:  # The client is gone, or another process has accepted it.
                return
            except OSError:
                if not self._is_short:
                    log.warning("clients of the control socket have to wait", exc_info=True)
                self._is_short, self._accepts_at = True, time.monotonic() + _REST_S
                return
        self._is_short = False
        if not self._may_talk(connection):
            _turn_away(connection, _("This Earmark belongs to another user"))
        elif sum(one.follower is None for one in self._conversations) < _MOST_CLIENTS:
            self._conversations.append(Conversation(connection, self))
            self._moved.append(self._conversations[-1])
        else:
            _turn_away(connection, _("Too many connections at once. Try again in a moment."))

    def _may_talk(self, connection: socket.socket) -> bool:
        """Whether the client belongs to this user or root: socket and folder are private, but their permissions may
        have been changed."""
        user = _user_of(connection)
        if user in (None, 0, os.getuid()):
            return True
        if user not in self._strangers:
            log.warning("user %d tried to use the control socket, and is refused each time", user)
            self._strangers.add(user)
        return False

    def _succeeds(self, step: Callable[[], bool | None]) -> bool:
        try:
            return step() is not False
        except OSError:
            log.debug("a client of the control socket went away", exc_info=True)
        except Exception:
            log.exception("a conversation at the control socket failed")
        return False

    def _end(self, one: Conversation) -> None:
        self._conversations.remove(one)
        self._watch(one.connection, 0)
        if self.followers is not None and one.follower is not None:
            self.followers.leave(one.follower)
        if one.is_busy:
            with suppress(OSError):
                one.connection.shutdown(socket.SHUT_RDWR)
        else:
            one.connection.close()

    def _watch(
        self, one: socket.socket, events: int, then: "Conversation | Callable[[], object] | None" = None
    ) -> None:
        """Waits for these events on a socket; with 0, no longer for any."""
        before = self._watched.pop(one, 0)
        if not before and events:
            self._ready.register(one, events, then)
        elif before and not events:
            self._ready.unregister(one)
        elif before != events:
            self._ready.modify(one, events, then)
        if events:
            self._watched[one] = events


def _user_of(connection: socket.socket) -> int | None:
    """The user id of the process that has connected; None on systems where only the socket's permissions keep other
    users out."""
    if sys.platform != "linux":
        return None
    _pid, user, _group = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return int(user)


def _turn_away(connection: socket.socket, why: str) -> None:
    with connection, suppress(OSError):
        connection.setblocking(False)
        connection.sendall(encode({**refusal(why), "protocol": PROTOCOL}))


def _make_private(folder: Path) -> None:
    """Creates the folder for this user alone. Raises ControlError if another user has created it first, as is possible
    in a folder that everyone may write to."""
    regular_file.private_folder(folder)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise ControlError(
            _("{folder} isn't a folder of yours", folder=folder),
            _("Set XDG_RUNTIME_DIR to one, then start again."),
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)


def _clear(path: Path) -> None:
    """Removes a socket that no process listens on. Raises ControlError if one does, or if the file isn't a socket."""
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

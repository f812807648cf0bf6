"""One connection that follows: lines wait in a bounded queue, and a thread of its own writes them."""

import json
import logging
import socket
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from player.text.directions import FSI, PDI
from player.text.sentences import _

log = logging.getLogger(__name__)

PROTOCOL = 1
"""Fields, commands and kinds of events are only ever added, so this rises only if that had to be broken."""

MOST_LINES, MOST_BYTES = 256, 1 << 20
"""What may wait for a follower; one for which more would have to wait is cut off."""

HEARTBEAT_S = 60.0
_MOST_ANSWERS = 32


def encode(document: dict[str, Any]) -> bytes:
    """A line of JSON. Its sentences are without the marks that they have for the screen (`sentences.for_screen`)."""
    text = json.dumps(document, ensure_ascii=False).replace(FSI, "").replace(PDI, "")
    return text.encode("utf-8", "replace") + b"\n"


def line(kind: str, at: float | None = None, **fields: Any) -> bytes:
    """One event. `at`: when it happened, in seconds since 1970; now, unless it is given."""
    return encode({"kind": kind, "at": _moment(at), **fields})


def first_line(tag: dict[str, Any], status: Mapping[str, Any]) -> bytes:
    """The answer to the request with that `tag`."""
    return encode({"ok": True, "protocol": PROTOCOL, **tag, "kind": "status", "at": _moment(None), "status": status})


def _moment(at: float | None) -> str:
    moment = datetime.now(UTC) if at is None else datetime.fromtimestamp(at, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Follower:
    """`put` and `end` never wait, and may be called from any thread; `write` is the life of the writing thread.

    `kinds`: which events it gets; None for all.
    """

    def __init__(self, connection: socket.socket, kinds: frozenset[str] | None) -> None:
        self.kinds = kinds
        self._connection = connection
        self._changed = threading.Condition(threading.RLock())
        self._lines: deque[bytes] = deque()
        self._bytes = 0
        self._last: bytes | None = None
        """The line after which nothing follows."""
        self._over = False
        self._begun = False
        self._thread = threading.Thread(target=self._write, name="earmark-follower", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def begin(self, first: bytes) -> None:
        """Puts its first line; answers and events come after that."""
        with self._changed:
            self._begun = True
            self._append(first)

    def put(self, event: bytes) -> None:
        """Before it has begun and after its end this does nothing. When too much is waiting, it is the end."""
        with self._changed:
            if not self._begun or self.ended:
                return
            if len(self._lines) < MOST_LINES and self._bytes + len(event) <= MOST_BYTES:
                self._append(event)
            else:
                self.cut()

    def cut(self) -> None:
        """It has missed something: its last line says so."""
        with self._changed:
            self._lines.clear()
            self._bytes = 0
            self.end(line("too_slow", error=_("This connection was too slow to follow. Connect again.")))

    def put_answer(self, answer: bytes) -> bool:
        """Waits while many lines are waiting: a client that asks faster than it reads is answered no faster. False when
        nothing is written any more."""
        with self._changed:
            self._changed.wait_for(lambda: (self._begun and len(self._lines) < _MOST_ANSWERS) or self.ended)
            if not self.ended:
                self._append(answer)
            return not self.ended

    def end(self, last: bytes) -> None:
        """What waits is still written, then `last`."""
        with self._changed:
            if self._last is None:
                self._last = last
            self._changed.notify_all()

    def drop(self) -> None:
        """The other side is gone: nothing more is written."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    @property
    def ended(self) -> bool:
        return self._over or self._last is not None

    def join(self, timeout_s: float | None = None) -> None:
        self._thread.join(timeout_s)

    # -- inside -----------------------------------------------------------------------------------------------

    def _append(self, one: bytes) -> None:
        self._lines.append(one)
        self._bytes += len(one)
        self._changed.notify_all()

    def _write(self) -> None:
        try:
            for one in self._waiting():
                self._send(one)
        except OSError:
            log.debug("a follower went away", exc_info=True)
        finally:
            self.drop()
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads

    def _waiting(self) -> Iterator[bytes]:
        while not self._over:
            with self._changed:
                self._changed.wait_for(lambda: self._lines or self.ended, HEARTBEAT_S)
                if self._lines:
                    one = self._lines.popleft()
                    self._bytes -= len(one)
                    self._changed.notify_all()
                elif self._last is not None:
                    self._over, one = True, self._last
                else:
                    one = line("alive")
            yield one

    def _send(self, one: bytes) -> None:
        """Waits as long as the other side doesn't read; but no longer than the connection's time limit for its last
        line."""
        rest = memoryview(one)
        while rest:
            try:
                rest = rest[self._connection.send(rest) :]
            except TimeoutError:
                if self.ended:
                    raise

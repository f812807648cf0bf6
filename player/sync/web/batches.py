"""Sending many entries in few requests, to servers that refuse a whole batch because of one entry."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from player.sync.web.server_errors import StatusError

T = TypeVar("T")

_REFUSED = frozenset({400, 409, 413, 422})
_BROKEN = 500
"""The server is at fault; or it fails at a single action, such as one with too long an address."""
_MOST_FAILS, _MOST_FAILS_AFTER = 8, 64
"""After this many 500s before any entry was taken, or since the last one was, the server itself is to blame."""
_REFUSES_ALL = 8
"""If this many entries are refused, and none is taken, the entries aren't the reason."""


class Batched(Struct, Generic[T]):
    """The outcome of sending. `refused` entries with the status. `left` are to be sent later."""

    sent: list[T]
    refused: list[tuple[T, int]]
    left: list[T]


def send_in_batches(items: Sequence[T], most: int, send: Callable[[Sequence[T]], None]) -> Batched[T]:
    """Sends all entries, `most` at once. A refused batch is halved until the entry is found that the server doesn't
    take; an entry may be sent twice. Raises the SyncError that `send` raises for any other reason."""
    batches = [items[at : at + most] for at in range(0, len(items), most)]
    return _Sender(send).run(batches)


class _Sender(Generic[T]):
    def __init__(self, send: Callable[[Sequence[T]], None]) -> None:
        self._send = send
        self._done: Batched[T] = Batched([], [], [])
        self._suspects: list[T] = []
        self._fails = 0

    def run(self, batches: Sequence[Sequence[T]]) -> Batched[T]:
        waiting = deque(batches)
        while waiting:
            batch = waiting.popleft()
            try:
                self._send(batch)
            except StatusError as error:
                if not self._is_about_one(error):
                    raise
                if len(batch) > 1:
                    middle = len(batch) // 2
                    waiting += batch[:middle], batch[middle:]
                elif error.status == _BROKEN:
                    self._suspects.append(batch[0])
                else:
                    self._refuse(batch[0], error)
            else:
                self._done.sent += batch
                self._fails = 0
        if self._suspects:
            self._judge()
        return self._done

    def _is_about_one(self, error: StatusError) -> bool:
        if error.status != _BROKEN:
            return error.status in _REFUSED
        self._fails += 1
        return self._fails < (_MOST_FAILS_AFTER if self._done.sent else _MOST_FAILS)

    def _refuse(self, one: T, error: StatusError) -> None:
        self._done.refused.append((one, error.status))
        if len(self._done.refused) >= _REFUSES_ALL and not self._done.sent:
            raise error

    def _judge(self) -> None:
        """If the server takes again an entry that it has taken before, it works: then it fails because of the suspects.
        Otherwise they are for later."""
        try:
            if self._done.sent:
                self._send(self._done.sent[:1])
        except StatusError:
            self._done.left += self._suspects
        else:
            self._done.refused += [(one, _BROKEN) for one in self._suspects if self._done.sent]

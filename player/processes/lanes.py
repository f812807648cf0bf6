"""A lane: calls that may take long, made in sequence on a thread of their own."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from player.processes.scheduler import SharedThreads

log = logging.getLogger(__name__)

MOST_WAITING = 256


class Lane:
    """A bounded queue of calls and the daemon thread that makes them, in order. `put` never waits for a call.

    Of waiting calls with the same `kind`, only the newest is made. Every other call is made, unless `most` are waiting
    already: then the oldest is dropped, and that is logged. A call that raises is logged.
    """

    def __init__(self, name: str, *, most: int = MOST_WAITING) -> None:
        """`name` is for the log and the thread's name. The thread starts with the first call."""
        self._name = name
        self._most = most
        self._thread = SharedThreads(1, f"earmark-{name}")
        self._changed = threading.Condition()
        self._waiting: OrderedDict[object, Callable[[], object]] = OrderedDict()
        self._working = False
        self._missed = 0
        self._closed = False
        self._over = False

    def put(self, call: Callable[[], object], kind: Hashable | None = None) -> None:
        """After `close` this does nothing."""
        with self._changed:
            if self._closed:
                return
            first_miss = self._make_room(kind)
            self._waiting[object() if kind is None else kind] = call
            if not self._working:
                self._working = True
                self._thread.submit(self._work)
        if first_miss:
            log.error("the lane %r is too slow: %d calls wait in it, the oldest are dropped", self._name, self._most)

    def close(self, timeout_s: float) -> bool:
        """Makes the waiting calls, for `timeout_s` at most. False when some were not made."""
        with self._changed:
            self._closed = True
            done = self._changed.wait_for(lambda: not self._working, timeout_s)
            self._over = True
            left = len(self._waiting)
        self._thread.shutdown(wait=done)
        if not done:
            log.error("the lane %r was still at work at the end; %d more calls were not made", self._name, left)
        return done

    def _make_room(self, kind: Hashable | None) -> bool:
        """True when a call is dropped for the first time since the lane last caught up."""
        if kind is not None:
            self._waiting.pop(kind, None)
        if len(self._waiting) < self._most:
            return False
        self._waiting.popitem(last=False)
        self._missed += 1
        return self._missed == 1

    def _work(self) -> None:
        while call := self._next():
            try:
                call()
            except BaseException:
                log.exception("a call in the lane %r failed", self._name)

    def _next(self) -> Callable[[], object] | None:
        with self._changed:
            if self._waiting and not self._over:
                return self._waiting.popitem(last=False)[1]
            missed, self._missed = self._missed, 0
            if missed:
                log.error("the lane %r dropped %d calls", self._name, missed)
            self._working = False
            self._changed.notify_all()
            return None

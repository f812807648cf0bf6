"""Thread pools, closing several parts at once, lanes of calls made in sequence, and cancelling work from any thread:
nothing that hangs keeps the process from exiting.
"""

import contextlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import ParamSpec, TypeVar

from player.processes.scheduler import SharedThreads

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")
_Job = Callable[[], None]

_PATIENCE_S = 1.0


class DaemonThreads(ThreadPoolExecutor):
    """A thread pool that never delays exit: its threads end with the process; `shutdown` waits `patience_s` at most.

    Python waits at exit for the threads of a ThreadPoolExecutor, however long they hang on a disk or a server. An event
    loop's default executor has to be one, hence the base class, of which nothing else is used.
    """

    def __init__(self, most: int, name: str, *, patience_s: float = _PATIENCE_S) -> None:
        super().__init__(most, name)
        self._most = most
        self._name = name
        self._patience_s = patience_s
        self._guard = threading.Lock()
        self._jobs: SimpleQueue[tuple[Future[object], _Job] | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._running: list[threading.Thread] = []
        self._over = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Raises RuntimeError after `shutdown`."""
        future: Future[T] = Future()

        def job() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - the future raises it
                future.set_exception(error)

        with self._guard:
            if self._over:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._jobs.put((future, job))  # type: ignore[arg-type]
            if not self._idle.acquire(blocking=False) and len(self._running) < self._most:
                number = len(self._running)
                thread = threading.Thread(target=self._work, name=f"{self._name}_{number}", daemon=True)
                self._running.append(thread)
                thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._guard:
            self._over = True
            if cancel_futures:
                self._cancel_waiting()
            self._jobs.put(None)
        if wait:
            deadline = time.monotonic() + self._patience_s
            for thread in self._running:
                thread.join(max(0.0, deadline - time.monotonic()))

    def _cancel_waiting(self) -> None:
        with suppress(Empty):
            while waiting := self._jobs.get_nowait():
                waiting[0].cancel()

    def _work(self) -> None:
        while (taken := self._jobs.get()) is not None:
            future, job = taken
            if future.set_running_or_notify_cancel():
                job()
            del taken, future, job  # frees what the job refers to before the next one arrives
            self._idle.release()
        self._jobs.put(None)


def on_own_thread(work: Callable[[], T], name: str) -> Future[T]:
    """Runs `work` on a thread of its own, which never delays exit."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()  # from here on it can't be cancelled: the work is done in any case

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - the future raises it
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


class Closing:
    """Closes parts, each in a thread of its own, so that one that hangs or raises doesn't affect the others."""

    def __init__(self, timeout_s: float) -> None:
        """All parts together get `timeout_s`, starting now."""
        self._deadline = time.monotonic() + timeout_s
        self._threads: dict[str, threading.Thread] = {}

    @property
    def left_s(self) -> float:
        return max(0.0, self._deadline - time.monotonic())

    def begin(self, parts: Mapping[str, Callable[[], object]]) -> None:
        for name, close in parts.items():
            thread = threading.Thread(target=_close, args=(name, close), name=f"earmark-close-{name}", daemon=True)
            self._threads[name] = thread
            thread.start()

    def wait(self, at_most_s: float = float("inf")) -> bool:
        """Waits until all parts are closed (True), or the time is up."""
        end = min(self._deadline, time.monotonic() + at_most_s)
        for thread in self._threads.values():
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads.values())

    def finish(self) -> bool:
        """Like `wait`; logs the parts that aren't closed by then."""
        done = self.wait()
        if not done:
            hanging = [name for name, thread in self._threads.items() if thread.is_alive()]
            log.error("not closed in time: %s", ", ".join(hanging))
        return done


def _close(name: str, close: Callable[[], object]) -> None:
    try:
        close()
    except Exception:
        log.exception("closing the %s failed", name)


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


class CancelToken:
    """Set once, from any thread; everything that watches it ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._endings: list[Callable[[], object]] = []
        self._set = False

    @property
    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        with self._lock:
            self._set = True
            endings = tuple(self._endings)
        for end in endings:
            end()

    @contextlib.contextmanager
    def ending(self, end: Callable[[], object]) -> Iterator[None]:
        """While inside, setting the token calls `end`, on the thread that set it; at once if it is set already."""
        with self._lock:
            self._endings.append(end)
            late = self._set
        try:
            if late:
                end()
            yield
        finally:
            with self._lock:
                self._endings.remove(end)

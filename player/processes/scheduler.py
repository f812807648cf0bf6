"""Delayed and periodic work, on a few threads that exist only while there is any."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_IDLE_S = 5.0
"""A thread ends when one fewer would have been enough for this long."""
_UNUSED = "earmark-spare"
"""The name of a thread between two calls; during a call it has the task's name."""


class Scheduler:
    """Makes calls when they are due, each on a thread of its own: a long call delays no other.

    Its threads never delay the end of the process. One of them waits for the next moment at which a call is due.
    """

    def __init__(self, idle_s: float = _IDLE_S) -> None:
        self._idle_s = idle_s
        self._changed = threading.Condition()
        self._waiting: set[Task] = set()
        """All tasks that are due now or later, and aren't being called."""
        self._idle = 0
        self._needed_at = 0.0
        """When the last idle thread was needed."""

    def every(self, seconds: float, call: Callable[[], object], name: str) -> "Task":
        """`call` is made after that many seconds, and again that many seconds after each call has ended, until the task
        is closed."""
        task = Task(self, call, name, every_s=seconds)
        task._ask(seconds, seconds)
        return task

    def task(self, call: Callable[[], object], name: str) -> "Task":
        """A task whose `call` is made when `Task.soon` requests it, and never twice at the same time."""
        return Task(self, call, name)

    def _wait_for(self, task: "Task") -> None:
        """With the lock held."""
        self._waiting.add(task)
        if self._idle:
            self._changed.notify_all()
        else:
            self._start_thread()

    def _start_thread(self) -> None:
        threading.Thread(target=self._work, name=_UNUSED, daemon=True).start()
        self._idle += 1

    def _work(self) -> None:
        thread = threading.current_thread()
        while (task := self._next()) is not None:
            thread.name = f"earmark-{task.name}"
            task._make_call()
            thread.name = _UNUSED
            with self._changed:
                self._idle += 1
                task._has_ended()
            del task  # releases what it refers to before the next task is due

    def _next(self) -> "Task | None":
        """The next task, once it is due; None for a thread that isn't needed any more. It has been counted as idle."""
        with self._changed:
            began = time.monotonic()
            while True:
                now = time.monotonic()
                end = (self._needed_at if self._idle > 1 else began) + self._idle_s
                first = min(self._waiting, key=lambda task: task.due, default=None)
                if first is not None and first.due <= now:
                    break
                if now >= end and (first is None or self._idle > 1):
                    self._idle -= 1
                    return None
                until = end if first is None else first.due if now >= end else min(end, first.due)
                self._changed.wait(until - now)
            self._waiting.discard(first)
            first._running, first._asked_at = True, None
            self._idle -= 1
            if not self._idle:
                self._needed_at = time.monotonic()
                if self._waiting:
                    self._start_thread()
            return first


class Task:
    """A unit of work that a `Scheduler` calls and creates. For any thread."""

    def __init__(
        self, scheduler: Scheduler, call: Callable[[], object], name: str, *, every_s: float | None = None
    ) -> None:
        self._scheduler = scheduler
        self._changed = scheduler._changed
        self._call = call
        self.name = name
        self._every_s = every_s
        self.due = 0.0
        """When it is to be called, if it waits for that."""
        self._asked_at: float | None = None
        """When it was first requested since the last call began."""
        self._thread: int | None = None
        self._running = self._closed = False

    def soon(self, quiet_s: float = 0.0, at_most_s: float = float("inf")) -> None:
        """The call is made once there has been no request for `quiet_s`, and at the latest `at_most_s` after the first
        request; once more if it is being made now. Returns at once; after `close` this does nothing."""
        self._ask(quiet_s, at_most_s)

    def close(self, *, finish: bool = False, timeout_s: float | None = None) -> bool:
        """No more calls are made; with `finish` one last call first, if one was requested. Returns when a call in
        progress has ended, or after `timeout_s`: then False."""
        with self._changed:
            self._closed = True
            if not finish:
                self._asked_at = None
                self._scheduler._waiting.discard(self)
            elif self._asked_at is not None:
                self._due_at(time.monotonic())
            self._changed.notify_all()
            return self._thread == threading.get_ident() or self._changed.wait_for(
                lambda: not self.is_waited_for, timeout_s
            )

    @property
    def is_waited_for(self) -> bool:
        """Whether it is being called, or will be."""
        with self._changed:
            return self._running or self in self._scheduler._waiting

    def _ask(self, quiet_s: float, at_most_s: float) -> None:
        with self._changed:
            if self._closed:
                return
            now = time.monotonic()
            if self._asked_at is None:
                self._asked_at = now
            self._due_at(min(now + quiet_s, self._asked_at + at_most_s))

    def _due_at(self, moment: float) -> None:
        postponed = self in self._scheduler._waiting and moment >= self.due
        self.due = moment
        if not self._running and not postponed:  # a thread that wakes up too early goes on waiting
            self._scheduler._wait_for(self)

    def _make_call(self) -> None:
        self._thread = threading.get_ident()
        try:
            self._call()
        except Exception:
            log.exception("%s failed", self.name)

    def _has_ended(self) -> None:
        self._running, self._thread = False, None
        if self._asked_at is not None:
            self._scheduler._wait_for(self)
        elif self._every_s is not None and not self._closed:
            self._ask(self._every_s, self._every_s)
        self._changed.notify_all()


SHARED = Scheduler()
"""The scheduler of the process."""


class SharedThreads(ThreadPoolExecutor):
    """A thread pool without threads of its own: threads of the process's scheduler, at most `most` at a time, make its
    calls.

    With `most` = 1 they are made one after the other, in order. An event loop's default executor has to be a
    ThreadPoolExecutor, hence the base class, of which nothing else is used.
    """

    def __init__(self, most: int, name: str, *, patience_s: float = 1.0) -> None:
        """`name` is for its threads; `shutdown` waits at most `patience_s`."""
        super().__init__(most, name)
        self._most = most
        self._name = name.removeprefix("earmark-")
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._calls: deque[tuple[Callable[[], bool], Callable[[], None]]] = deque()
        """The functions that cancel and make each call."""
        self._busy = 0
        self._over = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Raises RuntimeError after `shutdown`."""
        future: Future[T] = Future()

        def call() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(fn(*args, **kwargs))
                except BaseException as error:  # noqa: BLE001 - the future raises it
                    future.set_exception(error)

        with self._changed:
            if self._over:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._calls.append((future.cancel, call))
            if self._busy < self._most:
                self._busy += 1
                SHARED.task(self._make_calls, self._name).soon()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._changed:
            self._over = True
            if cancel_futures:
                for cancel, _call in self._calls:
                    cancel()
            if wait:
                self._changed.wait_for(lambda: not self._busy, self._patience_s)

    def _make_calls(self) -> None:
        while call := self._next():
            call()

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            if self._calls:
                return self._calls.popleft()[1]
            self._busy -= 1
            self._changed.notify_all()
            return None

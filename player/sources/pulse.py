"""Work on a thread that may hang on a slow or vanished disk: it shows signs of life, and without them nobody waits."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from player.processes.threads import DaemonThreads

T = TypeVar("T")

_LOOK_S = 0.2


class Stalled(Exception):
    """The work has shown no sign of life for too long."""


class _Abandoned(Exception):
    """Nobody waits for the work any longer."""


class Pulse:
    """Signs of life. The work calls `beat` before everything that may take long."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._abandoned = threading.Event()

    @property
    def silent_s(self) -> float:
        """Seconds since the last sign of life."""
        return time.monotonic() - self._last

    def beat(self) -> None:
        """Raises once nobody waits for the work any longer."""
        if self._abandoned.is_set():
            raise _Abandoned
        self._last = time.monotonic()

    def abandon(self) -> None:
        self._abandoned.set()


async def watched(work: Callable[[Callable[[], None]], T], patience_s: float) -> T:
    """The result of `work`, which runs on a daemon thread of its own and is handed the function to beat with.

    Raises Stalled after `patience_s` without a sign of life, and what the work raises. The thread ends at its next beat
    when this is cancelled.
    """
    pulse = Pulse()
    threads = DaemonThreads(1, "earmark-disk")
    waiting = asyncio.wrap_future(threads.submit(work, pulse.beat))
    threads.shutdown(wait=False)
    try:
        while not waiting.done():
            await asyncio.wait((waiting,), timeout=_LOOK_S)
            if not waiting.done() and pulse.silent_s > patience_s:
                raise Stalled
        return waiting.result()
    finally:
        pulse.abandon()
        waiting.cancel()

"""How fast calls are answered."""

import threading
import time
from collections.abc import Callable

_A_SECOND, _AT_ONCE = 200.0, 100.0


class Pace:
    """100 calls are answered at once, then 200 a second: a program that asks without end makes itself wait, and takes
    little from the rest of Earmark. Its calls wait at the bus, which limits how many. The answers to 100 fit into the
    buffer of a socket: dbus_fast ends a connection whose buffer is full."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] | None = None
    ) -> None:
        self._clock = clock
        self._over = threading.Event()
        self._sleep = sleep or self._over.wait
        self._left = _AT_ONCE
        self._at = clock()

    def wait(self) -> None:
        """Call for each call, on the thread that answers."""
        now = self._clock()
        self._left = min(_AT_ONCE, self._left + (now - self._at) * _A_SECOND) - 1
        self._at = now
        if self._left < 0:
            self._sleep(1 / _A_SECOND)

    def ends(self) -> None:
        """From now on nothing waits."""
        self._over.set()

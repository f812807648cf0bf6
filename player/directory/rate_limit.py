"""How often a directory may be asked. The times of all requests of this process count."""

import threading
import time
from collections import deque
from collections.abc import Callable


class RateLimit:
    """At most `most` requests in `seconds`, and none while the server wants a pause. For any thread."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._times: deque[float] = deque()
        self._paused_until = 0.0

    def take(self) -> float:
        """0 if a request may be sent now, which then counts; else the seconds until one may."""
        with self._lock:
            now = self._clock()
            while self._times and now - self._times[0] >= self._seconds:
                self._times.popleft()
            wait = self._paused_until - now
            if len(self._times) >= self._most:
                wait = max(wait, self._times[0] + self._seconds - now)
            if wait > 0:
                return wait
            self._times.append(now)
            return 0.0

    def pause(self, seconds: float) -> None:
        """No requests for that long: the server asked for it."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

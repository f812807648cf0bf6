"""Letting go of requests under way: a blocked read returns at once when its socket is shut down."""

import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import Any


class Abort:
    """Set once, from any thread; every request that watches it ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watches: set[Watch] = set()
        self._set = False

    @property
    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        with self._lock:
            self._set = True
            watches = tuple(self._watches)
        for watch in watches:
            watch.end()

    @contextlib.contextmanager
    def watch(self, seconds: float) -> Iterator["Watch"]:
        """Ends what happens inside when the abort is set, or after so many seconds."""
        watch = Watch(self)
        timer = threading.Timer(seconds, watch.expire)
        timer.daemon = True
        with self._lock:
            self._watches.add(watch)
        timer.start()
        try:
            yield watch
        finally:
            timer.cancel()
            with self._lock:
                self._watches.discard(watch)
            watch.release()


class Watch:
    """The socket of one request."""

    def __init__(self, abort: Abort) -> None:
        self._abort = abort
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.expired = False

    @property
    def aborted(self) -> bool:
        return self._abort.is_set

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """For httpx's `trace` extension: the socket as soon as there is one, before any answer."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete", ".connect_unix_socket.complete")):
            self.hold(info.get("return_value"))

    def hold(self, stream: Any) -> None:
        """`stream` is what the request reads from now on (httpcore's NetworkStream)."""
        held = stream.get_extra_info("socket") if stream is not None else None
        with self._lock:
            self._socket = held
        if self.aborted or self.expired:
            self.end()

    def expire(self) -> None:
        self.expired = True
        self.end()

    def end(self) -> None:
        with self._lock:
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """The socket may serve another request now."""
        with self._lock:
            self._socket = None

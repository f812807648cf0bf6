"""Many transfers of libcurl on one event loop (its multi_socket interface).

pycurl's AsyncCurlMulti costs twice as much per transfer, and libcurl reports a server's last activity in whole
seconds only.
"""

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pycurl

_KEPT = 64
"""Idle connections kept open for reuse."""


class Multi:
    """Transfers on one event loop. Create it there."""

    def __init__(self) -> None:
        import pycurl

        self._loop = asyncio.get_running_loop()
        self._read, self._write = pycurl.CSELECT_IN, pycurl.CSELECT_OUT
        self._done: dict[pycurl.Curl, asyncio.Future[None]] = {}
        self._watched: dict[int, int] = {}
        self._activity: dict[int, float] = {}
        self._timer: asyncio.Handle | None = None
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, _KEPT)

    async def perform(self, curl: "pycurl.Curl") -> None:
        """Raises pycurl.error. Cancelling it ends the transfer at once."""
        done = self._done[curl] = self._loop.create_future()
        self._multi.add_handle(curl)
        try:
            await done
        finally:
            del self._done[curl]
            self._multi.remove_handle(curl)

    def last_activity(self, curl: "pycurl.Curl") -> float:
        """The loop's time at which a transfer last received something; 0 for never."""
        import pycurl

        found: Any = curl.getinfo(pycurl.ACTIVESOCKET)
        return self._activity.get(found, 0.0)

    def stop(self, curl: "pycurl.Curl", error: Exception) -> None:
        """Ends a transfer with `error`."""
        self._end(curl, error)

    def stop_all(self, error: Exception) -> None:
        """Ends all transfers with `error`."""
        for curl in tuple(self._done):
            self._end(curl, error)

    def unpause(self, curl: "pycurl.Curl") -> None:
        """Resumes a paused transfer."""
        import pycurl

        curl.pause(pycurl.PAUSE_CONT)

    def close(self) -> None:
        """Call it when no transfer is running."""
        self._multi.close()
        self._set_timer(-1)
        for descriptor in tuple(self._watched):
            self._unwatch(descriptor)

    # -- what libcurl wants -----------------------------------------------------------------------------------

    def _watch(self, what: int, descriptor: int, _multi: object, _known: object) -> None:
        """`what` is a set of CSELECT_IN and CSELECT_OUT (POLL_IN and POLL_OUT are the same), or POLL_REMOVE."""
        before = self._watched.get(descriptor, 0)
        if what & ~(self._read | self._write):
            self._unwatch(descriptor)
            return
        self._watched[descriptor] = what
        if what & self._read and not before & self._read:
            self._loop.add_reader(descriptor, self._ready, descriptor, self._read)
        elif before & self._read and not what & self._read:
            self._loop.remove_reader(descriptor)
        if what & self._write and not before & self._write:
            self._loop.add_writer(descriptor, self._ready, descriptor, self._write)
        elif before & self._write and not what & self._write:
            self._loop.remove_writer(descriptor)

    def _unwatch(self, descriptor: int) -> None:
        before = self._watched.pop(descriptor, 0)
        self._activity.pop(descriptor, None)
        if before & self._read:
            self._loop.remove_reader(descriptor)
        if before & self._write:
            self._loop.remove_writer(descriptor)

    def _set_timer(self, milliseconds: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if milliseconds == 0:  # later: libcurl may not be called from its own callbacks
            self._timer = self._loop.call_soon(self._timed)
        elif milliseconds > 0:
            self._timer = self._loop.call_later(milliseconds / 1000, self._timed)

    # -- what happens -----------------------------------------------------------------------------------------

    def _ready(self, descriptor: int, how: int) -> None:
        self._activity[descriptor] = self._loop.time()
        self._drive(descriptor, how)

    def _timed(self) -> None:
        import pycurl

        self._timer = None
        self._drive(pycurl.SOCKET_TIMEOUT, 0)

    def _drive(self, descriptor: int, how: int) -> None:
        import pycurl

        self._multi.socket_action(descriptor, how)
        _, good, bad = self._multi.info_read()
        for curl in good:
            self._end(curl, None)
        for curl, code, text in bad:
            self._end(curl, pycurl.error(code, text))

    def _end(self, curl: "pycurl.Curl", error: Exception | None) -> None:
        done = self._done.get(curl)
        if done is None or done.done():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

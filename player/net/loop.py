"""The thread that runs all requests, and the connections they share."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from player.net.failures import FailureReason, RequestFailed

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

    from player.net.client import Client
    from player.net.connectivity import Watch
    from player.processes.threads import CancelToken

T = TypeVar("T")


class NetworkLoop:
    """An event loop on its own thread, started by the first request. Any thread may call. `connect` and `silence` are
    timeouts in seconds: for connecting, and between two signs of life. `watch` and `direct` are the client's."""

    def __init__(self, connect: float, silence: float, watch: Watch | None = None, *, direct: bool = False) -> None:
        self._watch = watch
        self._direct = direct
        self._connect = connect
        self._silence = silence
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._client: Client | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Runs `work` on the loop. Cancelling the future ends it there. After `close` it is cancelled at once."""
        import asyncio  # 0.04 s, needed only by requests
        from concurrent.futures import Future

        with self._lock:
            if not self._closed:
                return asyncio.run_coroutine_threadsafe(work, self._running())
        work.close()
        refused: Future[T] = Future()
        refused.cancel()
        refused.set_running_or_notify_cancel()
        return refused

    def wait(self, work: Coroutine[Any, Any, T], cancel: CancelToken) -> T:
        """The result of `work`, for another thread, which is blocked until then. Raises what `work` raises, and
        RequestFailed when `cancel` is set or the network is closed."""
        from concurrent.futures import CancelledError

        if cancel.is_set:
            work.close()
            raise RequestFailed(FailureReason.CANCELLED)
        future = self.run(work)
        try:
            with cancel.ending(future.cancel):
                return future.result()
        except CancelledError as error:
            raise RequestFailed(FailureReason.CANCELLED) from error

    def call(self, what: Callable[[], object]) -> None:
        """Calls it soon on the loop; never after `close`."""
        with self._lock:
            if not self._closed:
                self._running().call_soon_threadsafe(what)

    def reach(self, origin: str) -> bool:
        """Whether the server answers at all. Blocks until it does or the request fails."""
        from concurrent.futures import CancelledError

        async def reach() -> bool:
            return await self.client.reach(origin)

        try:
            return self.run(reach()).result()
        except CancelledError:
            return False

    def cut(self) -> None:
        """Ends all running requests, if there are any: Earmark is offline."""
        if self._client is not None:
            self.call(self._client.cut)

    @property
    def client(self) -> Client:
        """The shared client, for the loop's thread."""
        if self._client is None:
            from player.net.client import Client

            self._client = Client(self._connect, self._silence, self._watch, direct=self._direct)
        return self._client

    def close(self) -> None:
        """Cancels all running work. May be called twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is not None and thread is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(loop.stop)
            thread.join()

    # -- inside -----------------------------------------------------------------------------------------------

    def _running(self) -> asyncio.AbstractEventLoop:
        """With the lock held."""
        import asyncio

        if self._loop is None:
            self._loop = asyncio.SelectorEventLoop()
            self._thread = threading.Thread(target=self._work, name="earmark-network", daemon=True)
            self._thread.start()
        return self._loop

    def _work(self) -> None:
        import asyncio

        loop = self._loop
        assert loop is not None
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            if self._client is not None:
                self._client.close()
        finally:
            loop.close()

"""An event loop that looks names up on daemon threads: a lookup can't be let go of, and mustn't hold up the end."""

import asyncio
import contextlib
import socket
import threading
from typing import Any


class Loop(asyncio.SelectorEventLoop):
    async def getaddrinfo(self, host: Any, port: Any, **more: Any) -> Any:
        answer: asyncio.Future[Any] = self.create_future()

        def look_up() -> None:
            try:
                found, error = socket.getaddrinfo(host, port, **more), None
            except Exception as failed:  # noqa: BLE001 — handed to whoever asked
                found, error = [], failed

            def tell() -> None:
                if not answer.done():
                    answer.set_result(found) if error is None else answer.set_exception(error)

            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                self.call_soon_threadsafe(tell)

        threading.Thread(target=look_up, name="earmark-lookup", daemon=True).start()
        return await answer

"""AT-SPI on the session bus, which says whether a screen reader is switched on."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

pytest.importorskip("dbus_fast", reason="dbus_fast is for Linux")

from dbus_fast import PropertyAccess
from dbus_fast.aio import MessageBus
from dbus_fast.annotations import DBusBool
from dbus_fast.service import ServiceInterface, dbus_property


class _Status(ServiceInterface):
    """What AT-SPI's bus launcher says."""

    def __init__(self, *, enabled: bool) -> None:
        super().__init__("org.a11y.Status")
        self._enabled = enabled

    @dbus_property(access=PropertyAccess.READ, name="ScreenReaderEnabled")
    def screen_reader_enabled(self) -> DBusBool:
        return self._enabled


@contextmanager
def accessibility(address: str, *, reads: bool) -> Iterator[None]:
    """AT-SPI on the bus, where a screen reader is switched on (`reads`) or isn't."""
    ready, loop = threading.Event(), asyncio.new_event_loop()

    async def serve() -> None:
        bus = await MessageBus(bus_address=address).connect()
        bus.export("/org/a11y/bus", _Status(enabled=reads))
        await bus.request_name("org.a11y.Bus")
        ready.set()
        await bus.wait_for_disconnect()

    task = loop.create_task(serve())

    def run() -> None:
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert ready.wait(10)
        yield
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()

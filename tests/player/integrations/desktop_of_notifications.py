"""A desktop's service for notifications, on a bus. Its tests are skipped where dbus_fast isn't installed."""

import asyncio
import threading
from typing import Any

import pytest

pytest.importorskip("dbus_fast", reason="dbus_fast is for Linux")

from dbus_fast import Message, MessageType, unpack_variants
from dbus_fast.aio import MessageBus

from player.integrations.desktop.notifications import NAME, PATH


class Desktop:
    """A service for notifications on a bus, in a thread of its own."""

    def __init__(self, address: str, *abilities: str, hangs: bool = False) -> None:
        self._address = address
        self._abilities = list(abilities)
        self._hangs = hangs
        self.shown: list[list[Any]] = []
        self.clients: set[str] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._do(self._join())

    def say(self, signal: str, signature: str, *body: object) -> None:
        self._do(self._send(Message.new_signal(PATH, NAME, signal, signature, list(body))))

    def connected(self) -> int:
        """How many of those that asked are on the bus still."""
        return int(self._do(self._count()))

    def close(self) -> None:
        self._do(self._leave())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    async def _join(self) -> None:
        self._bus = await MessageBus(bus_address=self._address).connect()
        self._bus.add_message_handler(self._answer)
        await self._bus.request_name(NAME)

    async def _send(self, message: Message) -> None:
        await self._bus.send(message)

    async def _count(self) -> int:
        bus = "org.freedesktop.DBus"
        path = "/org/freedesktop/DBus"
        answer = await self._bus.call(Message(destination=bus, path=path, interface=bus, member="ListNames"))
        return len(self.clients & set(answer.body[0]))

    async def _leave(self) -> None:
        self._bus.disconnect()

    def _answer(self, message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL or message.interface != NAME:
            return None
        self.clients.add(message.sender or "")
        if self._hangs:
            return True
        match message.member:
            case "GetCapabilities":
                return Message.new_method_return(message, "as", [self._abilities])
            case "GetServerInformation":
                return Message.new_method_return(message, "ssss", ["A desktop", "Us", "1", "1.3"])
            case "Notify":
                self.shown.append(unpack_variants(message.body))
                return Message.new_method_return(message, "u", [len(self.shown)])
        return None

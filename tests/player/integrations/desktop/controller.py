"""A program on the session bus: a desktop's panel, say. Its tests are skipped where dbus_fast isn't installed."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("dbus_fast", reason="dbus_fast is for Linux")

from dbus_fast import Message, MessageFlag, MessageType, Variant, unpack_variants
from dbus_fast.aio import MessageBus

from player.integrations.desktop.mpris import PATH, PLAYER, ROOT
from player.integrations.desktop.presence import NAME, PROPERTIES

__all__ = [
    "INTROSPECTABLE",
    "NAME",
    "PATH",
    "PLAYER",
    "PROPERTIES",
    "ROOT",
    "CallFailed",
    "Controller",
    "Message",
    "MessageFlag",
    "Variant",
]

INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"

PATIENCE_S = 20.0


class CallFailed(Exception):
    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name


class Controller:
    """A desktop's panel, or whatever else is on the bus."""

    def __init__(self, bus: MessageBus) -> None:
        self.bus = bus
        self.signals: asyncio.Queue[tuple[str, list[Any]]] = asyncio.Queue()
        """Of Earmark: name and arguments, in the order in which they came."""
        self.answered: set[int] = set()
        """The serial numbers of calls that were answered."""

    @classmethod
    async def at(cls, address: str) -> "Controller":
        made = cls(await MessageBus(bus_address=address).connect())
        made.bus.add_message_handler(made._heard)
        await made.ask("org.freedesktop.DBus", "AddMatch", "s", [f"type='signal',path='{PATH}'"], to=_DAEMON)
        return made

    async def ask(
        self,
        interface: str,
        member: str,
        signature: str = "",
        body: list[Any] | None = None,
        *,
        to: tuple[str, str] = (NAME, PATH),
    ) -> Any:
        """The first value of the answer, None where it has none. Raises CallFailed."""
        answer = await asyncio.wait_for(
            self.bus.call(
                Message(
                    destination=to[0],
                    path=to[1],
                    interface=interface,
                    member=member,
                    signature=signature,
                    body=body or [],
                )
            ),
            PATIENCE_S,
        )
        if answer.message_type is MessageType.ERROR:
            raise CallFailed(answer.error_name or "", str(answer.body))
        return unpack_variants(answer.body[0]) if answer.body else None

    async def do(self, member: str, signature: str = "", *body: Any) -> Any:
        return await self.ask(PLAYER, member, signature, list(body))

    async def get(self, name: str) -> Any:
        return await self.ask(PROPERTIES, "Get", "ss", [PLAYER, name])

    async def set(self, name: str, signature: str, value: object) -> None:
        await self.ask(PROPERTIES, "Set", "ssv", [PLAYER, name, Variant(signature, value)])

    async def told(self, member: str) -> list[Any]:
        """The arguments of the next signal, which has this name."""
        name, body = await asyncio.wait_for(self.signals.get(), PATIENCE_S)
        assert name == member
        return body

    async def owners(self) -> list[str]:
        """The names of players on the bus."""
        names = await self.ask("org.freedesktop.DBus", "ListNames", to=_DAEMON)
        return [name for name in names if name.startswith("org.mpris.")]

    def leave(self) -> None:
        self.bus.disconnect()

    def _heard(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.path == PATH:
            if message.interface == "org.freedesktop.DBus.ObjectManager":
                return  # the object itself comes, before Earmark has its name
            self.signals.put_nowait((message.member or "", unpack_variants(message.body)))
        elif message.reply_serial:
            self.answered.add(message.reply_serial)


_DAEMON = ("org.freedesktop.DBus", "/org/freedesktop/DBus")

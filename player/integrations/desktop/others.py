"""Other players on the bus: when one of them starts, Earmark pauses."""

import asyncio
from collections.abc import Callable

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from player.integrations.desktop.interfaces import PATH, PLAYER, PROPERTIES

_DAEMON = "org.freedesktop.DBus"
_RULE = f"type='signal',interface='{PROPERTIES}',member='PropertiesChanged',path='{PATH}',arg0='{PLAYER}'"
_REPEATS_OTHERS = "org.mpris.MediaPlayer2.playerctld"
"""A proxy that repeats, as its own, what the player in use says: Earmark too."""


class Others:
    """In the event loop of the desktop's thread. `pause` is called when another player has started."""

    def __init__(self, pause: Callable[[], object]) -> None:
        self._pause = pause
        self._bus: MessageBus | None = None
        self._asking: asyncio.Task[None] | None = None

    async def listen(self, bus: MessageBus) -> None:
        self._bus = bus
        await bus.call(
            Message(
                destination=_DAEMON,
                path="/org/freedesktop/DBus",
                interface=_DAEMON,
                member="AddMatch",
                signature="s",
                body=[_RULE],
            )
        )

    def heard(self, signal: Message) -> None:
        if self._bus is None or signal.sender in (None, self._bus.unique_name) or not starts(signal):
            return
        if self._asking is None or self._asking.done():
            self._asking = asyncio.ensure_future(self._pause_unless_repeated(self._bus, signal.sender or ""))

    async def _pause_unless_repeated(self, bus: MessageBus, sender: str) -> None:
        owner = await bus.call(
            Message(
                destination=_DAEMON,
                path="/org/freedesktop/DBus",
                interface=_DAEMON,
                member="GetNameOwner",
                signature="s",
                body=[_REPEATS_OTHERS],
            )
        )
        if owner.message_type is MessageType.METHOD_RETURN and owner.body == [sender]:
            return
        self._pause()


def starts(signal: Message) -> bool:
    """Whether a player says that it plays now. Anybody may send anything."""
    if (signal.path, signal.interface, signal.member) != (PATH, PROPERTIES, "PropertiesChanged"):
        return False
    if signal.signature != "sa{sv}as" or signal.body[0] != PLAYER:
        return False
    state = signal.body[1].get("PlaybackStatus")
    return isinstance(state, Variant) and state.signature == "s" and state.value == "Playing"

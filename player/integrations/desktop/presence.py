"""Earmark on the session bus, from connecting until the connection ends. Earmark pauses when another player there
starts."""

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from dbus_fast import DBusError, Message, MessageType, NameFlag, RequestNameReply, Variant
from dbus_fast.aio import MessageBus

from player.integrations.desktop.mpris import PATH, PLAYER, ROOT, Player, Root

log = logging.getLogger(__name__)

NAME = f"{ROOT}.earmark"
PROPERTIES = "org.freedesktop.DBus.Properties"
_DAEMON = "org.freedesktop.DBus"
_RULE = f"type='signal',interface='{PROPERTIES}',member='PropertiesChanged',path='{PATH}',arg0='{PLAYER}'"
_REPEATS_OTHERS = "org.mpris.MediaPlayer2.playerctld"
"""A proxy that repeats the signals of the player in use as its own, including Earmark's."""
_LONGEST_REPLY_S = 5.0
_LOOK_AGAIN_S = (3.0, 15.0)
"""Seconds after which a cover that isn't on this disk yet is looked for again."""


class Presence:
    """One connection to the bus, in the event loop of the desktop's thread. `pause` is called when another player has
    started."""

    def __init__(self, root: Root, player: Player, pause: Callable[[], object] | None) -> None:
        self._root = root
        self._player = player
        self._pause = pause
        self._bus: MessageBus | None = None
        self._pace = Pace()
        self._told: dict[str, Any] = {}
        self._looks: list[asyncio.TimerHandle] = []
        self._asking: asyncio.Task[None] | None = None

    async def stay(self, address: str, connected: Callable[[str], None]) -> None:
        """Connects, and returns when the connection has ended; cancelling ends it. `connected` is called with the name
        that was taken. Raises OSError, EOFError or an error of dbus_fast if it can't connect."""
        asyncio.get_running_loop().set_exception_handler(_unhandled)
        bus = MessageBus(bus_address=address)
        try:
            async with asyncio.timeout(_LONGEST_REPLY_S):
                await bus.connect()
                self._player.look()
                self._told = self._player.told()
                bus.add_message_handler(self._handle)
                bus.export(PATH, self._root)
                bus.export(PATH, self._player)
                self._bus = bus
                name = await _take_name(bus)
                if self._pause is not None:
                    await _ask_daemon(bus, "AddMatch", _RULE)
            connected(name)
            self._look_again()
            await asyncio.shield(bus.wait_for_disconnect())
        finally:
            self._forget_looks()
            await hang_up(bus)

    def hurry(self) -> None:
        """The remaining calls are answered without a pause. May be called from any thread."""
        self._pace.ends()

    def tell(self, jumps: Iterable[int] = ()) -> None:
        """Announces what has changed. Call it when the status has changed. `jumps`: the positions in ms of the jumps
        since the last call."""
        if self._bus is None or not self._bus.connected:
            return
        self._player.look(for_cover=True)
        before, self._told = self._told, self._player.told()
        if news := {name: value for name, value in self._told.items() if before[name] != value}:
            self._player.emit_properties_changed(news)
        for position_ms in jumps:
            self._player.Seeked(position_ms)
        if "Metadata" in news:
            self._look_again()

    # -- inside -----------------------------------------------------------------------------------------------

    def _look_again(self) -> None:
        """A cover may arrive a moment after its episode."""
        self._forget_looks()
        if self._player.lacks_cover:
            loop = asyncio.get_running_loop()
            self._looks = [loop.call_later(seconds, self.tell) for seconds in _LOOK_AGAIN_S]

    def _forget_looks(self) -> None:
        for look in self._looks:
            look.cancel()
        self._looks = []

    def _handle(self, message: Message) -> None:
        """Called before dbus_fast answers. One look for each call, so that all properties in an answer are of the same
        moment."""
        if message.message_type is MessageType.METHOD_CALL:
            self._pace.wait()
            self._player.look()
        elif message.message_type is MessageType.SIGNAL and self._pause is not None:
            self._heard(message, self._pause)

    def _heard(self, signal: Message, pause: Callable[[], object]) -> None:
        if self._bus is None or signal.sender in (None, self._bus.unique_name) or not starts(signal):
            return
        if self._asking is None or self._asking.done():
            self._asking = asyncio.ensure_future(_pause_unless_repeated(self._bus, signal.sender or "", pause))


def _unhandled(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A message that can't be sent was for a connection that has ended, which `stay` notices too."""
    if isinstance(error := context.get("exception"), OSError):
        log.debug("a message wasn't sent: %s", error)
    else:
        loop.default_exception_handler(context)


def _is_fault(record: logging.LogRecord) -> bool:
    """False for a refused call: if the caller wants no answer, dbus_fast logs the refusal as an error."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error and (error.__context__ or error), DBusError)


logging.getLogger("dbus_fast.aio.message_reader").addFilter(_is_fault)


async def hang_up(bus: MessageBus) -> None:
    """Disconnects, and returns when the connection has ended. Raises the error that ended it, if it was lost before."""
    if bus.connected:
        bus.disconnect()
        await bus.wait_for_disconnect()


async def _take_name(bus: MessageBus) -> str:
    """Takes Earmark's name on the bus, and returns it. If another Earmark, with another library, has the name, takes a
    name with the process id (MPRIS, "Bus Name Policy")."""
    for name in (NAME, f"{NAME}.instance{os.getpid()}"):
        reply = await bus.request_name(name, NameFlag.DO_NOT_QUEUE)
        if reply in (RequestNameReply.PRIMARY_OWNER, RequestNameReply.ALREADY_OWNER):
            return name
    return bus.unique_name or ""


async def _ask_daemon(bus: MessageBus, member: str, argument: str) -> Message:
    path = "/org/freedesktop/DBus"
    return await bus.call(
        Message(destination=_DAEMON, path=path, interface=_DAEMON, member=member, signature="s", body=[argument])
    )


async def _pause_unless_repeated(bus: MessageBus, sender: str, pause: Callable[[], object]) -> None:
    owner = await _ask_daemon(bus, "GetNameOwner", _REPEATS_OTHERS)
    if owner.message_type is not MessageType.METHOD_RETURN or owner.body != [sender]:
        pause()


def starts(signal: Message) -> bool:
    """Whether a player announces that it plays now. Any program may send any signal, so everything is checked."""
    if (signal.path, signal.interface, signal.member) != (PATH, PROPERTIES, "PropertiesChanged"):
        return False
    if signal.signature != "sa{sv}as" or signal.body[0] != PLAYER:
        return False
    state = signal.body[1].get("PlaybackStatus")
    return isinstance(state, Variant) and state.signature == "s" and state.value == "Playing"


_A_SECOND, _AT_ONCE = 200.0, 100.0


class Pace:
    """Answers 100 calls at once, then 200 per second: a program that calls without end makes itself wait, and takes
    little time from the rest of Earmark. Its calls wait at the bus, which limits their number. The answers to 100 calls
    fit into the buffer of a socket: dbus_fast ends a connection whose buffer is full."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] | None = None
    ) -> None:
        self._clock = clock
        self._over = threading.Event()
        self._sleep = sleep or self._over.wait
        self._left = _AT_ONCE
        self._at = clock()

    def wait(self) -> None:
        """Call it before each answer, on the thread that answers."""
        now = self._clock()
        self._left = min(_AT_ONCE, self._left + (now - self._at) * _A_SECOND) - 1
        self._at = now
        if self._left < 0:
            self._sleep(1 / _A_SECOND)

    def ends(self) -> None:
        """From now on no answer waits."""
        self._over.set()

"""Earmark on the session bus, from connecting until the connection ends; other players there make it pause."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine, Iterable

from dbus_fast import Message, MessageFlag, MessageType, NameFlag, RequestNameReply, Variant
from dbus_fast.aio import MessageBus

from player.integrations.desktop.calls import CallError, Calls, Pace
from player.integrations.desktop.interfaces import (
    INTERFACES,
    INTROSPECTABLE,
    PATH,
    PLAYER,
    PROPERTIES,
    ROOT,
    introspection,
)
from player.integrations.desktop.properties import (
    NOTHING_KNOWN,
    Properties,
    Track,
    Value,
    changed,
    player_properties,
    position_us,
    root_properties,
    steady_length,
)
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from player.settings import Desktop

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


log = logging.getLogger(__name__)

NAME = f"{ROOT}.earmark"
_LONGEST_REPLY_S = 5.0
_LOOK_AGAIN_S = (3.0, 15.0)
"""When to look again for a cover that isn't on this disk yet."""


class Presence:
    """On the desktop's thread, in its event loop. One for each connection."""

    def __init__(
        self,
        status: Callable[[], PlaybackStatus],
        calls: Calls,
        keys: Desktop,
        known: Callable[[Episode], Track],
        others: Others | None,
    ) -> None:
        """`known` reads from the disk what is shown of an episode; `others` gets the signals of other players."""
        self._status = status
        self._calls = calls
        self._keys = keys
        self._known = known
        self._others = others
        self._bus: MessageBus | None = None
        self._pace = Pace()
        self._told: Properties = {}
        self._track: tuple[EpisodeId | None, Track] = (None, NOTHING_KNOWN)
        self._length_ms: int | None = None
        self._looks: list[asyncio.TimerHandle] = []

    async def stay(self, address: str, connected: Callable[[str], None]) -> None:
        """Returns when the connection has ended; `connected` gets the name that was taken. Raises OSError, EOFError or
        an error of dbus_fast when there is no connection."""
        bus = MessageBus(bus_address=address)
        async with asyncio.timeout(_LONGEST_REPLY_S):
            self._bus = await bus.connect()
            try:
                self._told = self._now()
                bus.add_message_handler(self._handle)
                name = await self._take_name(bus)
                if self._others is not None:
                    await self._others.listen(bus)
            except BaseException:
                bus.disconnect()
                raise
        connected(name)
        self._look_again()
        try:
            await ended(bus)
        finally:
            self._forget_looks()
            self._bus = None

    def hurry(self) -> None:
        """From any thread: what is to be answered still is answered without a pause."""
        self._pace.ends()

    def leave(self) -> None:
        """The name is free again, and `stay` returns."""
        if self._bus is not None:
            self._bus.disconnect()

    def tell(self, jumps: Iterable[int] = ()) -> None:
        """Call when the status says something new. `jumps`: positions in ms that were jumped to since the last call."""
        if self._bus is None or not self._bus.connected:
            return
        self._look_for_cover()
        before, self._told = self._told, self._now()
        if news := changed(before, self._told):
            self._signal(PROPERTIES, "PropertiesChanged", "sa{sv}as", [PLAYER, packed(news), []])
        for position_ms in jumps:
            self._signal(PLAYER, "Seeked", "x", [position_ms * 1000])
        if "Metadata" in news:
            self._look_again()

    # -- what is shown ----------------------------------------------------------------------------------------

    def _now(self) -> Properties:
        """The properties as they are, for the episode that plays now; what is known of it is read, once."""
        status = self._status()
        episode = status.episode
        if episode is None:
            self._track, self._length_ms = (None, NOTHING_KNOWN), None
        elif episode.id != self._track[0]:
            self._track, self._length_ms = (episode.id, self._known(episode)), None
        self._length_ms = steady_length(self._length_ms, status)
        return player_properties(status, self._track[1], self._length_ms, self._keys)

    def _look_for_cover(self) -> None:
        episode, (episode_id, track) = self._status().episode, self._track
        if episode is not None and episode.id == episode_id and not track.art:
            self._track = (episode.id, self._known(episode))

    def _look_again(self) -> None:
        """A cover may come a moment after its episode."""
        self._forget_looks()
        if self._track[0] is not None and not self._track[1].art:
            loop = asyncio.get_running_loop()
            self._looks = [loop.call_later(seconds, self.tell) for seconds in _LOOK_AGAIN_S]

    def _forget_looks(self) -> None:
        for look in self._looks:
            look.cancel()
        self._looks = []

    # -- the bus ----------------------------------------------------------------------------------------------

    async def _take_name(self, bus: MessageBus) -> str:
        """Where another Earmark, with another library, has the name, one with a number of its own (MPRIS, "Bus Name
        Policy")."""
        for name in (NAME, f"{NAME}.instance{os.getpid()}"):
            reply = await bus.request_name(name, NameFlag.DO_NOT_QUEUE)
            if reply in (RequestNameReply.PRIMARY_OWNER, RequestNameReply.ALREADY_OWNER):
                return name
        return bus.unique_name or ""

    def _signal(self, interface: str, member: str, signature: str, body: list[object]) -> None:
        if self._bus is not None:
            sent = self._bus.send(Message.new_signal(PATH, interface, member, signature, body))
            sent.add_done_callback(_seen)

    def _handle(self, message: Message) -> Message | bool | None:
        """None: not ours; the library answers."""
        if message.message_type is MessageType.SIGNAL and self._others is not None:
            self._others.heard(message)
        if message.message_type is not MessageType.METHOD_CALL:
            return None
        self._pace.wait()
        introspects = message.interface == INTROSPECTABLE and introspection(message.path or "") is not None
        if message.path != PATH and not introspects:
            return None
        if message.interface not in (None, INTROSPECTABLE, PROPERTIES, *INTERFACES):
            return None
        try:
            signature, body = self._answer(message)
            answer = Message.new_method_return(message, signature, body)
        except CallError as error:
            answer = Message.new_error(message, error.name, error.text)
        return True if message.flags & MessageFlag.NO_REPLY_EXPECTED else answer

    def _answer(self, message: Message) -> tuple[str, list[object]]:
        """Signature and body. Raises CallError."""
        match message.interface, message.member, message.signature, message.body:
            case "org.freedesktop.DBus.Introspectable", "Introspect", "", _:
                return "s", [introspection(message.path or "")]
            case "org.freedesktop.DBus.Properties", "Get", "ss", [interface, name]:
                if name not in (properties := self._of(interface)):
                    raise CallError("UnknownProperty", f"{interface}.{name} is no property of this object")
                return "v", [_variant(properties[name])]
            case "org.freedesktop.DBus.Properties", "GetAll", "s", [interface]:
                return "a{sv}", [packed(self._of(interface))]
            case "org.freedesktop.DBus.Properties", "Set", "ssv", [interface, name, value]:
                self._calls.set(interface, name, Value(value.signature, value.value))
                return "", []
            case (("org.freedesktop.DBus.Properties" | "org.freedesktop.DBus.Introspectable"), member, signature, _):
                raise CallError("UnknownMethod", f"There is no {member} with '{signature}'")
            case interface, member, signature, body:
                self._calls.call(interface, member or "", signature, body)
                return "", []

    def _of(self, interface: str) -> Properties:
        if interface == ROOT:
            return root_properties()
        if interface == PLAYER:
            position = Value("x", position_us(self._status(), time.monotonic()))
            return {**self._now(), "Position": position}
        raise CallError("UnknownInterface", f"This object has no {interface}")


def ended(bus: MessageBus) -> "asyncio.Future[None]":
    """Done when the connection has ended, whoever ended it; it may raise what ended it."""
    wait: Callable[[], Coroutine[None, None, None]] = bus.wait_for_disconnect
    return asyncio.ensure_future(wait())


def packed(properties: Properties) -> dict[str, Variant]:
    """As an `a{sv}`."""
    return {name: _variant(value) for name, value in properties.items()}


def _variant(value: Value) -> Variant:
    inner = packed(value.value) if isinstance(value.value, dict) else value.value
    return Variant(value.signature, inner)


def _seen(sent: "asyncio.Future[None]") -> None:
    """A signal that couldn't be sent was sent to a connection that has ended, as `stay` notices too."""
    if not sent.cancelled() and (error := sent.exception()) is not None:
        log.debug("a signal wasn't sent: %s", error)

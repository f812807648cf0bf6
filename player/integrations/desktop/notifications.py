"""The desktop's notifications, with buttons, over D-Bus (Desktop Notifications Specification 1.2)."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from player.integrations.desktop.media_keys import bus_address
from player.integrations.notification import Button, Does, Kind, Notification
from player.model.episode import EpisodeId
from player.playback.service import PlaybackService
from player.text.cleaning import clean_line

if TYPE_CHECKING:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus


class Queueing(Protocol):
    def queue_last(self, ids: tuple[EpisodeId, ...], /) -> Future[list[EpisodeId]]: ...


def presser(session: PlaybackService, acts: Queueing) -> Callable[[Button], None]:
    """The function that carries out a pressed button. Any thread may call it; it returns at once, and failures become a
    Notice."""

    def press(button: Button) -> None:
        match button.does:
            case Does.PLAY:
                session.play(button.episode_ids[0])
            case Does.QUEUE:
                acts.queue_last(button.episode_ids)
            case Does.PAUSE:
                session.pause()
            case Does.SKIP:
                session.skip()

    return press


log = logging.getLogger(__name__)
T = TypeVar("T")

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
_RULE = f"type='signal',interface='{NAME}',path='{PATH}'"
_REPLY_S, _JOIN_S = 3.0, 0.3
_LISTEN_S = 600.0
"""The most seconds for which a button works: most desktops keep old notifications in a list for ever."""
_LONGEST = 200


def address_of(environ: Mapping[str, str]) -> str:
    """The session bus of the desktop in front of the listener; "" over SSH, or without a desktop."""
    here = environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    return bus_address(environ) if here and not environ.get("SSH_CONNECTION") else ""


class DesktopService:
    """Shows notifications on the desktop. `press` is called with a button that was pressed, on the thread of this
    service."""

    def __init__(self, press: Callable[[Button], None], environ: Mapping[str, str] = os.environ) -> None:
        self._press = press
        self._address = address_of(environ)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._line: _Line | None = None
        self._buttons: dict[int, tuple[Button, ...]] = {}
        self._numbers: dict[Kind, int] = {}
        self._hang_up_later: asyncio.TimerHandle | None = None

    def show(self, notification: Notification) -> bool:
        """Whether the desktop shows the notification; False if there is no desktop, or it doesn't answer within 3 s."""
        return self._carried_out(lambda: self._show(notification)) is not None

    def server(self) -> str:
        """The name that the desktop's notification service gives itself; "" if there is no service."""
        return self._carried_out(self._server) or ""

    def close(self) -> None:
        """Buttons have no effect from now on. May be called twice, or before any notification was shown."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is not None and thread is not None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(loop.stop)
            thread.join(_JOIN_S)

    # -- inside -----------------------------------------------------------------------------------------------

    def _carried_out(self, work: Callable[[], Coroutine[None, None, T]]) -> T | None:
        """The result of `work`; None if there is no desktop, or it doesn't answer."""
        if (loop := self._running()) is None:
            return None
        try:
            from dbus_fast import DBusFastError
        except ImportError:
            return None
        try:
            return asyncio.run_coroutine_threadsafe(work(), loop).result(_REPLY_S * 2)
        except (OSError, EOFError, TimeoutError, DBusFastError) as error:
            log.info("the desktop shows no notifications: %s", str(error) or type(error).__name__)
        except Exception:
            log.exception("the desktop's service for notifications says something strange")
        return None

    def _running(self) -> asyncio.AbstractEventLoop | None:
        """The event loop; None if there is no bus, or if this service is closed."""
        with self._lock:
            if self._closed or not self._address:
                return None
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._run, args=(self._loop,), name="earmark-notifications", daemon=True
                )
                self._thread.start()
            return self._loop

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
            loop.run_until_complete(self._hang_up())
        finally:
            loop.close()

    async def _show(self, notification: Notification) -> bool:
        async with asyncio.timeout(_REPLY_S):
            line = await self._connected()
            try:
                before = self._numbers.get(notification.kind, 0)
                number = await line.notify(notification, replaces=before)
                self._buttons.pop(before, None)
                self._numbers[notification.kind] = number
                if notification.buttons and line.has_buttons:
                    self._buttons[number] = notification.buttons
            finally:
                await self._listen()
        return True

    async def _server(self) -> str:
        async with asyncio.timeout(_REPLY_S):
            try:
                return clean_line(str((await (await self._connected()).ask("GetServerInformation"))[0]), 60)
            finally:
                await self._listen()

    async def _connected(self) -> "_Line":
        """Raises OSError, EOFError, or an error of dbus_fast."""
        if self._line is None or not self._line.bus.connected:
            self._buttons.clear()
            self._numbers.clear()
            self._line = await _Line.to(self._address, self._heard)
        return self._line

    async def _listen(self) -> None:
        """Keeps the connection while there are buttons, for at most _LISTEN_S."""
        if self._hang_up_later is not None:
            self._hang_up_later.cancel()
        if not self._buttons:
            await self._hang_up()
            return
        loop = asyncio.get_running_loop()
        self._hang_up_later = loop.call_later(_LISTEN_S, lambda: loop.create_task(self._hang_up()))

    async def _hang_up(self) -> None:
        line, self._line = self._line, None
        self._buttons.clear()
        if line is not None:
            await line.end()

    def _heard(self, signal: "Message") -> None:
        """Any program may send such a signal, so it counts only with a number that the server has given to one of our
        notifications."""
        match signal.member, signal.signature, signal.body:
            case "ActionInvoked", "us", [int(number), str(key)]:
                for button in self._buttons.get(number, ()):
                    if button.does == key:
                        self._press(button)
            case "NotificationClosed", "uu", [int(number), _]:
                self._buttons.pop(number, None)


class _Line:
    """A connection to the notification service, for the event loop of this process."""

    def __init__(self, bus: "MessageBus") -> None:
        self.bus = bus
        self._abilities: frozenset[str] = frozenset()

    @classmethod
    async def to(cls, address: str, heard: Callable[["Message"], None]) -> "_Line":
        """Raises OSError, EOFError, or an error of dbus_fast."""
        from dbus_fast import Message, MessageType
        from dbus_fast.aio import MessageBus

        line = cls(await MessageBus(bus_address=address).connect())

        def handle(message: Message) -> None:
            if message.message_type is MessageType.SIGNAL and (message.interface, message.path) == (NAME, PATH):
                heard(message)

        line.bus.add_message_handler(handle)
        try:
            line._abilities = frozenset((await line.ask("GetCapabilities"))[0])
            if line.has_buttons:
                await line._call("org.freedesktop.DBus", "/org/freedesktop/DBus", "AddMatch", "s", [_RULE])
        except BaseException:
            await line.end()
            raise
        return line

    @property
    def has_buttons(self) -> bool:
        return "actions" in self._abilities

    async def notify(self, notification: Notification, *, replaces: int) -> int:
        """Shows a notification. Returns the number that the server gives to it."""
        from dbus_fast import Variant

        body = clean_line(notification.body, _LONGEST)
        buttons = notification.buttons if self.has_buttons else ()
        hints = {
            "desktop-entry": Variant("s", "earmark"),
            "category": Variant("s", f"x-earmark.{notification.kind}"),
            "suppress-sound": Variant("b", True),
        }
        answer = await self.ask(
            "Notify",
            "susssasa{sv}i",
            "Earmark",
            replaces,
            "earmark",
            clean_line(notification.title, _LONGEST),
            escape(body, quote=False) if "body-markup" in self._abilities else body,
            [text for button in buttons for text in (button.does.value, button.label)],
            hints,
            -1,
        )
        return int(answer[0])

    async def ask(self, member: str, signature: str = "", *body: object) -> list[Any]:
        return await self._call(NAME, PATH, member, signature, list(body))

    async def _call(self, name: str, path: str, member: str, signature: str, body: list[object]) -> list[Any]:
        from dbus_fast import DBusFastError, Message, MessageType

        answer = await self.bus.call(
            Message(destination=name, path=path, interface=name, member=member, signature=signature, body=body)
        )
        if answer.message_type is MessageType.ERROR:
            raise DBusFastError(answer.error_name or "no answer")
        return answer.body

    async def end(self) -> None:
        from player.integrations.desktop.presence import hang_up

        await hang_up(self.bus)

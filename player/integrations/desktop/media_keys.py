"""Media keys: the thread that keeps Earmark on the session bus, and what it is told of playback.

What it needs of D-Bus is imported on that thread, a moment after Earmark has started. Without a session bus, or without
the library for it, there are no media keys, and nothing else is different.
"""

import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from player.events import Bus, EpisodeStarted, PlaybackChanged, Resumed, Seeked
from player.integrations.desktop.calls import Opening
from player.integrations.desktop.properties import Track, jumped, says_more
from player.model.episode import Episode, EpisodeId
from player.playback.service import PlaybackService
from player.settings import Settings

if TYPE_CHECKING:
    import asyncio

    from player.integrations.desktop.presence import Presence

log = logging.getLogger(__name__)

_START_S = 1.0
"""Not at once: a start has more urgent things to do."""
_RETRY_S, _RETRY_MOST_S = 1.0, 60.0
_JOIN_S = 0.5
_MOST_JUMPS = 32


def bus_address(environ: Mapping[str, str] = os.environ) -> str:
    """The address of the session bus: as it is set, or where systemd has it; "" where there is none."""
    if address := environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    runtime = environ.get("XDG_RUNTIME_DIR")
    socket = Path(runtime) / "bus" if runtime else None
    return f"unix:path={quote(str(socket), safe='/')}" if socket is not None and socket.exists() else ""


class MediaKeys:
    """From `start` to `close`, from any thread. `find` gives the episode of an address that OpenUri gets, `known` what
    is shown of an episode beside its row; both may read from the disk. `quit` ends Earmark, `asked` opens addresses."""

    def __init__(
        self,
        bus: Bus,
        session: PlaybackService,
        settings: Settings,
        *,
        find: Callable[[str], EpisodeId | None],
        known: Callable[[Episode], Track],
        quit: Callable[[], None],
        asked: Opening | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._events = bus
        self._session = session
        self._settings = settings
        self._find = find
        self._known = known
        self._quit = quit
        self._asked = asked
        self._environ = environ
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._presence: Presence | None = None
        self._stop: asyncio.Event | None = None
        self._seen = session.status
        self._jumps: deque[int] = deque(maxlen=_MOST_JUMPS)
        self._woken = False
        self.name = ""
        """The name on the bus, while there is one."""

    def start(self) -> None:
        if not self._settings.desktop.media_keys or sys.platform != "linux" or self._closing.is_set():
            return
        self._thread = threading.Thread(target=self._run, name="earmark-desktop", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """May be called twice, or without a start."""
        self._closing.set()
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(self._leave)
        if self._presence is not None:
            self._presence.hurry()
        if self._thread is not None:
            self._thread.join(_JOIN_S)

    # -- on the session's thread --------------------------------------------------------------------------------

    def _on_status(self, event: PlaybackChanged) -> None:
        before, self._seen = self._seen, event.status
        if jumped(before, event.status):
            self._jumps.append(event.status.position_ms)
            self._wake()
        elif says_more(before, event.status):
            self._wake()

    def _on_jump(self, event: Seeked | Resumed | EpisodeStarted) -> None:
        """`Resumed` is a jump where sound comes again a little earlier than it paused, `EpisodeStarted` unless it is
        from the start."""
        before, self._seen = self._seen, self._session.status
        match event:
            case Seeked(to_ms=position_ms):
                self._jumps.append(position_ms)
            case EpisodeStarted(position_ms=position_ms) if position_ms:
                self._jumps.append(position_ms)
            case Resumed(position_ms=position_ms) if jumped(before, self._seen):
                self._jumps.append(position_ms)
        self._wake()

    def _wake(self) -> None:
        if not self._woken and self._loop is not None:
            self._woken = True
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._tell)

    # -- on the desktop's thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        if self._closing.wait(_START_S):
            return
        address = bus_address(self._environ)
        if not address:
            log.debug("no media keys: there is no session bus")
            return
        try:
            import asyncio

            import player.integrations.desktop.presence  # noqa: F401 - it needs dbus_fast
        except ImportError as error:
            log.debug("no media keys: %s", error)
            return
        try:
            asyncio.run(self._serve(address))
        except Exception:
            log.exception("the media keys have ended")

    async def _serve(self, address: str) -> None:
        """Stays on the bus, and comes back to it; ends where there is none to begin with."""
        import asyncio

        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        ends = (
            self._events.subscribe(PlaybackChanged, self._on_status),
            self._events.subscribe(Seeked, self._on_jump),
            self._events.subscribe(Resumed, self._on_jump),
            self._events.subscribe(EpisodeStarted, self._on_jump),
        )
        wait_s, was_there = _RETRY_S, False
        try:
            while not self._closing.is_set():
                if await self._stay(address):
                    wait_s, was_there = _RETRY_S, True
                elif not was_there:
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), wait_s)
                wait_s = min(_RETRY_MOST_S, wait_s * 2)
        finally:
            for end in ends:
                end()
            self._loop = None

    async def _stay(self, address: str) -> bool:
        """Whether there was a connection; returns when it has ended."""
        from dbus_fast import DBusFastError

        from player.integrations.desktop.calls import Calls
        from player.integrations.desktop.presence import Others, Presence

        settings = self._settings
        calls = Calls(self._session, settings.desktop, settings.playback, self._find, self._quit, self._asked)
        others = Others(self._pause_for_others) if settings.desktop.pause_for_others else None
        self._presence = Presence(lambda: self._session.status, calls, settings.desktop, self._known, others)
        try:
            await self._presence.stay(address, self._connected)
        except (OSError, EOFError, DBusFastError) as error:
            log.debug("no media keys: %s", str(error) or type(error).__name__)
        finally:
            was_there, self.name, self._presence = bool(self.name), "", None
        return was_there

    def _connected(self, name: str) -> None:
        log.debug("media keys work, as %s", name)
        self.name = name

    def _tell(self) -> None:
        self._woken = False
        jumps = [self._jumps.popleft() for _ in range(len(self._jumps))]
        if self._presence is not None:
            self._presence.tell(jumps)

    def _leave(self) -> None:
        if self._stop is not None:
            self._stop.set()
        if self._presence is not None:
            self._presence.leave()

    def _pause_for_others(self) -> None:
        from player.model.playback import ACTIVE

        if self._session.status.state in ACTIVE:
            self._session.pause()

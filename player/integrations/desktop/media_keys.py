"""Media keys: the thread that keeps Earmark on the session bus, and how it learns about playback.

The libraries for D-Bus are imported on that thread, a moment after Earmark has started. Without a session bus, or
without the library for it, there are no media keys, and nothing else is different.
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

from player.errors import EarmarkError
from player.events import Bus, EpisodeStarted, PlaybackChanged, Resumed, Seeked
from player.integrations.requests import Asked
from player.library import Library
from player.library.search.index import plain
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import ACTIVE, PlaybackStatus
from player.playback.service import PlaybackService
from player.settings import Settings
from player.text.cleaning import clean_line
from player.text.sentences import _

if TYPE_CHECKING:
    import asyncio

    from player.integrations.desktop.presence import Presence

log = logging.getLogger(__name__)

_START_S = 1.0
"""Seconds until the thread connects: the start of Earmark has more urgent things to do."""
_RETRY_S, _RETRY_MOST_S = 1.0, 60.0
_JOIN_S, _PATIENCE_S = 0.5, 2.0
_MOST_JUMPS, _JUMP_MS = 32, 500
_UNTOUCHED = ("state", "episode", "speed", "volume", "duration_ms", "live")
_NOTES, _COMMENT = 4_000, 400
"""The most characters of the notes that are read, and of their text that are shown."""


def bus_address(environ: Mapping[str, str] = os.environ) -> str:
    """The address of the session bus: from the environment, or systemd's usual address; "" if there is no bus."""
    if address := environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    runtime = environ.get("XDG_RUNTIME_DIR")
    socket = Path(runtime) / "bus" if runtime else None
    return f"unix:path={quote(str(socket), safe='/')}" if socket is not None and socket.exists() else ""


class MediaKeys:
    """Media keys work from `start` to `close`; any thread may call these. `find` returns the episode for an address
    that OpenUri gets, `known` the address of an episode's cover and the beginning of its notes; both may read from the
    disk. `quit` ends Earmark, `asked` opens addresses."""

    def __init__(
        self,
        bus: Bus,
        session: PlaybackService,
        settings: Settings,
        *,
        find: Callable[[str], EpisodeId | None],
        known: Callable[[Episode], tuple[str, str]],
        quit: Callable[[], None],
        asked: Asked | None = None,
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
        self._serving: asyncio.Task[None] | None = None
        self._seen = session.status
        self._jumps: deque[int] = deque(maxlen=_MOST_JUMPS)
        self._woken = False
        self.name = ""
        """The name on the bus; "" while there is none."""

    def start(self) -> None:
        if not self._settings.desktop.media_keys or sys.platform != "linux" or self._closing.is_set():
            return
        self._thread = threading.Thread(target=self._run, name="earmark-desktop", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """May be called twice, or without a start."""
        self._closing.set()
        if self._loop is not None and self._serving is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._serving.cancel)
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
        """`Resumed` is a jump if playback resumes a little before the point of the pause, `EpisodeStarted` unless the
        episode starts at 0, or in another program that shows its video."""
        before, self._seen = self._seen, self._session.status
        current = self._seen.episode
        match event:
            case Seeked(to_ms=position_ms):
                self._jumps.append(position_ms)
            case EpisodeStarted(episode_id, position_ms) if position_ms and current and current.id == episode_id:
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
        """Stays on the bus, and reconnects after the connection is lost; ends if the first connection fails."""
        import asyncio

        self._loop, self._serving = asyncio.get_running_loop(), asyncio.current_task()
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
                await asyncio.sleep(wait_s)
                wait_s = min(_RETRY_MOST_S, wait_s * 2)
        except asyncio.CancelledError:
            log.debug("the media keys leave the bus")
        finally:
            for end in ends:
                end()
            self._loop = None

    async def _stay(self, address: str) -> bool:
        """Stays until the connection has ended. Returns whether there was a connection."""
        from dbus_fast import DBusFastError

        from player.integrations.desktop.mpris import Player, Root
        from player.integrations.desktop.presence import Presence

        player = Player(self._session, self._settings, find=self._find, known=self._known, asked=self._asked)
        pause = self._pause_for_others if self._settings.desktop.pause_for_others else None
        self._presence = Presence(Root(self._quit), player, pause)
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

    def _pause_for_others(self) -> None:
        if self._session.status.state in ACTIVE:
            self._session.pause()


def says_more(before: PlaybackStatus, status: PlaybackStatus) -> bool:
    """Whether a property may have changed. Called ten times a second, and false while an episode just plays."""
    return (before.next_up is None) is not (status.next_up is None) or any(
        getattr(before, name) != getattr(status, name) for name in _UNTOUCHED
    )


def jumped(before: PlaybackStatus, status: PlaybackStatus) -> bool:
    """Whether the position differs from the position that time alone would give, within the same episode."""
    if before.episode is None or status.episode is None or before.episode.id != status.episode.id:
        return False
    return abs(before.at(status.measured_at).position_ms - status.position_ms) > _JUMP_MS


def track_of(library: Library, cover: Callable[[Episode], str], episode: Episode) -> tuple[str, str]:
    """The `file:` address of the episode's cover, from `cover`, and the beginning of its notes; each is "" if it isn't
    known."""
    try:
        notes = library.episodes.notes(episode.id)
    except EarmarkError:
        notes = ""
    return cover(episode), clean_line(plain(notes[:_NOTES]), _COMMENT)


def episode_at(library: Library, address: str) -> EpisodeId | None:
    """The episode with this audio, or the newest of the podcast with this feed. Raises LibraryError."""
    if (found := library.episodes.at_url(address)) is not None:
        return found
    podcast = library.podcasts.by_url(address)
    if podcast is None:
        return None
    newest = library.episodes.ids(View.of(ViewName.PODCAST, podcast.id), 1)
    return EpisodeId(newest[0]) if newest else None


def obstacle(environ: Mapping[str, str] = os.environ) -> str:
    """Why media keys can't work here, as a phrase for one line; "" if they can. Takes no name on the bus, so other
    programs don't notice it."""
    if sys.platform != "linux":
        return _("none; they need Linux")
    try:
        import asyncio

        from dbus_fast import DBusFastError
        from dbus_fast.aio import MessageBus

        from player.integrations.desktop.presence import hang_up
    except ImportError:
        return _("none; the Python package dbus-fast is missing")
    address = bus_address(environ)
    if not address:
        return _("none; there is no D-Bus session here, as is usual over SSH and in containers")

    async def connect() -> None:
        async with asyncio.timeout(_PATIENCE_S):
            bus = await MessageBus(bus_address=address).connect()
        await hang_up(bus)

    try:
        asyncio.run(connect())
    except TimeoutError:
        return _("none; the D-Bus session doesn't answer")
    except (OSError, EOFError, DBusFastError) as error:
        return _("none; the D-Bus session can't be reached: {error}", error=str(error) or type(error).__name__)
    return ""

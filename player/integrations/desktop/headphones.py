"""Pauses playback when headphones are unplugged, if PulseAudio, or PipeWire in its place, reports it."""

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from player.events import Bus, Notice, PlaybackChanged
from player.model.playback import ACTIVE
from player.playback.service import PlaybackService
from player.text.sentences import _

if TYPE_CHECKING:
    import pulsectl


_EARS = ("headphone", "headset", "hands-free", "handsfree", "earpiece")
"""Words in the names of headphone ports, as ALSA's profiles and BlueZ give them."""


class Sink(Struct, frozen=True):
    """A sound output of PulseAudio or PipeWire.

    `port` is the name of the socket in use, "" if it has none; `unplugged` are the names of the sockets that are known
    to have nothing plugged in.
    """

    port: str = ""
    unplugged: frozenset[str] = frozenset()


class Route(Struct, frozen=True):
    """`sink` is the name of the output that Earmark's sound goes to, "" while there is none."""

    sink: str = ""
    sinks: Mapping[str, Sink] = field(default_factory=dict)


def lost(before: Route, after: Route) -> bool:
    """Whether the output that the sound went to is gone, or its headphones are unplugged.

    If the sound is sent elsewhere while they are still there, the listener wanted that, so nothing is lost.
    """
    if not before.sink:
        return False
    if before.sink not in after.sinks:
        return True
    port = before.sinks[before.sink].port if before.sink in before.sinks else ""
    return for_ears(port) and after.sinks[before.sink].port != port and port in after.sinks[before.sink].unplugged


def for_ears(port: str) -> bool:
    return any(word in port.lower() for word in _EARS)


log = logging.getLogger(__name__)

_GATHER_S = 0.05
"""Changes that belong together are looked at together."""
_RETRY_S = 5.0
_JOIN_S, _ASK_AGAIN_S = 0.5, 0.02
_NOT_PLUGGED_IN = "no"
"""As PulseAudio names it (`pa_port_available_t`); the other values are `yes` and `unknown`."""


class Headphones:
    """Watches the sound server from the first sound until `close`. `server` is its address, None for the default
    server."""

    def __init__(
        self, bus: Bus, session: PlaybackService, *, server: str | None = None, pid: int | None = None
    ) -> None:
        self._events = bus
        self._session = session
        self._server = server
        self._pid = str(pid or os.getpid())
        self._closing = threading.Event()
        self._playing = threading.Event()
        self._holding = threading.Lock()
        self._pulse: pulsectl.Pulse | None = None
        self._thread: threading.Thread | None = None
        self._end: Callable[[], None] = lambda: None
        self.route = Route()
        """Where the sound goes, according to the sound server."""

    def start(self) -> None:
        """Uses no resources until something plays."""
        if sys.platform == "linux" and not self._closing.is_set():
            self._end = self._events.subscribe(PlaybackChanged, self._on_status)

    def close(self) -> None:
        """May be called twice, or without a start."""
        self._end()
        self._closing.set()
        self._playing.set()
        if (thread := self._thread) is None:
            return
        for _round in range(int(_JOIN_S / _ASK_AGAIN_S)):  # stopping has no effect before it listens
            with self._holding:
                if self._pulse is not None:
                    self._pulse.event_listen_stop()
            thread.join(_ASK_AGAIN_S)
            if not thread.is_alive():
                return

    # -- on the session's thread --------------------------------------------------------------------------------

    def _on_status(self, event: PlaybackChanged) -> None:
        if event.status.state not in ACTIVE:
            self._playing.clear()
            return
        self._playing.set()
        if self._thread is None and not self._closing.is_set():
            self._thread = threading.Thread(target=self._run, name="earmark-headphones", daemon=True)
            self._thread.start()

    # -- on a thread of its own ---------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            import pulsectl
        except (ImportError, OSError) as error:  # without pulsectl, or without PulseAudio's library
            log.debug("unplugged headphones aren't noticed: %s", error)
            return
        while self._playing.wait() and not self._closing.is_set():
            try:
                with self._connected(pulsectl) as pulse:
                    self._watch(pulse)
            except (pulsectl.PulseError, pulsectl.PulseDisconnected, OSError) as error:
                log.debug("the sound server doesn't tell where the sound goes: %s", error)
            self.route = Route()
            if self._closing.wait(_RETRY_S):
                return

    @contextmanager
    def _connected(self, pulsectl: Any) -> "Iterator[pulsectl.Pulse]":
        """A connection to the sound server, which isn't started for this."""
        pulse = pulsectl.Pulse("Earmark", server=self._server, connect=False)
        try:
            pulse.connect(autospawn=False, timeout=_RETRY_S)
            with self._holding:
                self._pulse = pulse
            yield pulse
        finally:
            with self._holding:
                self._pulse = None
                pulse.close()

    def _watch(self, pulse: "pulsectl.Pulse") -> None:
        """Returns when Earmark closes. Raises pulsectl.PulseDisconnected when the connection ends."""
        from pulsectl import PulseLoopStop

        def changed(_event: object) -> None:
            raise PulseLoopStop

        pulse.event_mask_set("sink", "sink_input")
        pulse.event_callback_set(changed)
        self.route = self._read(pulse)
        while not self._closing.is_set():
            pulse.event_listen()
            if self._closing.wait(_GATHER_S):
                return
            before, self.route = self.route, self._read(pulse)
            if lost(before, self.route) and self._session.status.state in ACTIVE:
                log.info("paused: %s is gone or unplugged", before.sink)
                self._session.pause()
                self._events.publish(Notice(_("Paused: your headphones were unplugged.")))

    def _read(self, pulse: "pulsectl.Pulse") -> Route:
        """Earmark's sound goes to the sink of the stream that belongs to this process."""
        found = pulse.sink_list()
        names = {one.index: one.name for one in found}
        ours = [one.sink for one in pulse.sink_input_list() if one.proplist.get("application.process.id") == self._pid]
        sink = next((names[index] for index in ours if index in names), "")
        return Route(sink, {one.name: _sink(one) for one in found})


def _sink(found: Any) -> Sink:
    empty = frozenset(port.name for port in found.port_list if port.available_state == _NOT_PLUGGED_IN)
    return Sink(found.port_active.name if found.port_active else "", empty)

"""Plays a live stream through libvlc, from the bytes that Earmark fetches as they come. Nothing is stored.

When it breaks off it is restarted, after longer and longer pauses, until the listener stops it.
"""

import logging
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, Protocol

from player.errors import MediaError, PlaybackError
from player.media.fetching.broadcast import Broadcast, LiveMedia
from player.model.effects import Effects
from player.playback.engine import EngineFailed, Listener, Playing, Ready, Starving
from player.playback.vlc.byte_source import ByteSource, attach, demuxer_options
from player.playback.vlc.sound import PositionClock, Tuning
from player.text.sentences import _

log = logging.getLogger(__name__)

PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
SILENT_S = 2.0
"""After this long without a tick it is buffering: libvlc ticks about three times a second."""
_OPTIONS = (":prefetch-buffer-size=16", ":prefetch-read-size=16384")
_OWN_FIRST = ("mp3", "aac", "ogg", "mpegts")
"""Formats that libvlc's own demuxers play with less data than FFmpeg's, and across gaps and from song to song."""
_UNPACED = ("ogg",)
"""Formats whose demuxer seeks where it can, and loses the next song when that fails."""


class Libvlc(Protocol):
    """libvlc: python-vlc's module, and its instance."""

    vlc: Any
    instance: Any

    def new_player(self) -> Any: ...


class LiveTrack:
    """One stream; the session's thread calls it, libvlc's threads report to it. Its position is the time heard."""

    def __init__(self, libvlc: Libvlc, listener: Listener, generation: int, media: LiveMedia, volume: int) -> None:
        self._libvlc = libvlc
        self._listener = listener
        self._generation = generation
        self._media = media
        self._volume = volume
        self._lock = Lock()
        self._clock = PositionClock(0, time.monotonic())
        self._paused = False
        self._heard = False
        self._starving = False
        self._over = False
        self._ended = False
        self._broken = False
        self._attempt = 0
        self._again_at: float | None = None
        self._ticked_at = time.monotonic()
        self._broadcast: Broadcast | None = None
        self._source: ByteSource | None = None
        self._tuning = Tuning(None)
        self._player: Any = None
        self._handle: Any = None
        self._detach: Callable[[], None] = lambda: None

    def open(self, position_ms: int, _nearby: object = None) -> None:
        self._clock = PositionClock(position_ms, time.monotonic())
        self._begin()

    def close(self) -> None:
        self._over = True
        self._end()

    def pause(self) -> None:
        with self._lock:
            self._paused = True
            self._clock = self._clock.hold(time.monotonic())
        if self._player is not None:
            self._player.set_pause(1)

    def resume(self) -> None:
        """What was sent during the pause is lost, and the server has hung up: playback resumes with what is live."""
        self._paused = False
        self._begin()

    def seek(self, position_ms: int) -> None:
        """A live stream can't be seeked."""

    def set_speed(self, speed: float) -> None:
        """Playback can't be faster than the stream arrives."""

    def set_volume(self, volume: int) -> None:
        self._volume = volume
        if self._player is not None:
            self._player.audio_set_volume(volume)

    def set_effects(self, effects: Effects) -> None:
        """A live stream is heard as it comes."""

    def position(self) -> int:
        with self._lock:
            return self._clock.at(time.monotonic())

    def byte_position(self) -> None:
        """No byte of a live stream can be found again."""

    def poll(self) -> None:
        if self._paused or self._over:
            return
        now = time.monotonic()
        if self._player is not None:
            self._tuning.follow(self._player)
        self._look_at_broadcast()
        if self._ended:
            self.fail(MediaError(_("The live stream has ended")))
        elif self._broken and (why := self._broadcast.error if self._broadcast else None):
            self.fail(why)
        elif self._broken and not self._heard:
            self.fail(MediaError(_("The live stream isn't available"), _("It may be off the air.")))
        elif self._broken:
            self._report_starving(True)
            self._mend(now)
        elif self._heard:
            self._report_starving(now - self._ticked_at > SILENT_S)

    def fail(self, error: PlaybackError) -> None:
        if not self._over:
            self._over = True
            self._listener(EngineFailed(self._generation, error))

    def on_log(self, line: str) -> None:
        """On a thread of libvlc's."""
        if self._tuning.bends(line):
            self._listener(Ready(self._generation))

    # -- inside -------------------------------------------------------------------------------------------------

    def _mend(self, now: float) -> None:
        if self._again_at is None:
            pause = PAUSES_S[min(self._attempt, len(PAUSES_S) - 1)]
            log.info("the live stream broke off and is started again in %.1f s", pause)
            self._again_at = now + pause
            self._attempt += 1
        elif now >= self._again_at:
            self._begin()

    def _report_starving(self, starving: bool) -> None:
        if starving is self._starving:
            return
        self._starving = starving
        if starving:
            with self._lock:
                self._clock = self._clock.hold(time.monotonic())
        self._listener(Starving(self._generation, starving))

    def _begin(self) -> None:
        self._end()
        self._broken, self._again_at = False, None
        # A restarted stream is silent until its first tick.
        self._ticked_at = time.monotonic() if not self._starving else self._ticked_at
        listener, ready = self._listener, Ready(self._generation)
        self._broadcast = self._media.listen(lambda: listener(ready))

    def _look_at_broadcast(self) -> None:
        broadcast = self._broadcast
        if broadcast is None or self._player is not None or self._broken:
            return
        if broadcast.format:
            try:
                self._play(broadcast)
            except PlaybackError as error:
                self.fail(error)
        elif broadcast.over:
            self._broken = True

    def _play(self, broadcast: Broadcast) -> None:
        vlc = self._libvlc.vlc
        paced = broadcast.format not in _UNPACED
        source = ByteSource(broadcast, sized=False, reaches=broadcast.reaches, paced=paced, held=True)
        self._source = source
        handle = source.new_media(vlc, self._libvlc.instance)
        if handle is None:
            raise PlaybackError(_("libvlc can't play this live stream"), _("See the log."))
        for option in (*demuxer_options(broadcast.format, own_first=broadcast.format in _OWN_FIRST), *_OPTIONS):
            handle.add_option(option)
        self._handle = handle
        self._player = self._libvlc.new_player()
        self._player.set_media(handle)
        self._attach(vlc)
        self._player.audio_set_volume(self._volume)
        if self._player.play() != 0:
            raise PlaybackError(_("libvlc can't play this live stream"), _("See the log."))
        self._tuning = Tuning(None)
        self._tuning.begin(self._player)
        source.let_open()

    def _end(self) -> None:
        broadcast, self._broadcast = self._broadcast, None
        if broadcast is not None:
            broadcast.close()
        player, self._player = self._player, None
        if player is not None:
            if self._source is not None:
                self._source.give_up()
            player.stop()
            self._detach()
            player.release()
            self._handle.release()

    # -- what libvlc reports, on its own threads ---------------------------------------------------------------

    def _ticked(self) -> None:
        now = time.monotonic()
        self._ticked_at, self._attempt = now, 0
        with self._lock:
            if self._paused or self._over:
                return
            self._clock = self._clock.run(now)
        if not self._heard:
            self._heard = True
            self._listener(Playing(self._generation))

    def _reached_end(self) -> None:
        """Only a stream that itself declares an end has one; any other was cut off."""
        broadcast = self._broadcast
        self._ended = self._heard and broadcast is not None and broadcast.ended
        self._broken = True

    def _failed(self) -> None:
        self._broken = True

    def _attach(self, vlc: Any) -> None:
        kinds = vlc.EventType
        handlers: dict[int, Callable[[Any], None]] = {
            kinds.MediaPlayerTimeChanged.value: lambda _event: self._ticked(),
            kinds.MediaPlayerEndReached.value: lambda _event: self._reached_end(),
            kinds.MediaPlayerEncounteredError.value: lambda _event: self._failed(),
        }
        self._detach = attach(vlc, self._player, handlers)

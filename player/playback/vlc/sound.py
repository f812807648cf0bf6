"""What libvlc plays from one start on: its clock, its buffer, its end."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Any

from player.errors import MediaError, PlaybackError
from player.media.protocol import Media
from player.model.position import BytePosition
from player.playback.engines.engine import EngineFailed, Finished, Listener, Measured, Playing, Ready, Starving
from player.playback.vlc.byte_source import ByteSource
from player.playback.vlc.callbacks import attach
from player.playback.vlc.demuxers import demuxer_options
from player.playback.vlc.end_watch import EndWatch
from player.playback.vlc.instance import VlcInstance
from player.playback.vlc.pitch import Tuning
from player.playback.vlc.position_clock import PositionClock
from player.playback.vlc.start_point import StartPoint
from player.text.sentences import _

STARVED_S = 0.7
"""Longer than any time between two ticks while libvlc plays."""
_DRY_S = 0.25
"""A read that waits longer may be the last before silence: libvlc has at least 0.4 s buffered."""
_EARLY_MS = 60
"""The position shown and the one heard differ by at most this much, so nothing is missed on return."""
_DEVICE_ANSWERS_S = 0.08
"""libvlc reports playing at once, and finds out up to 0.03 s later that there is no device."""

_SELF_TIMED = frozenset({"mp4", "ogg", "flac", "wav"})
"""Formats whose headers give the true duration; for others, libvlc guesses."""

_WAKES_S = 0.01
"""How long after its buffer is full libvlc's clock starts (es_out.c)."""

_MEDIA_OPTIONS = (
    # By default libvlc reads 16 MB ahead in one go, and while that read waits for the network it can't even look at the
    # file's end. With these options, 64 kB and the file's end are enough to start most files.
    ":prefetch-buffer-size=16",
    ":prefetch-read-size=16384",
)


class Sound:
    """What libvlc plays from one start on.

    Its clock is the position in the bytes that libvlc gets: the whole file, a link of it, or what follows a cut.
    """

    def __init__(
        self,
        libvlc: VlcInstance,
        listener: Listener,
        generation: int,
        media: Media,
        start: StartPoint,
        speed: float,
        *,
        started: bool,
        starving: bool,
    ) -> None:
        """`started`, `starving`: what was reported of the sound before this one."""
        self._vlc = libvlc.vlc
        self._listener = listener
        self._generation = generation
        self._start = start
        self._source = ByteSource(media, start.byte, sized=start.cut is None, link=start.link, held=True)
        self.link_ended_at: int | None = None
        """The byte behind the link that was played to its end, where another follows."""
        self._lock = Lock()
        start_ms = _start_ms(start)
        self._clock = PositionClock(start_ms, time.monotonic(), speed).seek(start_ms, time.monotonic())
        self._tuning = Tuning(start.timeline if start.cut else None)
        self._paused = False
        self._buffered = False
        self._filled_at = 0.0
        self._sounded = False
        self.starving = starving
        self.playing_reported = started
        self._over = False
        self._handle = self._new_media(libvlc, start_ms)
        self._player = libvlc.new_player()
        self._player.set_media(self._handle)
        self._end_watch = EndWatch(lambda: self._tuning.repeat(self._player))
        self._detach = self._attach()

    def start(self, volume: int | None = None) -> None:
        """None: at whatever volume the output has."""
        self._player.set_rate(self._clock.speed)
        if volume is not None:  # else sound servers would remember one that nobody chose
            self._player.audio_set_volume(volume)
        if self._player.play() != 0:
            raise PlaybackError(_("libvlc can't play this episode"), _("See the log."))
        self._tuning.begin(self._player)
        self._source.let_open()

    def close(self) -> None:
        self._over = True
        self._end_watch.end()
        self._source.give_up()
        if self._paused:
            # While stopping, libvlc plays some of what the pause held back.
            self._player.audio_set_volume(0)
        self._player.stop()
        self._detach()
        self._player.release()
        self._handle.release()

    # -- what the session asks ----------------------------------------------------------------------------------

    def pause(self) -> None:
        with self._lock:
            self._paused = True
            now = time.monotonic()
            self._clock = self._clock.hold(now, dry=self._is_dry(now))
        self._player.set_pause(1)

    def resume(self) -> None:
        with self._lock:
            self._paused = False
        self._player.set_pause(0)

    def set_speed(self, speed: float) -> None:
        with self._lock:
            self._clock = self._clock.with_speed(speed, time.monotonic())
        self._player.set_rate(speed)

    def set_volume(self, volume: int) -> None:
        self._player.audio_set_volume(volume)

    def position(self) -> int:
        return self._position_at(time.monotonic())

    def byte_position(self) -> BytePosition | None:
        timeline, cut = self._start.timeline, self._start.cut
        if timeline is None or cut is None or not self._sounded:
            return None
        with self._lock:
            now = time.monotonic()
            ms = self._clock.at(now, dry=self._is_dry(now))
        found = timeline.position_after(cut, ms)
        return found if found.size else None

    def poll(self) -> None:
        if not self._over:
            self._tuning.follow(self._player, self._clock.speed)
        self._watch_end()
        now = time.monotonic()
        with self._lock:
            since, buffered, paused = self._clock.since, self._buffered, self._paused
            filled_at = self._filled_at
        if paused or self._over or not (self.playing_reported or buffered):
            return
        if not self.playing_reported:
            if now - filled_at < _DEVICE_ANSWERS_S:
                return
            self.playing_reported = True
            self._listener(Playing(self._generation))
        starving = now - since > STARVED_S and (not buffered or self._source.waited(now) > STARVED_S)
        if starving is not self.starving:
            self.starving = starving
            self._listener(Starving(self._generation, starving))

    def _is_dry(self, now: float) -> bool:
        """Whether libvlc waits for bytes, so that playback may run dry."""
        return self._source.waited(now) > _DRY_S

    def _watch_end(self) -> None:
        if self._source.at_end and not self._paused and not self._over:
            self._end_watch.begin()
        else:
            self._end_watch.end()

    def _position_at(self, now: float) -> int:
        with self._lock:
            ms = self._clock.at(now, dry=self._is_dry(now))
        timeline, cut = self._start.timeline, self._start.cut
        if timeline is None or cut is None:
            return self._start.offset_ms + ms
        return timeline.position_after(cut, ms).position_ms if self._sounded else self._start.position_ms

    # -- what libvlc reports, on its own threads ---------------------------------------------------------------

    def fail(self, error: PlaybackError) -> None:
        if not self._over:
            self._over = True
            self._listener(EngineFailed(self._generation, error))

    def on_log(self, line: str) -> None:
        if self._tuning.bends(line):
            # Each block bends the pitch further, so the session has to react at once.
            self._listener(Ready(self._generation))

    def _ticked(self, position_ms: int) -> None:
        with self._lock:
            if self._buffered and not self._paused:
                self._clock = self._clock.tick(position_ms - self._tuning.late_ms, time.monotonic())

    def _filled(self, percentage: float) -> None:
        """libvlc fills its buffer at the start, after a seek and after running dry; at 100 it plays at once."""
        now = time.monotonic()
        with self._lock:
            self._buffered = percentage >= 100
            self._filled_at = now
            self._sounded = self._sounded or self._buffered
            if not self._buffered:
                self._clock = self._clock.run_dry(now)
            elif not self._paused:
                self._clock = self._clock.run(now + _WAKES_S)

    def _measured(self, duration_ms: int) -> None:
        if duration_ms > 0 and self._start.whole:
            self._listener(Measured(self._generation, duration_ms, exact=self._start.form in _SELF_TIMED))

    def _resumed(self) -> None:
        with self._lock:
            if self._buffered and not self._paused:
                self._clock = self._clock.run(time.monotonic())

    def _ended(self) -> None:
        if self._source.error:
            self.fail(self._source.error)
        elif not self._over:
            self._over = True
            end = self._source.end
            if end is not None and self._source.at_end and end != self._start.last_byte:
                self.link_ended_at = end
                self._listener(Ready(self._generation))
            else:
                self._listener(Finished(self._generation))

    def _encountered_error(self) -> None:
        self.fail(self._source.error or MediaError(_("libvlc found no audio in this file")))

    def _attach(self) -> Callable[[], None]:
        vlc = self._vlc
        kinds = vlc.EventType
        handlers: dict[int, Callable[[Any], None]] = {
            kinds.MediaPlayerTimeChanged.value: lambda event: self._ticked(event.u.new_time),
            kinds.MediaPlayerLengthChanged.value: lambda event: self._measured(event.u.new_length),
            kinds.MediaPlayerBuffering.value: lambda event: self._filled(event.u.new_cache),
            kinds.MediaPlayerPlaying.value: lambda _event: self._resumed(),
            kinds.MediaPlayerEndReached.value: lambda _event: self._ended(),
            kinds.MediaPlayerEncounteredError.value: lambda _event: self._encountered_error(),
        }
        return attach(vlc, self._player, handlers)

    def _new_media(self, libvlc: VlcInstance, start_ms: int) -> Any:
        handle = self._source.new_media(libvlc.vlc, libvlc.instance)
        if handle is None:
            raise PlaybackError(_("libvlc can't play this episode"), _("See the log."))
        # libvlc's own demuxer for a stream of frames starts with the first 8 kB, where avformat waits for 32. It can't
        # seek.
        own_first = self._start.form == "mp3" and self._start.cut is not None
        demuxers = demuxer_options(self._start.form, own_first=own_first)
        for option in (*demuxers, *_MEDIA_OPTIONS, self._tuning.option):
            handle.add_option(option)
        if start_ms:
            handle.add_option(f":start-time={start_ms / 1000:.3f}")
        return handle


def _start_ms(start: StartPoint) -> int:
    """Where libvlc should start, in ms of the file it gets: a little early, as a cut already is.

    Within a cut it would go by the mean bit rate and end up to 0.24 s late (measured in a VBR MP3).
    """
    return 0 if start.cut else max(0, start.position_ms - start.offset_ms - _EARLY_MS)

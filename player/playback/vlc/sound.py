"""What libvlc plays from one start on: its clock, its buffer, its pitch, its end."""

import logging
import re
import time
from collections.abc import Callable
from functools import partial
from threading import Event, Lock, Thread
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from player.errors import MediaError, PlaybackError
from player.media.formats.timeline import Cut, Timeline
from player.media.protocol import Media
from player.model.effects import NO_EFFECTS, Effects
from player.model.episode import BytePosition
from player.playback.effects.decoder import decoded
from player.playback.effects.processed import ProcessedAudio
from player.playback.engine import EngineFailed, Finished, Listener, Measured, Playing, Ready, Starving
from player.playback.vlc.byte_source import ByteSource, Linked, attach, demuxer_options
from player.playback.vlc.instance import VlcInstance
from player.playback.vlc.start_point import StartPoint
from player.text.sentences import _

log = logging.getLogger(__name__)

_EVERY_S = 0.01


class EndWatch:
    """Sends libvlc commands that change nothing, so that it notices the end of playback sooner.

    Once it has read the last byte, libvlc 3 only checks every 0.1 s whether all was played (input.c, INPUT_IDLE_SLEEP),
    which is silence before the next episode; any command makes it check at once. `order` sends one. Measured at the
    sink of a sound server, between two episodes: 0.03 to 0.09 s of silence instead of 0.09 to 0.15 s, of which 0.04 to
    0.07 s are silence that MP3 and AAC files themselves have at both ends.
    """

    def __init__(self, order: Callable[[], None]) -> None:
        self._order = order
        self._over = Event()
        self._thread: Thread | None = None

    def begin(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="earmark-end", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """No command is sent after this."""
        thread, self._thread = self._thread, None
        if thread:
            self._over.set()
            thread.join()
            self._over.clear()

    def _run(self) -> None:
        while not self._over.wait(_EVERY_S):
            try:
                self._order()
            except Exception:
                log.exception("libvlc takes no orders near the end")
                return


_SILENT_FRAMES = {"mp3": 2, "aac": 1}
"""How many frames of a stream libvlc's decoders (mpg123, faad) read before their first sound."""

_RESERVE_US = 80_000
"""How much smaller than at the start the delay may become: the most that was measured, at half speed."""

_BENDS = re.compile(r"playback too (?:early|late) \((-?\d+)\): (up|down)-sampling")
_UNBENT = re.compile(r"resampling|flushing buffers|inserting .* zeroes")
"""What libvlc logs when the pitch is right again: "resampling stopped", "stopping resampling" and so on."""


class Tuning:
    """The audio delay of one start, and the value it has to reach. Any thread may call `bends` and `late_ms`.

    While sound is due too early or too late, libvlc 3 bends the pitch by 2 Hz more with each block; once the difference
    has halved, by 2 Hz less until the pitch is right (dec.c, aout_DecSynchronize). If sound is due too late while the
    pitch is still bent because it was too early, the pitch first returns to the right one. A new delay before that
    would halve the difference, and turn the pitch away from the right one for seconds; libvlc reports it again then.
    """

    def __init__(self, timeline: Timeline | None) -> None:
        """`timeline` belongs to the cut that is played."""
        # Rounded down: a block that is due before the start is dropped.
        self._start_ms = int(_SILENT_FRAMES[timeline.form] * timeline.frame_ms) if timeline else 0
        self._delay_us = -1000 * self._start_ms
        self._lock = Lock()
        self._early_us: int | None = None
        self._bent = ""

    @property
    def option(self) -> str:
        """The initial delay, as an option of the media."""
        return f":audio-desync={-self._start_ms}"

    @property
    def least_us(self) -> int:
        """The smallest value that the delay will have.

        libvlc decodes ahead by as much as the delay of sound or of subtitles is negative: more and more, never less. So
        the subtitles' delay must have this value from the start; the sound's may then be anything above it.
        """
        return -1000 * self._start_ms - _RESERVE_US

    def bends(self, line: str) -> bool:
        """Reads a line of libvlc's log; True when libvlc begins to bend the pitch, and `delay_us` would stop it."""
        found = _BENDS.search(line)
        with self._lock:
            if found is None:
                if _UNBENT.search(line):
                    self._bent = ""
                return False
            if self._bent not in ("", found[2]):
                return False
            self._bent = found[2]
            self._early_us = -int(found[1])
            return True

    def begin(self, player: Any) -> None:
        """Call this before libvlc opens the media. `player` is a media player of python-vlc's."""
        player.video_set_spu_delay(self.least_us)

    def follow(self, player: Any, speed: float = 1.0) -> None:
        """Sets the delay in libvlc if it has changed since the last call."""
        delay_us = self.delay_us(speed)
        if delay_us is not None:
            player.audio_set_delay(delay_us)

    def repeat(self, player: Any) -> None:
        """Sets the same delay once more, on any thread."""
        with self._lock:
            delay_us = self._delay_us
        player.audio_set_delay(delay_us)

    def delay_us(self, speed: float) -> int | None:
        """The delay with which sound is due when it is heard; None if nothing has changed since the last call."""
        with self._lock:
            early_us, self._early_us = self._early_us, None
        if early_us is None:
            return None
        self._delay_us = max(self.least_us, self._delay_us - round(early_us * speed))
        return self._delay_us

    @property
    def late_ms(self) -> int:
        """How much later than by libvlc's clock sound is heard, in ms of the episode."""
        return max(0, self._delay_us // 1000 + self._start_ms)


_RUN_ON_MS = 1_000
"""How far libvlc has decoded ahead: without a tick, sound continues for that long at most before it runs dry."""

_DRY_MS, _DRY_MORE_MS = 680, 60
"""The same while libvlc waits for bytes: after its last tick 480 to 730 ms of the episode were heard at normal speed.

Up to 1,190 ms were heard at three times that (measured at the sink): the position shown stops within half a second of
the sound. This much more is added for each step of 1 in the speed.
"""

_EARLY_AT_TWICE_MS = 100
"""At twice the speed libvlc reports its time this much too early, and twice as much at three times the speed.

Its time stretching holds back samples that it counts as played (measured at the sink: 0.14 to 0.19 s at 2.0, up to 0.34
s at 3.0).
"""

_NEAR_MS = 3_000
_SEEK_TAKES_S = 2.0


class PositionClock(Struct, frozen=True):
    """`position_ms` was heard at `since` (monotonic, seconds); the clock either runs or stands still."""

    position_ms: int
    since: float
    speed: float = 1.0
    running: bool = False
    sought_at: float | None = None
    """When a seek was requested from which no tick has come yet."""

    @property
    def _early_ms(self) -> int:
        return int(_EARLY_AT_TWICE_MS * max(0.0, self.speed - 1.0))

    @property
    def _dry_ms(self) -> int:
        return _DRY_MS + int(_DRY_MORE_MS * max(0.0, self.speed - 1.0))

    def at(self, now: float, *, dry: bool = False) -> int:
        """`dry`: the engine is waiting for bytes, and may have sent its last tick."""
        if not self.running:
            return self.position_ms
        most = (self._dry_ms if dry else _RUN_ON_MS) + self._early_ms
        return self.position_ms + min(most, int(max(0.0, now - self.since) * 1000 * self.speed))

    def tick(self, position_ms: int, now: float) -> "PositionClock":
        """The engine reports `position_ms`.

        Right after a seek, ticks from before it may still arrive: they are ignored.
        """
        if self.sought_at is not None and now - self.sought_at <= _SEEK_TAKES_S:
            far = abs(position_ms - self.at(now)) > _NEAR_MS
            if far or not self.running:
                return self
        return PositionClock(max(0, position_ms - self._early_ms), now, self.speed, running=True)

    def hold(self, now: float, *, dry: bool = False) -> "PositionClock":
        return replace(self, position_ms=self.at(now, dry=dry), since=now, running=False)

    def run_dry(self, now: float) -> "PositionClock":
        """Stands still once nothing more arrives: what was held back is heard to its end."""
        if not self.running:
            return self.hold(now)
        heard = min(self.at(now) + self._early_ms, self.position_ms + self._dry_ms + self._early_ms)
        return replace(self.hold(now), position_ms=heard)

    def run(self, now: float) -> "PositionClock":
        """Sound is playing; after a seek, slightly later than the engine reports."""
        if self.running:
            return replace(self, position_ms=self.at(now), since=max(now, self.since))
        late_s = self._early_ms / 1000 / self.speed if self.sought_at is not None else 0.0
        return replace(self, since=now + late_s, running=True)

    def seek(self, position_ms: int, now: float) -> "PositionClock":
        """Stands still at the new position until sound comes from there."""
        return replace(self, position_ms=position_ms, since=now, running=False, sought_at=now)

    def with_speed(self, speed: float, now: float) -> "PositionClock":
        return replace(self, position_ms=self.at(now), since=now, speed=speed)


STARVED_S = 0.7
"""Longer than any time between two ticks while libvlc plays."""
_DRY_S = 0.25
"""A read that waits longer may be the last before silence: libvlc has at least 0.4 s buffered."""
PREPARES_MS = 200
"""A decoder begins so much earlier than what is heard."""
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
        effects: Effects = NO_EFFECTS,
        *,
        started: bool,
        starving: bool,
    ) -> None:
        """`started`, `starving`: what was reported of the sound before this one."""
        self._vlc = libvlc.vlc
        self._listener = listener
        self._generation = generation
        self._start = start
        self._bytes = Linked(media, start.link)
        self._processed = self._process(effects) if effects.any else None
        if self._processed:
            self._source = ByteSource(self._processed, sized=False, reaches=self._processed.reaches, held=True)
        else:
            self._source = ByteSource(self._bytes, start.byte, sized=start.cut is None, held=True)
        self.link_ended_at: int | None = None
        """The byte behind the link that was played to its end, if another link follows."""
        self._lock = Lock()
        start_ms = 0 if self._processed else _start_ms(start)
        self._clock = PositionClock(start_ms, time.monotonic(), speed).seek(start_ms, time.monotonic())
        self._tuning = Tuning(start.timeline if start.cut and not self._processed else None)
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
        """`volume` None: at the volume that the output already has."""
        self._player.set_rate(self._clock.speed)
        if volume is not None:  # otherwise sound servers would remember a volume that nobody chose
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

    def set_effects(self, effects: Effects) -> bool:
        """Whether this sound has them: without effects from its beginning it needs a new start."""
        if self._processed:
            self._processed.effects = effects
        return self._processed is not None or not effects.any

    def position(self) -> int:
        return self._position_at(time.monotonic())

    def byte_position(self) -> BytePosition | None:
        timeline, cut = self._start.timeline, self._start.cut
        if timeline is None or cut is None or not self._sounded:
            return None
        with self._lock:
            now = time.monotonic()
            ms = self._clock.at(now, dry=self._is_dry(now))
        found = timeline.position_after(cut, self._since_cut(cut, ms))
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
            return round(self._processed.position_after(ms)) if self._processed else self._start.offset_ms + ms
        if not self._sounded:
            return self._start.position_ms
        return timeline.position_after(cut, self._since_cut(cut, ms)).position_ms

    def _since_cut(self, cut: Cut, ms: float) -> float:
        """How much later than the cut that is in the episode which is heard `ms` after the beginning."""
        return self._processed.position_after(ms) - cut.position_ms if self._processed else ms

    # -- what libvlc reports, on its own threads ---------------------------------------------------------------

    def fail(self, error: PlaybackError) -> None:
        if not self._over:
            self._over = True
            self._listener(EngineFailed(self._generation, error))

    def on_log(self, line: str) -> None:
        if self._tuning.bends(line):
            # Each such message bends the pitch further, so the session has to react at once.
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

    def _process(self, effects: Effects) -> ProcessedAudio:
        start, link = self._start, self._bytes
        size = link.size - start.byte if link.seekable and link.size is not None else None
        if start.cut is not None:
            begins_ms = start.cut.position_ms
        else:
            begins_ms = max(0, start.position_ms - start.offset_ms - PREPARES_MS)
        decode = partial(
            decoded, size=size, form=start.form, start_ms=begins_ms, counted=start.cut is not None,
            offset_ms=start.offset_ms, measured=self._measured,
        )  # fmt: skip
        return ProcessedAudio(link, start.byte, decode, start.position_ms - _EARLY_MS, effects)

    def _measured(self, duration_ms: int) -> None:
        if duration_ms > 0 and self._start.whole:
            self._listener(Measured(self._generation, duration_ms, exact=self._start.form in _SELF_TIMED))

    def _told_length(self, duration_ms: int) -> None:
        if not self._processed:
            self._measured(duration_ms)

    def _resumed(self) -> None:
        with self._lock:
            if self._buffered and not self._paused:
                self._clock = self._clock.run(time.monotonic())

    def _ended(self) -> None:
        if self._source.error:
            self.fail(self._source.error)
        elif not self._over:
            self._over = True
            end = self._bytes.end
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
            kinds.MediaPlayerLengthChanged.value: lambda event: self._told_length(event.u.new_length),
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
        form = "wav" if self._processed else self._start.form
        own_first = self._processed is not None or (form == "mp3" and self._start.cut is not None)
        demuxers = demuxer_options(form, own_first=own_first)
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

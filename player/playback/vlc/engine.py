"""Sound through libvlc 3: the only file that imports `vlc`, and not before the first `load`.

Measured with libvlc 3.0.24 at the sink of a sound server, for MP3 (CBR, VBR with and without Xing header), AAC (MP4 and
raw), Opus, FLAC and WAV: with `:demux=avformat` and the bytes at hand, `:start-time` and seeks reach the wanted place
within 0.05 s and sound nothing else before, and libvlc's time is the time heard within 0.06 s. Its own demuxers are
11 s off in a VBR MP3 after 40 s. So avformat is asked first; the others stand in where it is missing. To find a place
in MP3 and raw AAC it reads all before, so there the file is cut at the place, and nothing is to be found.

Where no sound device is to be had, or it goes away, libvlc plays on in silence and only its log tells.
"""

import ctypes
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable
from threading import Lock
from typing import Any

from player.errors import MediaError, NoSoundDevice, NoSoundLibrary, PlaybackError
from player.media.fetching.broadcast import LiveMedia
from player.media.protocol import Media
from player.model.position import BytePosition
from player.playback.engine import EngineFailed, Finished, Listener, Measured, Moved, Playing, Ready, Starving
from player.playback.outputs import FoundOutput, SoundOutput, direct, found_outputs
from player.playback.vlc.byte_source import ByteSource
from player.playback.vlc.callbacks import attach
from player.playback.vlc.demuxers import demuxer_options
from player.playback.vlc.live import LiveTrack
from player.playback.vlc.pitch import Tuning
from player.playback.vlc.position_clock import PositionClock
from player.playback.vlc.start_point import Opening, StartPoint
from player.text.sentences import _

log = logging.getLogger(__name__)

_STARVED_S = 0.7
"""Longer than libvlc ever goes from tick to tick while it plays."""
_EARLY_MS = 60
"""Shown and heard differ by so much at most: who comes back misses nothing."""
_WORTH_TELLING_MS = 1_000
_DEVICE_ANSWERS_S = 0.08
"""libvlc believes to play at once; that there is no device it finds out up to 0.03 s later."""

_WAKES_S = 0.01
"""libvlc's clock starts so long after its buffer is full (es_out.c)."""

_INSTALL_COMMANDS = {
    "apt-get": "sudo apt install libvlc5 vlc-plugin-base",
    "dnf": "sudo dnf install vlc-libs vlc-plugins-base vlc-plugin-ffmpeg",
    "pacman": "sudo pacman -S libvlc vlc-plugin-ffmpeg vlc-plugin-mpg123",
    "zypper": "sudo zypper install libvlc5 vlc-noX",
    "brew": "brew install --cask vlc",
}
_MEDIA_OPTIONS = (
    # By itself libvlc reads 16 MB ahead in one go, and while that read waits for the network it can't even look at the
    # file's end. With these, 64 kB and the file's end are enough to start most files.
    ":prefetch-buffer-size=16",
    ":prefetch-read-size=16384",
)
_LOG_WARNING, _LOG_ERROR = 3, 4
_NO_ERRORS = ("Invalid get/release function pointers",)
"""For bytes handed to it libvlc first asks a module of the same name that takes whole frames, which refuses; then the
right one. It always is so, and means nothing."""
_DEVICE_LOG = {
    "failed to create audio output": False,
    # PulseAudio and PipeWire
    "cannot write: ": True,
    # ALSA
    "cannot recover playback stream": True,
}
"""What libvlc logs when it has no sound device, and whether it had one before."""


class VlcEngine:
    """One libvlc for the life of the engine; a player of its own for each start, so that nothing is left of the last.

    Measured: ending one and starting the next takes 0.005 s, and its sound is there after 0.09 s.
    """

    def __init__(self, listener: Listener, output: Callable[[], SoundOutput] = SoundOutput) -> None:
        """`output` is asked at each start where the sound is to go."""
        self._listener = listener
        self._output = output
        self._library: _VlcLibrary | None = None
        self._track: _Track | LiveTrack | None = None

    def load(
        self,
        generation: int,
        media: Media,
        start_ms: int,
        *,
        speed: float,
        volume: int,
        anchor: BytePosition | None = None,
        claimed_ms: int | None = None,
    ) -> None:
        self.stop()
        if self._library is None:
            self._library = _VlcLibrary(self._device_failed, self._heard_log, self._output)
        if isinstance(media, LiveMedia):
            self._track = LiveTrack(self._library, self._listener, generation, media, volume)
        else:
            self._track = _Track(self._library, self._listener, generation, media, speed, volume, claimed_ms)
        self._track.open(start_ms, anchor)

    def pause(self) -> None:
        if self._track:
            self._track.pause()

    def resume(self) -> None:
        if self._track:
            self._track.resume()

    def stop(self) -> None:
        track, self._track = self._track, None
        if track:
            track.close()

    def seek(self, position_ms: int) -> None:
        if self._track:
            self._track.seek(position_ms)

    def set_speed(self, speed: float) -> None:
        if self._track:
            self._track.set_speed(speed)

    def set_volume(self, volume: int) -> None:
        if self._track:
            self._track.set_volume(volume)

    def position(self) -> int | None:
        return self._track.position() if self._track else None

    def anchor(self) -> BytePosition | None:
        return self._track.anchor() if self._track else None

    def poll(self) -> None:
        if self._track:
            self._track.poll()

    def close(self) -> None:
        self.stop()
        library, self._library = self._library, None
        if library:
            library.close()

    def _heard_log(self, line: str) -> None:
        if track := self._track:
            track.heard_log(line)

    def _device_failed(self, was_there: bool) -> None:
        if track := self._track:
            what = _("The sound device was disconnected") if was_there else _("No sound device is responding")
            chosen = _("Connect the one you chose, or choose another sound output.")
            any_one = _("Connect or switch on headphones or speakers, or start the sound server.")
            track.fail(NoSoundDevice(what, chosen if self._output().device else any_one))


class _Track:
    """One episode: the search for a start, then the sound from there, until a seek asks for another start."""

    def __init__(
        self,
        library: "_VlcLibrary",
        listener: Listener,
        generation: int,
        media: Media,
        speed: float,
        volume: int,
        claimed_ms: int | None,
    ) -> None:
        self._library = library
        self._listener = listener
        self._generation = generation
        self._media = media
        self._speed, self._volume = speed, volume
        self._claimed_ms = claimed_ms
        self._paused = False
        self._target_ms = 0
        self._anchor: BytePosition | None = None
        self._opening: Opening | None = None
        self._start: StartPoint | None = None
        self._sound: _Sound | None = None
        self._known: StartPoint | None = None
        self._told_duration = (0, False)
        self._begun = False
        self._starving = False
        self._over = False

    def open(self, position_ms: int, anchor: BytePosition | None) -> None:
        """Leaves where it is, and looks for a start at `position_ms`: `poll` takes it when it is found."""
        self._leave()
        self._target_ms, self._anchor = position_ms, anchor
        listener, ready = self._listener, Ready(self._generation)
        self._opening = Opening(
            self._media, self._known, position_ms, anchor, self._claimed_ms, lambda: listener(ready)
        )

    def close(self) -> None:
        self._media.cancel()
        self._leave()

    def pause(self) -> None:
        self._paused = True
        if self._sound:
            self._sound.pause()

    def resume(self) -> None:
        self._paused = False
        if self._sound:
            self._sound.resume()
        else:
            self.poll()

    def seek(self, position_ms: int) -> None:
        self.open(position_ms, self.anchor() or self._anchor)

    def set_speed(self, speed: float) -> None:
        self._speed = speed
        if self._sound:
            self._sound.set_speed(speed)

    def set_volume(self, volume: int) -> None:
        self._volume = volume
        if self._sound:
            self._sound.set_volume(volume)

    def position(self) -> int:
        return self._sound.position() if self._sound else self._target_ms

    def anchor(self) -> BytePosition | None:
        return self._sound.anchor() if self._sound else None

    def poll(self) -> None:
        if self._over:
            return
        self._count()
        if self._opening:
            self._look_at_opening(self._opening)
        if self._start and not self._paused:
            self._begin(self._start)
        if self._sound:
            self._sound.poll()

    def fail(self, error: PlaybackError) -> None:
        if self._sound:
            self._sound.fail(error)

    def heard_log(self, line: str) -> None:
        if sound := self._sound:
            sound.heard_log(line)

    def _look_at_opening(self, opening: Opening) -> None:
        if opening.over:
            self._opening = None
            self._start = opening.start
            if opening.start:
                self._known = opening.start
            elif opening.error:
                self._fail(opening.error)
        elif self._begun and not self._starving and time.monotonic() - opening.since > _STARVED_S:
            self._starving = True
            self._listener(Starving(self._generation, True))

    def _begin(self, start: StartPoint) -> None:
        self._start = None
        try:
            self._sound = _Sound(
                self._library,
                self._listener,
                self._generation,
                self._media,
                start,
                self._speed,
                begun=self._begun,
                starving=self._starving,
            )
            self._sound.start(self._volume)
        except PlaybackError as error:
            self._fail(error)

    def _leave(self) -> None:
        opening, self._opening = self._opening, None
        if opening:
            opening.give_up()
        sound, self._sound, self._start = self._sound, None, None
        if sound:
            self._begun, self._starving = self._begun or sound.playing_told, sound.starving
            sound.close()

    def _fail(self, error: PlaybackError) -> None:
        self._over = True
        self._listener(EngineFailed(self._generation, error))

    def _count(self) -> None:
        timeline = self._known.timeline if self._known else None
        if timeline is None or self._told_duration[1]:
            return
        timeline.count()
        duration = timeline.duration()
        if duration and (duration[1] or abs(duration[0] - self._told_duration[0]) >= _WORTH_TELLING_MS):
            self._told_duration = duration
            self._listener(Measured(self._generation, *duration))


class _VlcLibrary:
    """libvlc itself, and an ear on its log. Raises NoSoundLibrary where it can't be loaded."""

    def __init__(
        self, device_failed: Callable[[bool], None], heard: Callable[[str], None], output: Callable[[], SoundOutput]
    ) -> None:
        """`heard` gets each warning and error, in a thread of libvlc's."""
        self.vlc = _import_vlc()
        self.instance = _new_instance(self.vlc)
        self._device_failed = device_failed
        self._heard = heard
        self._output = output
        self._logged: set[str] = set()
        self._log_callback = self.vlc.CallbackDecorators.LogCb(self._heard_log)
        self.instance.log_set(self._log_callback, None)

    def new_player(self) -> Any:
        """A player of libvlc's, its sound sent to the chosen output."""
        player = self.instance.media_player_new()
        direct(player, self._output())
        return player

    def close(self) -> None:
        self.instance.log_unset()
        self.instance.release()

    def _heard_log(self, _data: int, level: int, _context: int, form: bytes, arguments: int) -> None:
        """In any thread of libvlc's; libvlc must not be called here."""
        if level < _LOG_WARNING:
            return
        text = _formatted(form, arguments)
        self._heard(text)
        if level < _LOG_ERROR:
            return
        # Without a device libvlc says the same fifty times a second.
        if text not in self._logged and text not in _NO_ERRORS:
            self._logged.add(text)
            log.info("libvlc: %s", text)
        for start, was_there in _DEVICE_LOG.items():
            if text.startswith(start):
                self._device_failed(was_there)


class _Sound:
    """What libvlc plays from one start on.

    Its clock is libvlc's: the place in the episode, or with a cut the time since that.
    """

    def __init__(
        self,
        library: _VlcLibrary,
        listener: Listener,
        generation: int,
        media: Media,
        start: StartPoint,
        speed: float,
        *,
        begun: bool,
        starving: bool,
    ) -> None:
        """`begun`, `starving`: what the listener has been told of the sound before this one."""
        self._vlc = library.vlc
        self._listener = listener
        self._generation = generation
        self._start = start
        self._source = ByteSource(media, start.byte, sized=start.cut is None, held=True)
        self._lock = Lock()
        start_ms = _start_ms(start)
        self._clock = PositionClock(start_ms, time.monotonic(), speed).seek(start_ms, time.monotonic())
        self._tuning = Tuning(start.timeline if start.cut else None)
        self._paused = False
        self._buffered = False
        self._filled_at = 0.0
        self._sounded = False
        self.starving = starving
        self.playing_told = begun
        self._over = False
        self._handle = self._new_media(library, start_ms)
        self._player = library.new_player()
        self._player.set_media(self._handle)
        self._detach = self._attach()

    def start(self, volume: int) -> None:
        self._player.set_rate(self._clock.speed)
        self._player.audio_set_volume(volume)
        if self._player.play() != 0:
            raise PlaybackError(_("libvlc can't play this episode"), _("See the log."))
        self._tuning.begin(self._player)
        self._source.let_open()

    def close(self) -> None:
        self._over = True
        self._source.give_up()
        if self._paused:
            # As it stops, libvlc sounds some of what the pause held back.
            self._player.audio_set_volume(0)
        self._player.stop()
        self._detach()
        self._player.release()
        self._handle.release()

    # -- what the session asks ----------------------------------------------------------------------------------

    def pause(self) -> None:
        with self._lock:
            self._paused = True
            self._clock = self._clock.hold(time.monotonic())
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
        return self._place(time.monotonic())

    def anchor(self) -> BytePosition | None:
        timeline, cut = self._start.timeline, self._start.cut
        if timeline is None or cut is None or not self._sounded:
            return None
        with self._lock:
            ms = self._clock.at(time.monotonic())
        found = timeline.heard(cut, ms)
        return found if found.size else None

    def poll(self) -> None:
        if not self._over:
            self._tuning.follow(self._player, self._clock.speed)
        now = time.monotonic()
        with self._lock:
            since, buffered, paused = self._clock.since, self._buffered, self._paused
            filled_at = self._filled_at
        if paused or self._over or not (self.playing_told or buffered):
            return
        if not self.playing_told:
            if now - filled_at < _DEVICE_ANSWERS_S:
                return
            self.playing_told = True
            self._listener(Playing(self._generation))
        starving = now - since > _STARVED_S and (not buffered or self._source.waited(now) > _STARVED_S)
        if starving is not self.starving:
            self.starving = starving
            self._listener(Starving(self._generation, starving))
        if not starving:
            self._listener(Moved(self._generation, self._place(now), now))

    def _place(self, now: float) -> int:
        with self._lock:
            ms = self._clock.at(now)
        timeline, cut = self._start.timeline, self._start.cut
        if timeline is None or cut is None:
            return ms
        return timeline.heard(cut, ms).position_ms if self._sounded else self._start.position_ms

    # -- what libvlc tells, in its own threads ------------------------------------------------------------------

    def fail(self, error: PlaybackError) -> None:
        if not self._over:
            self._over = True
            self._listener(EngineFailed(self._generation, error))

    def heard_log(self, line: str) -> None:
        if self._tuning.bends(line):
            # Each block bends it more: the session is to look at once.
            self._listener(Ready(self._generation))

    def _ticked(self, position_ms: int) -> None:
        with self._lock:
            if self._buffered and not self._paused:
                self._clock = self._clock.tick(position_ms - self._tuning.late_ms, time.monotonic())

    def _filled(self, percentage: float) -> None:
        """libvlc fills its buffer at the start, after a seek and after it ran dry; at 100 it sounds at once."""
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
        if duration_ms > 0 and not self._start.cut:
            self._listener(Measured(self._generation, duration_ms))

    def _resumed(self) -> None:
        with self._lock:
            if self._buffered and not self._paused:
                self._clock = self._clock.run(time.monotonic())

    def _ended(self) -> None:
        if self._source.error:
            self.fail(self._source.error)
        elif not self._over:
            self._over = True
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

    def _new_media(self, library: _VlcLibrary, start_ms: int) -> Any:
        handle = self._source.new_media(library.vlc, library.instance)
        if handle is None:
            raise PlaybackError(_("libvlc can't play this episode"), _("See the log."))
        # libvlc's own for a stream of frames sounds with the first 8 kB, where avformat waits for 32. It can't seek.
        own_first = self._start.form == "mp3" and self._start.cut is not None
        demuxers = demuxer_options(self._start.form, own_first=own_first)
        for option in (*demuxers, *_MEDIA_OPTIONS, self._tuning.option):
            handle.add_option(option)
        if start_ms:
            handle.add_option(f":start-time={start_ms / 1000:.3f}")
        return handle


def _start_ms(start: StartPoint) -> int:
    """Where libvlc is to begin, ms in what it gets: a little early, as a cut is by itself.

    Within a cut it would go by the mean bit rate and land up to 0.24 s late (measured in a VBR MP3).
    """
    return 0 if start.cut else max(0, start.position_ms - _EARLY_MS)


def version() -> str:
    """libvlc's own name for its version. Raises NoSoundLibrary."""
    return str(_import_vlc().libvlc_get_version().decode(errors="replace"))


def find_outputs() -> tuple[FoundOutput, ...]:
    """Where sound could go on this machine. In any thread but the session's: it may wait. Raises NoSoundLibrary."""
    vlc = _import_vlc()
    instance = _new_instance(vlc)
    try:
        return found_outputs(vlc, instance)
    finally:
        instance.release()


def _new_instance(vlc: Any) -> Any:
    if vlc.plugin_path is not None:
        os.environ.setdefault("VLC_PLUGIN_PATH", vlc.plugin_path)
    # None, where a plugin folder is missing, or this build doesn't know an option.
    instance = _started(vlc, _arguments()) or _started(vlc, ["--quiet"])
    if instance is None:
        raise NoSoundLibrary(_("libvlc can't start because its plugins are missing"), _how_to_install())
    return instance


def _started(vlc: Any, arguments: list[str]) -> Any:
    """An instance of libvlc's; None where it can't be.

    Not python-vlc's Instance: it puts the name of a program in front, where libvlc expects none and takes it for a file
    to open: "vlc", in the folder that Earmark was started in.
    """
    return vlc.libvlc_new(len(arguments), [argument.encode() for argument in arguments])


def _import_vlc() -> Any:
    """python-vlc, with libvlc behind it.

    Where it finds no libvlc it raises what comes to hand, leaves the program, or goes on with a library that has no
    functions. It must not stay imported then: libvlc may be installed before the next try.
    """
    try:
        import vlc

        vlc.dll.libvlc_new  # noqa: B018
    except (SystemExit, Exception) as error:
        sys.modules.pop("vlc", None)
        raise NoSoundLibrary(_("libvlc, which plays the audio, isn't installed"), _how_to_install()) from error
    return vlc


def _how_to_install() -> str:
    """In the words of this machine's package manager."""
    commands = (command for manager, command in _INSTALL_COMMANDS.items() if shutil.which(manager))
    command = next(commands, None)
    return _("Install it with: {command}", command=command) if command else _("Install VLC.")


def _arguments() -> list[str]:
    arguments = ["--quiet", "--intf=dummy", "--no-video", "--no-spu", "--no-osd", "--no-stats", "--role=music"]
    return [*arguments, "--no-xlib"] if sys.platform == "linux" else arguments


def _formatted(form: bytes, arguments: int) -> str:
    buffer = ctypes.create_string_buffer(500)
    ctypes.CDLL(None).vsnprintf(buffer, len(buffer), ctypes.c_char_p(form), ctypes.c_void_p(arguments))
    return buffer.value.decode(errors="replace")

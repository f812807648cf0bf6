"""Plays through libvlc 3, which isn't loaded before the first `load`.

Measured with libvlc 3.0.24 at the sink of a sound server, for MP3 (CBR, VBR with and without Xing header), AAC (MP4 and
raw), Opus, FLAC and WAV: with `:demux=avformat` and the bytes available, `:start-time` and seeks reach the position
within 0.05 s without playing anything else before, and libvlc's time is within 0.06 s of what is heard. Its own
demuxers are 11 s off in a VBR MP3 after 40 s. So avformat comes first; the others are used where it is missing. To find
a position in MP3 and raw AAC it reads everything before it, so there the file is cut instead.

Without a sound device, or when it is unplugged, libvlc plays on in silence, and only its log says so.
"""

import logging
import time
from collections.abc import Callable

from player.errors import NoSoundDevice, PlaybackError
from player.media.fetching.broadcast import LiveMedia
from player.media.protocol import Media
from player.model.effects import NO_EFFECTS, Effects
from player.model.episode import BytePosition
from player.playback.effects.chain import missing_filters
from player.playback.engine import EngineFailed, Listener, Measured, Ready, Starving, TrackEngine
from player.playback.outputs import SoundOutput
from player.playback.vlc.instance import VlcInstance
from player.playback.vlc.live import LiveTrack
from player.playback.vlc.sound import PREPARES_MS, STARVED_S, Sound
from player.playback.vlc.start_point import Opening, StartPoint
from player.playback.vlc.warming import warm_up
from player.text.sentences import _

log = logging.getLogger(__name__)

_REPORTED_FROM_MS = 1_000


class VlcEngine(TrackEngine["_Track | LiveTrack"]):
    """One libvlc for the life of the engine, and a new player for each start, so that no state is left over.

    Measured: ending one and starting the next takes 0.005 s, and sound follows after 0.09 s.
    """

    def __init__(self, listener: Listener, output: Callable[[], SoundOutput] = SoundOutput) -> None:
        """`output` is called at each start and says where the sound should go."""
        self._listener = listener
        self._output = output
        self._libvlc: VlcInstance | None = None

    def set_effects(self, effects: Effects) -> Effects:
        return super().set_effects(NO_EFFECTS if effects.any and missing_filters() else effects)

    def warm_up(self) -> None:
        """Loading libvlc takes a third of a second."""
        warm_up(self._loaded())

    def _loaded(self) -> VlcInstance:
        if self._libvlc is None:
            self._libvlc = VlcInstance(self._device_failed, self._on_log, self._output)
        return self._libvlc

    def load(
        self,
        generation: int,
        media: Media,
        start_ms: int,
        *,
        speed: float,
        volume: int,
        nearby: BytePosition | None = None,
        claimed_ms: int | None = None,
        title: str = "",  # noqa: ARG002
    ) -> None:
        self.stop()
        libvlc = self._loaded()
        if isinstance(media, LiveMedia):
            self._track = LiveTrack(libvlc, self._listener, generation, media, volume)
        else:
            self._track = _Track(libvlc, self._listener, generation, media, speed, volume, self._effects, claimed_ms)
        self._track.open(start_ms, nearby)

    def close(self) -> None:
        super().close()
        libvlc, self._libvlc = self._libvlc, None
        if libvlc:
            libvlc.close()

    def _on_log(self, line: str) -> None:
        if track := self._track:
            track.on_log(line)

    def _device_failed(self, was_there: bool) -> None:
        if track := self._track:
            what = _("The sound device was disconnected") if was_there else _("No sound device is responding")
            chosen = _("Connect the one you chose, or choose another sound output.")
            any_one = _("Connect or switch on headphones or speakers, or start the sound server.")
            track.fail(NoSoundDevice(what, chosen if self._output().device else any_one))


class _Track:
    """One episode: the search for a start, then playback from there, until a seek needs another start."""

    def __init__(
        self,
        libvlc: "VlcInstance",
        listener: Listener,
        generation: int,
        media: Media,
        speed: float,
        volume: int,
        effects: Effects,
        claimed_ms: int | None,
    ) -> None:
        self._libvlc = libvlc
        self._listener = listener
        self._generation = generation
        self._media = media
        self._speed, self._volume, self._effects = speed, volume, effects
        self._claimed_ms = claimed_ms
        self._paused = False
        self._target_ms = 0
        self._nearby: BytePosition | None = None
        self._opening: Opening | None = None
        self._start: StartPoint | None = None
        self._sound: Sound | None = None
        self._known: StartPoint | None = None
        self._reported_duration = (0, False)
        self._started = False
        self._starving = False
        self._over = False

    def open(self, position_ms: int, nearby: BytePosition | None) -> None:
        """Stops, and looks for a start at `position_ms`; `poll` continues once it is found."""
        self._leave()
        self._target_ms, self._nearby = position_ms, nearby
        listener, ready = self._listener, Ready(self._generation)
        lead_ms = PREPARES_MS if self._effects.any else 0
        self._opening = Opening(
            self._media, self._known, position_ms, nearby, self._claimed_ms, lead_ms, lambda: listener(ready)
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
        self.open(position_ms, self.byte_position() or self._nearby)

    def set_speed(self, speed: float) -> None:
        self._speed = speed
        if self._sound:
            self._sound.set_speed(speed)

    def set_volume(self, volume: int) -> None:
        self._volume = volume
        if self._sound:
            self._sound.set_volume(volume)

    def set_effects(self, effects: Effects) -> None:
        self._effects = effects
        if self._sound and not self._sound.set_effects(effects):
            self.seek(self.position())

    def position(self) -> int:
        return self._sound.position() if self._sound else self._target_ms

    def byte_position(self) -> BytePosition | None:
        return self._sound.byte_position() if self._sound else None

    def poll(self) -> None:
        if self._over:
            return
        self._count()
        if self._sound and self._sound.link_ended_at is not None:
            self._follow_link(self._sound.link_ended_at)
        if self._opening:
            self._look_at_opening(self._opening)
        if self._start and not self._paused:
            self._begin(self._start)
        if self._sound:
            self._sound.poll()

    def fail(self, error: PlaybackError) -> None:
        if self._sound:
            self._sound.fail(error)

    def on_log(self, line: str) -> None:
        if sound := self._sound:
            sound.on_log(line)

    def _look_at_opening(self, opening: Opening) -> None:
        if opening.over:
            self._opening = None
            self._start = opening.start
            if opening.start:
                self._known = opening.start
            elif opening.error:
                self._fail(opening.error)
        elif self._started and not self._starving and time.monotonic() - opening.since > STARVED_S:
            self._starving = True
            self._listener(Starving(self._generation, True))

    def _follow_link(self, end: int) -> None:
        """A link has been played to its end, at that byte: continues with the next link."""
        start = self._known
        assert start
        assert start.chain
        assert start.link
        link = start.chain.ended(start.link, end, self._media.available) if end != start.link.end else start.link
        at_ms = max(self._target_ms, round(link.end_ms))
        self.open(at_ms, BytePosition(at_ms, end, self._media.size or 0, exact=True))

    def _begin(self, start: StartPoint) -> None:
        self._start = None
        try:
            self._sound = Sound(
                self._libvlc,
                self._listener,
                self._generation,
                self._media,
                start,
                self._speed,
                self._effects,
                started=self._started,
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
            self._started, self._starving = self._started or sound.playing_reported, sound.starving
            sound.close()

    def _fail(self, error: PlaybackError) -> None:
        self._over = True
        self._listener(EngineFailed(self._generation, error))

    def _count(self) -> None:
        known = self._known
        if known is None or self._reported_duration[1]:
            return
        if known.timeline:
            known.timeline.count()
        told = known.timeline or known.chain
        duration = told.duration() if told else None
        if duration and (duration[1] or abs(duration[0] - self._reported_duration[0]) >= _REPORTED_FROM_MS):
            self._reported_duration = duration
            self._listener(Measured(self._generation, *duration))

"""Plays on a device of the local network, which fetches the bytes from this computer.

A device may hang, lie, or go away at any time. So it is asked and told on a thread of its own, which the session's
thread never waits for, and its positions count only where it can be.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from player.errors import MediaError, NoSoundDevice, PlaybackError
from player.media.formats.sniff import HEAD, no_audio
from player.media.protocol import Media
from player.model.effects import NO_EFFECTS, Effects
from player.model.episode import BytePosition
from player.net.byte_server import ByteServer
from player.playback.casting.believed_position import BelievedPosition, Verdict
from player.playback.casting.device import Device, DeviceFailed, DeviceState, FoundDevice, Playable, Reading
from player.playback.casting.finding import address_towards, find_device
from player.playback.casting.kinds import device_kinds
from player.playback.engine import (
    EngineFailed,
    EngineReport,
    Finished,
    JumpedThere,
    Listener,
    Measured,
    Playing,
    PlaysElsewhere,
    Starving,
    SwitchedThere,
    TrackEngine,
)
from player.playback.outputs import OutputChoice, SoundOutput
from player.text.durations import clock as clock_text
from player.text.sentences import _

log = logging.getLogger(__name__)

_ASKED_EVERY_S = 0.7
"""Not a whole second: positions in whole seconds are known better when they are asked for at other times."""
_ASKED_SOON_S = 0.25
"""How often while it is to begin, to jump, or to pause."""
_GONE_S = 8.0
"""A device that answers nothing for so long has gone."""
_BEGINS_S, _UNASKED_S = 25.0, 12.0
"""How long it may take to begin; and until it fetches the first byte, which takes so long only if it can't."""
_ARRIVES_S = 6.0
"""How long a jump may take."""
_DOUBTED_S = 5.0
"""After so much time with positions that can't be, it is sent back to where it was."""
_TRIES = 2
"""How often it is sent to a position before that is given up."""
_AGAIN_S = 3.0
"""A device that hasn't paused or resumed by then is told again."""
_NEAR_END_MS = 5_000
_BEFORE_END_MS = 500
_STOPS_S, _CLOSES_S, _LINGERS_S = 1.0, 0.4, 5.0
"""How long the end of the sound is waited for, and at the end of Earmark that of the app there; and how long a device
is kept for the next episode."""
_FULL = 100
"""The volume, in percent, that stands for the device's own while Earmark is muted."""
_SAME_LEVEL, _SURE_OF_LEVEL = 0.03, 4
"""How far apart two levels may be that are the same, and how often a device has to say another one."""

_TYPES = {
    "mp3": ("audio/mpeg", ".mp3"), "mp4": ("audio/mp4", ".m4a"), "aac": ("audio/aac", ".aac"),
    "ogg": ("audio/ogg", ".ogg"), "flac": ("audio/flac", ".flac"), "wav": ("audio/wav", ".wav"),
    "matroska": ("audio/webm", ".webm"), "aiff": ("audio/aiff", ".aiff"),
}  # fmt: skip
"""Media types, and endings of addresses."""


class CastEngine(TrackEngine["_CastTrack"]):
    """`output` is the chosen output: a device. The effects aren't applied, since the device decodes."""

    def __init__(self, listener: Listener, output: OutputChoice) -> None:
        self._listener = listener
        self._output = output
        self._known: dict[SoundOutput, FoundDevice] = {}
        self._spare = _Spare()

    def load(
        self,
        generation: int,
        media: Media,
        start_ms: int,
        *,
        speed: float,
        volume: int,
        nearby: BytePosition | None = None,  # noqa: ARG002
        claimed_ms: int | None = None,
        title: str = "",
    ) -> None:
        self.stop()
        chosen = self._output
        asked = _Asked(chosen.now, chosen.title or chosen.now.device, title, claimed_ms)
        self._track = _CastTrack(
            self._listener, generation, media, asked, start_ms, speed, volume, self._known, self._spare
        )
        self._track.start()

    def set_effects(self, effects: Effects) -> Effects:  # noqa: ARG002
        return NO_EFFECTS

    def close(self) -> None:
        super().close()
        self._spare.close()


class _Asked(Struct, frozen=True):
    """What is to be played, and where. `name` is what the device is called if it can't be found."""

    output: SoundOutput
    name: str
    title: str
    claimed_ms: int | None


class _Spare:
    """The device between two episodes: connected for some seconds more, so that the next one begins sooner. One track
    has a device at a time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._kept: tuple[SoundOutput, Device] | None = None
        self._busy: SoundOutput | None = None
        """A device that a track has, or that is being closed."""
        self._over = False

    def keep(self, output: SoundOutput, device: Device, kept: Callable[[], object]) -> None:
        """Calls `kept` once the next track may have it. Returns when one has it, or when it is closed."""
        here = output, device
        with self._changed:
            self._kept, self._busy = here, None
            self._changed.notify_all()
            kept()
            self._changed.wait_for(lambda: self._kept is not here or self._over, _LINGERS_S)
            if self._kept is not here:
                return
            self._kept, self._busy = None, output
        device.close()
        self.leave()

    def leave(self) -> None:
        """A track no longer has its device."""
        with self._changed:
            self._busy = None
            self._changed.notify_all()

    def take(self, output: SoundOutput) -> Device | None:
        """The device of that output if it is still connected. Waits until no other track has one, if that doesn't take
        too long."""
        with self._changed:
            self._changed.wait_for(lambda: self._busy is None, _GONE_S)
            kept, self._kept, self._busy = self._kept, None, output
            self._changed.notify_all()
        if kept is None or kept[0] == output:
            return kept[1] if kept else None
        kept[1].close()
        return None

    def close(self) -> None:
        """Waits a moment for the device to be closed."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._kept is None and self._busy is None, _CLOSES_S)


class _Over(Exception):
    """Not an error: the track was closed."""


class _Bytes:
    """A Media, as the server of its bytes reads it."""

    def __init__(self, media: Media) -> None:
        self._media = media

    @property
    def size(self) -> int | None:
        return self._media.size if self._media.seekable else None

    def read(self, offset: int, count: int, given_up: Callable[[], bool]) -> bytes:
        return self._media.read(offset, count, given_up)

    def wake(self) -> None:
        self._media.wake()


class _CastTrack:
    """One episode on one device. The session's thread says what it wants, and a thread of its own sees to it."""

    def __init__(
        self,
        listener: Listener,
        generation: int,
        media: Media,
        asked: _Asked,
        start_ms: int,
        speed: float,
        volume: int,
        known: dict[SoundOutput, FoundDevice],
        spare: _Spare,
    ) -> None:
        self._listener = listener
        self._generation = generation
        self._media = media
        self._asked = asked
        self._known, self._spare = known, spare
        self._changed = threading.Condition()
        """Guards what is wanted and the position."""
        self._paused, self._speed, self._volume = False, speed, volume
        self._jump_ms: int | None = start_ms
        """Where it is to go, if it hasn't been told yet."""
        self._moved_to: int | None = None
        """Where somebody has moved it at the device, while the session doesn't know."""
        self._position = BelievedPosition(start_ms, speed, 1, time.monotonic())
        self._closed = self._starving = self._rests = False
        """`_rests`: the device was left during a pause."""
        self._silent = threading.Event()
        self._name, self._measured_ms = asked.name, 0
        self._forget()

    def _forget(self) -> None:
        """What belongs to the thread, as it is before anything is known of the device."""
        self._loaded = False
        self._device: Device | None = None
        self._found: FoundDevice | None = None
        self._server: ByteServer | None = None
        self._levels = _Levels(self._volume)
        self._told_speed = 1.0
        self._tells_paused: bool | None = None
        """What it was told last, until it does so."""
        self._told_at = self._answered_at = self._began_at = time.monotonic()
        self._jumps = 0
        self._begun = self._does_pause = False
        self._has_turn = self._is_gone = False
        self._is_ours = True
        """Whether nobody else plays something there."""
        self._blank_since: float | None = None
        """Since when the device has said nothing of the episode."""

    def start(self, after: threading.Event | None = None) -> None:
        """`after`: when an earlier thread has left the device."""
        threading.Thread(target=self._run, args=(after,), name="earmark-cast", daemon=True).start()

    # -- the session's thread -------------------------------------------------------------------------------------

    def close(self) -> None:
        with self._changed:
            self._closed = True
            loaded = self._loaded
            self._position.hold(time.monotonic())
            self._changed.notify_all()
        self._media.cancel()
        if server := self._server:
            server.close()
        if loaded:
            self._silent.wait(_STOPS_S)

    def pause(self) -> None:
        with self._changed:
            self._paused = True
            self._position.hold(time.monotonic())
            self._changed.notify_all()

    def resume(self) -> None:
        with self._changed:
            self._paused = False
            self._changed.notify_all()
            rested, self._rests = self._rests, False
            if not rested:
                return
            if self._jump_ms is None:
                self._jump_ms = self._position.at(time.monotonic())
            left, self._silent = self._silent, threading.Event()
            self._starving = True
        self._report(Starving(self._generation, True))
        self.start(left)

    def seek(self, position_ms: int) -> None:
        with self._changed:
            moved_to, self._moved_to = self._moved_to, None
            self._position.sought(position_ms, time.monotonic())
            if moved_to != position_ms:
                self._jump_ms = position_ms
            self._changed.notify_all()

    def set_speed(self, speed: float) -> None:
        with self._changed:
            self._speed = speed
            self._changed.notify_all()

    def set_volume(self, volume: int) -> None:
        with self._changed:
            self._volume = volume
            self._changed.notify_all()

    def set_effects(self, effects: Effects) -> None:
        """The device plays the bytes as they are."""

    def position(self) -> int:
        with self._changed:
            return self._position.at(time.monotonic())

    def byte_position(self) -> None:
        """The device counts time, not bytes."""

    def poll(self) -> None:
        """Nothing: the thread sees to it."""

    # -- the thread -----------------------------------------------------------------------------------------------

    def _run(self, after: threading.Event | None) -> None:
        if after is not None:
            after.wait(_GONE_S)
            self._forget()
        silent = self._silent
        try:
            self._play()
        except _Over:
            pass
        except PlaybackError as error:
            if not self._rest():
                self._fail(error)
        except Exception:
            log.exception("playing on a device failed")
            self._fail(PlaybackError(_("Something went wrong inside Earmark"), _("See the log.")))
        finally:
            if self._server:
                self._server.close()
            self._leave(silent)

    def _rest(self) -> bool:
        """A device that stops or goes away during a pause, as they do after some minutes, is no failure: it is looked
        for again when the episode is resumed."""
        with self._changed:
            self._rests = self._begun and self._paused and not self._closed
            if self._rests and self._server is not None:
                self._server.close()
                there = self._device
                slowest, fastest = (there.slowest, there.fastest) if there else (1.0, 1.0)
                self._report(PlaysElsewhere(self._generation, self._name, "", slowest, fastest))
            return self._rests

    def _play(self) -> None:
        """Raises PlaybackError, and _Over."""
        form = self._form()
        self._connect()
        assert self._device
        assert self._found
        try:
            host = address_towards(self._found.host)
            content_type, ending = _TYPES[form]
            with self._changed:
                self._go_on()
                self._server = server = ByteServer(host, _Bytes(self._media), content_type, ending)
        except OSError as error:
            log.warning("the bytes can't be served: %s", error)
            raise self._lost(_("This computer has no address that “{device}” can reach", device=self._name)) from error
        device = self._device
        self._report(
            PlaysElsewhere(
                self._generation, self._name, f"{host}:{server.port}", slowest=device.slowest, fastest=device.fastest
            )
        )
        self._begin(device, server, content_type)
        while True:
            self._tell(device)
            self._ask(device)
            self._wait()

    def _form(self) -> str:
        """Waits for the first bytes."""
        if self._media.stream:
            raise NoSoundDevice(
                _("Live streams can't be played on “{device}”", device=self._name), _("Choose another sound output.")
            )
        try:
            form = self._media.format
            if not form:
                raise no_audio(self._media.read(0, HEAD))
        except MediaError:
            self._go_on()  # it may have been cancelled
            raise
        return form

    def _connect(self) -> None:
        output = self._asked.output
        self._device = self._spare.take(output)
        self._has_turn = True
        self._found = self._known.get(output)
        if self._found is not None and self._device is None:
            with suppress(DeviceFailed):
                self._device = device_kinds()[output.output].connect(self._found)
        if self._device is None or self._found is None:  # not known yet, or no longer where it was
            self._go_on()
            self._found = find_device(output, self._asked.name, lambda: self._closed)
            self._go_on()
            try:
                self._device = device_kinds()[output.output].connect(self._found)
            except DeviceFailed as failure:
                log.info("connecting to %s failed: %s", self._found.title, failure)
                raise self._lost(_("“{device}” doesn't respond", device=self._found.name)) from failure
        self._known[output], self._name = self._found, self._found.name
        with self._changed:
            self._told_speed = self._possible(self._speed)
            self._position = BelievedPosition(
                self._position.at(time.monotonic()), self._told_speed, self._device.step_ms, time.monotonic()
            )

    def _begin(self, device: Device, server: ByteServer, content_type: str) -> None:
        with self._changed:
            self._go_on()
            self._loaded, start_ms = True, self._where(device, self._jump_ms or 0)
            self._jump_ms = None
            self._position.sought(start_ms, time.monotonic())
        what = Playable(
            server.url, content_type, self._asked.title, server.source.size,
            self._media.duration_ms or self._asked.claimed_ms,
        )  # fmt: skip
        try:
            device.load(what, start_ms / 1000)
            if self._told_speed != 1.0:
                device.set_speed(self._told_speed)
        except DeviceFailed as failure:
            log.info("%s doesn't take the episode: %s", self._name, failure)
            raise self._lost(_("“{device}” doesn't respond", device=self._name)) from failure
        self._began_at = self._answered_at = self._told_at = time.monotonic()
        with self._changed:
            self._position.sought(start_ms, time.monotonic())

    def _where(self, device: Device, ms: int) -> int:
        """The position nearest to that where the device can begin."""
        duration_ms = self._media.duration_ms
        if duration_ms is not None:
            ms = min(ms, max(0, duration_ms - _BEFORE_END_MS))
        return ms - ms % device.step_ms

    def _wait(self) -> None:
        soon = not self._begun or self._tells_paused is not None or not self._position.arrived
        with self._changed:
            self._changed.wait_for(self._has_news, _ASKED_SOON_S if soon else _ASKED_EVERY_S)
            self._go_on()

    def _has_news(self) -> bool:
        return self._closed or self._jump_ms is not None or self._differs()

    def _differs(self) -> bool:
        """Whether the device was told something else than what is wanted now."""
        return (
            self._possible(self._speed) != self._told_speed
            or self._levels.differs(self._volume)
            or (self._begun and self._tells_paused is None and self._paused is not self._does_pause)
        )

    def _go_on(self) -> None:
        if self._closed:
            raise _Over

    # -- telling it -----------------------------------------------------------------------------------------------

    def _tell(self, device: Device) -> None:
        """Tells the device what is wanted, if it doesn't do so."""
        now = time.monotonic()
        with self._changed:
            jump_ms, self._jump_ms = self._jump_ms, None
            paused, volume, speed = self._paused, self._volume, self._possible(self._speed)
        try:
            if jump_ms is not None:
                self._jumps = 0
                self._jump(device, jump_ms)
            if speed != self._told_speed:
                device.set_speed(speed)
                with self._changed:
                    self._told_speed = speed
                    self._position.with_speed(speed, time.monotonic())
            if self._levels.differs(volume):
                device.set_level(self._levels.chosen(volume))
            if self._begun and paused is not self._does_pause:
                if self._tells_paused is not paused or now - self._told_at >= _AGAIN_S:
                    self._tells_paused, self._told_at = paused, time.monotonic()
                    (device.pause if paused else device.play)()
            else:
                self._tells_paused = None
        except DeviceFailed as failure:
            self._failed(failure)

    def _jump(self, device: Device, ms: int) -> None:
        ms = self._where(device, ms)
        self._jumps += 1
        with self._changed:
            self._position.sought(ms, time.monotonic())
        device.seek(ms / 1000)
        with self._changed:
            if self._jump_ms is None:
                self._position.sought(ms, time.monotonic())

    def _possible(self, speed: float) -> float:
        return min(self._device.fastest, max(self._device.slowest, speed)) if self._device else speed

    # -- asking it ------------------------------------------------------------------------------------------------

    def _ask(self, device: Device) -> None:
        try:
            reading = device.read()
        except DeviceFailed as failure:
            self._failed(failure)
            return
        now = self._answered_at = time.monotonic()
        if reading.level is not None:
            self._levels.read(reading.level)
        match reading.state:
            case DeviceState.FAILED | DeviceState.TAKEN | DeviceState.STOPPED | DeviceState.ENDED:
                self._has_ended(reading)
            case DeviceState.PLAYING | DeviceState.PAUSED:
                self._does(reading, now)
            case _:
                self._waits(reading, now)

    def _does(self, reading: Reading, now: float) -> None:
        """It plays, or is paused."""
        plays = reading.state is DeviceState.PLAYING
        verdict = self._judge(reading, now, plays=plays)
        if not self._begun:
            if not (verdict is Verdict.BELIEVED and plays):
                self._check_begin(now)
                self._send_back(now)
                return
            self._begun = True
            self._report(Playing(self._generation))
        self._blank_since = None
        self._measure(reading)
        self._starves(waiting=False)
        self._note_pause(not plays)
        if verdict is Verdict.JUMPED:
            self._note_move(reading)
        if verdict is not Verdict.BELIEVED and plays:
            self._send_back(now)

    def _waits(self, reading: Reading, now: float) -> None:
        """It fetches bytes, or does nothing yet."""
        if not self._begun:
            self._check_begin(now)
            return
        if reading.state is DeviceState.BUFFERING:
            self._judge(reading, now, plays=False)
            self._blank_since = None
        else:
            with self._changed:
                self._position.hold(now)
            self._blank_since = self._blank_since or now
            if now - self._blank_since >= _GONE_S:
                raise self._lost(_("“{device}” has stopped playing", device=self._name))
        self._look_for_bytes()
        if self._position.arrived:
            self._starves(waiting=True)

    def _judge(self, reading: Reading, now: float, *, plays: bool) -> Verdict:
        with self._changed:
            if self._jump_ms is not None:
                return Verdict.AWAITED
            return self._position.told(
                reading.position_s,
                now,
                plays=plays and not self._paused,
                duration_ms=self._media.duration_ms,
                has_bytes=self._has_bytes,
            )

    def _has_bytes(self, ms: float) -> bool:
        duration_ms, size = self._media.duration_ms or self._measured_ms, self._media.size
        if not duration_ms or not size or self._server is None:
            return True
        return self._server.served_to >= 0.95 * size * ms / duration_ms

    def _note_pause(self, paused: bool) -> None:
        """Somebody may have paused or resumed it at the device."""
        before, self._does_pause = self._does_pause, paused
        with self._changed:
            if self._tells_paused is not None or paused is self._paused or paused is before:
                if paused is self._paused:
                    self._tells_paused = None
                return
            self._paused = paused
        self._report(SwitchedThere(self._generation, playing=not paused))

    def _note_move(self, reading: Reading) -> None:
        """Somebody has moved it at the device: the session is told, and jumps there, too."""
        ms = round(1000 * (reading.position_s or 0.0))
        with self._changed:
            if self._moved_to is not None:
                return
            self._moved_to = ms
        self._report(JumpedThere(self._generation, ms))

    def _check_begin(self, now: float) -> None:
        """It hasn't begun yet. Raises PlaybackError once that has taken too long."""
        server = self._server
        assert server
        self._look_for_bytes()
        if server.waits:  # it is the network that is slow
            self._began_at = now
        elif now - self._began_at >= (_BEGINS_S if server.was_asked else _UNASKED_S):
            raise self._refused(server)

    def _send_back(self, now: float) -> None:
        """It plays, but not where it should: after some time it is told again. Raises PlaybackError when that doesn't
        help."""
        device, server = self._device, self._server
        assert device
        assert server
        with self._changed:
            ms, jumped = self._position.at(now), self._moved_to is not None
            late = self._position.awaited_s(now) >= _ARRIVES_S
            late = late or self._position.doubted_s(now) >= _DOUBTED_S * (1 + jumped)
        if not late or server.waits:
            return
        if self._jumps >= _TRIES:
            raise self._lost(_("“{device}” doesn't play from {position}", device=self._name, position=clock_text(ms)))
        with self._changed:
            self._moved_to = None
        try:
            self._jump(device, ms)
        except DeviceFailed as failure:
            self._failed(failure)

    def _has_ended(self, reading: Reading) -> None:
        """Raises PlaybackError, or _Over once the end was reported."""
        server = self._server
        assert server
        if not self._begun and reading.state is not DeviceState.TAKEN:
            if reading.state is DeviceState.FAILED:
                raise self._refused(server)
            self._check_begin(time.monotonic())  # what it says may be about what it played before
            return
        self._look_for_bytes()
        if reading.state is DeviceState.TAKEN:
            self._is_ours = False
            raise self._lost(_("“{device}” plays something else now", device=self._name))
        duration_ms, at_ms = self._media.duration_ms or self._measured_ms, self._position.at(time.monotonic())
        near = at_ms >= duration_ms - _NEAR_END_MS if duration_ms else server.reached_end
        if reading.state is DeviceState.FAILED or not near:
            raise self._lost(_("“{device}” has stopped playing", device=self._name))
        size = self._media.size
        if size:
            self._media.read(size - 1, 1)  # by which the session knows that this was all
        with self._changed:
            if duration_ms:
                self._position.sought(duration_ms, time.monotonic())
            self._position.hold(time.monotonic())
        self._report(Finished(self._generation))
        raise _Over

    def _look_for_bytes(self) -> None:
        """Raises MediaError where the bytes can't be had."""
        if self._server and isinstance(error := self._server.error, MediaError):
            self._go_on()
            raise error

    def _failed(self, failure: DeviceFailed) -> None:
        """It didn't answer: it is asked again for some time. Raises PlaybackError."""
        log.info("%s: %s", self._name, failure)
        self._go_on()
        if failure.lasting or time.monotonic() - self._answered_at >= _GONE_S:
            self._is_gone = True
            raise self._lost(_("“{device}” is gone", device=self._name))
        self._starves(waiting=True)

    # -- what the session hears -----------------------------------------------------------------------------------

    def _lost(self, what: str) -> NoSoundDevice:
        return NoSoundDevice(what, _("Play it again, or choose another sound output."))

    def _refused(self, server: ByteServer) -> PlaybackError:
        """Why it didn't begin."""
        if isinstance(server.error, MediaError):
            return server.error
        if not server.was_asked:
            return NoSoundDevice(
                _("“{device}” can't fetch the audio from this computer", device=self._name),
                _("Check whether a firewall on this computer keeps it out."),
            )
        return PlaybackError(
            _("“{device}” can't play this episode", device=self._name), _("Choose another sound output for it.")
        )

    def _fail(self, error: PlaybackError) -> None:
        self._report(EngineFailed(self._generation, error))

    def _starves(self, *, waiting: bool) -> None:
        if self._begun and waiting is not self._starving:
            self._starving = waiting
            self._report(Starving(self._generation, waiting))

    def _measure(self, reading: Reading) -> None:
        seconds = reading.duration_s
        if seconds is not None and 0 < seconds < 10 * 24 * 3600 and abs(seconds * 1000 - self._measured_ms) >= 1_000:
            self._measured_ms = round(seconds * 1000)
            self._report(Measured(self._generation, self._measured_ms))

    def _report(self, report: EngineReport) -> None:
        if not self._closed:
            self._listener(report)

    # -- leaving it -----------------------------------------------------------------------------------------------

    def _leave(self, silent: threading.Event) -> None:
        device, self._device = self._device, None
        if device is None:
            silent.set()
            if self._has_turn:
                self._spare.leave()
            return
        try:
            if self._loaded and self._is_ours and not self._is_gone:
                device.stop()
                if (level := self._levels.audible()) is not None:
                    device.set_level(level)
        except DeviceFailed as failure:
            log.info("%s doesn't stop: %s", self._name, failure)
            self._is_gone = True
        if self._is_gone or not self._is_ours:
            silent.set()
            device.close()
            self._spare.leave()
        else:
            self._spare.keep(self._asked.output, device, silent.set)


class _Levels:
    """The volume of a device. The listener's volume is taken as a change from what the device was set to: a device that
    is turned low doesn't become loud because Earmark is set to 100 %."""

    def __init__(self, volume: int) -> None:
        self._volume = self._usual = volume or _FULL
        """The volume that was chosen last, a percentage, and the one that belongs to `_base`."""
        self._base: float | None = None
        self._set: float | None = None
        self._others: tuple[float, int] = (0.0, 0)
        """A level that the device says it has, and wasn't told, and how often it said so."""

    def differs(self, volume: int) -> bool:
        """Whether that volume isn't set yet, and the device has said how loud it is."""
        return self._base is not None and volume != self._volume

    def read(self, level: float) -> None:
        """The device says how loud it is: somebody may have changed that there, unless it is only late."""
        expected = self._base if self._set is None else self._set
        if expected is None:
            self._base = level
        elif abs(level - expected) > _SAME_LEVEL and self._volume:
            count = self._others[1] + 1 if abs(level - self._others[0]) <= _SAME_LEVEL else 1
            self._others = level, count
            if count >= _SURE_OF_LEVEL:
                self._usual, self._base, self._set = self._volume, level, None
        else:
            self._others = (0.0, 0)

    def chosen(self, volume: int) -> float:
        """The level for that volume, from 0 to 1."""
        self._volume = volume
        self._set = min(1.0, (self._base or 0.0) * volume / self._usual)
        return self._set

    def audible(self) -> float | None:
        """The level to leave it at, if it was muted."""
        return self._base if self._set == 0.0 else None

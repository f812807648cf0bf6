"""The current episode: its state, the listener's position, and how the position gets to the disk.

The position is what the engine is playing or, while no engine is running, where the listener stopped. An attempt that
produces no sound never changes it.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec.structs import replace

from player.errors import NoFile, NoSoundDevice, PlaybackError
from player.model.effects import disjoint, heard_ms
from player.model.episode import BytePosition, Episode, SavedPosition
from player.model.playback import ACTIVE, NO_SLEEP, PlaybackState, PlaybackStatus, SleepStatus
from player.model.segments import Segment
from player.playback.observers import Bookkeeper, EventTracker
from player.playback.position import ListenerPosition
from player.playback.rules import move
from player.playback.transport import Transport

log = logging.getLogger(__name__)

_BEFORE_END_MS = 500
_HEARD_MS = 1_000
"""A position that moved less than this before a failure counts as not moved."""
_UNHEARD_MS = 500
_SOUNDING = (PlaybackState.PLAYING, PlaybackState.BUFFERING)


class CurrentEpisode:
    """Runs on the session's thread. `clock` is monotonic, in seconds; `now` is the time of day."""

    def __init__(
        self,
        transport: Transport,
        books: Bookkeeper,
        events: EventTracker,
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._transport = transport
        self._books = books
        self._events = events
        self._clock = clock
        self._now = now
        self.state = PlaybackState.STOPPED
        self.episode: Episode | None = None
        self.position = ListenerPosition()
        self.error: str | None = None
        self.sleep: Callable[[], SleepStatus] = lambda: NO_SLEEP
        self.asks: Callable[[], Segment | None] = lambda: None
        self.resumed: SavedPosition | None = None
        """The saved position that it went on from, unless the listener has jumped since."""
        self._before_clip: ListenerPosition | None = None
        """The listener's position during a clip, which doesn't change it."""

    # -- what is shown ------------------------------------------------------------------------------------------

    @property
    def status(self) -> PlaybackStatus:
        return _status(self, self._transport, self._clock())

    @property
    def active(self) -> bool:
        """Whether the listener wants to hear it, and hears it or waits for it."""
        return self.state in ACTIVE

    @property
    def speed(self) -> float:
        """The speed at which it is heard."""
        return self._transport.sounding_speed

    @property
    def live(self) -> bool:
        """Whether it is a live stream, which has no positions to save."""
        return self._transport.live

    def duration(self) -> tuple[int | None, bool]:
        """The best known duration, ms, and whether it comes from the bytes themselves."""
        return self._transport.duration(self.episode.duration_ms if self.episode else None)

    def current_ms(self) -> int:
        """The listener's current position in ms.

        The engine is asked, as it interpolates from libvlc's last tick, which may be 0.3 s old. A position pushed by
        the engine would be as old as that tick, but a pause, a jump or a save needs the current one.
        """
        if self.state in _SOUNDING:
            ms = self._transport.position()
            if ms is not None:
                duration, exact = self.duration()
                return min(ms, duration) if exact and duration else ms
        return self.position.ms

    @property
    def listener_ms(self) -> int:
        """The listener's position in ms; during a clip, the one from before it."""
        return self._before_clip.ms if self._before_clip else self.current_ms()

    @property
    def in_clip(self) -> bool:
        """Whether what plays, or is about to, leaves the listener's position unchanged."""
        return self._before_clip is not None

    # -- turns --------------------------------------------------------------------------------------------------

    def enter(self, state: PlaybackState) -> None:
        self.state = move(self.state, state)
        if state not in _SOUNDING:
            self._books.end_span()
        self._record()
        if self.episode is not None:
            self._events.moved(state, self.episode.id, self.position.ms, self.error)

    def _enter_paused(self) -> None:
        """Makes a restart show the episode as paused, even if nothing of it was heard."""
        self.enter(PlaybackState.PAUSED)
        if self.episode is not None and not self._before_clip:
            self._books.paused(self.episode.id)

    def set_episode(self, episode: Episode, saved: SavedPosition | None) -> None:
        """Makes it the current episode. Loads nothing."""
        self.episode = episode
        self.position, self._before_clip = ListenerPosition.from_saved(saved), None
        self.resumed = saved

    def unsure(self, audio: int) -> None:
        """The audio isn't the `audio` that the position was saved in; the position stays at its second."""
        if self.resumed is not None and self.resumed.audio == audio:
            self.resumed = replace(self.resumed, audio=None, unsure=True)

    @property
    def is_unsure(self) -> bool:
        """Whether the listener is still at such a position."""
        return self.resumed is not None and self.resumed.unsure and self.resumed.position_ms == self.position.ms

    def clear(self) -> None:
        """Leaves no current episode. What hasn't been saved is lost."""
        self._transport.release()
        self.enter(PlaybackState.STOPPED)
        self.error = None
        self.episode = self._before_clip = None
        self.position = ListenerPosition()
        self._transport.forget()

    def begin(self, ms: int) -> None:
        """Starts or resumes the sound at `ms`."""
        left_ms = self.position.ms
        self.position = self.position.started(ms)
        if not self._transport.loaded:
            self._load()
            return
        if ms != left_ms:
            self._transport.seek(ms)
        self._transport.resume()
        self.enter(PlaybackState.PLAYING)

    def pause(self) -> None:
        if self._transport.loaded and self.state is not PlaybackState.OPENING:
            self.note_heard()
            self._transport.pause()
            self.position = self.position.left(*self.engine_position())
        else:
            # libvlc can't pause while it opens. Bytes still keep coming in.
            self._transport.unload()
            self.position = self.position.given_up()
        self._enter_paused()
        self.save(announce=True)

    def stop(self) -> None:
        """Stops the sound; the episode stays the current one."""
        self.note_heard()
        if self._before_clip:
            self.position, self._before_clip = self._before_clip, None
            self._events.clip_over()
        else:
            self._settle_position()
        self.save(announce=True)
        self._transport.release()
        self.enter(PlaybackState.STOPPED)
        self.error = None

    def seek(self, ms: int) -> None:
        """Jumps to `ms`, limited to the episode, and far enough before its end for the end to be heard.

        A guessed duration is no limit, because feeds may claim ten minutes for an hour; the engine will find the true
        end.
        """
        self.note_heard()
        duration, exact = self.duration()
        if duration and exact:
            ms = min(ms, duration - _BEFORE_END_MS)
        self.move_to(self.position.sought(max(0, ms), self._now()))

    def move_to(self, position: ListenerPosition) -> None:
        """Sets the listener's position and moves the sound there."""
        self._books.end_span()
        self.resumed = None
        if self.episode is not None:
            self._events.seeked(self.episode.id, self.current_ms(), position.ms)
        self.position = position
        if self.state is PlaybackState.OPENING:
            self._load()
        elif self._transport.loaded:
            self._transport.seek(position.ms)
            self._record()
        elif self.state is not PlaybackState.PAUSED:
            self.error = None
            self._enter_paused()
        self.save(announce=True)

    def count_skipped(self, segments: Sequence[Segment], *, undone: bool = False) -> None:
        """Counts the time that skipping these segments saves, or would have saved if that is `undone`."""
        spans = disjoint((one.start_ms, one.end_ms) for one in segments)
        saved_ms = sum(heard_ms(*span, self._transport.left_out) for span in spans) / self.speed
        self._books.skipped(-saved_ms if undone else saved_ms)

    def reject(self, segments: Sequence[Segment], *, rejected: bool) -> None:
        """The listener went back to hear these segments; or, unless `rejected`, has undone that."""
        if self.episode is not None:
            self._books.reject(self.episode.id, segments, rejected=rejected)

    def begin_clip(self) -> None:
        """What plays from here on is a clip. The listener's position is saved before."""
        if self._before_clip is None:
            self.note_heard()
            self._settle_position()
            self.save(announce=True)
            self._events.clip_begins(self.position.ms)
            self._before_clip = self.position

    def keep_clip_position(self) -> None:
        """Turns the clip into listening, at its current position."""
        if self._before_clip:
            self._before_clip = None
            self._listening_again()

    def end_clip(self) -> None:
        """Returns to the position from before `begin_clip`."""
        if self._before_clip:
            back, self._before_clip = self._before_clip, None
            self.move_to(back.started(back.ms))
            self._listening_again()

    def _listening_again(self) -> None:
        self._events.clip_over()
        if self.episode is not None:
            self._events.moved(self.state, self.episode.id, self.current_ms())

    def set_speed(self, speed: float) -> None:
        self._record()
        self._transport.set_speed(speed)
        self._record()

    def finish(self) -> None:
        """The episode was heard to its end: it is marked played, and starts from the beginning next time."""
        assert self.episode is not None
        ms = self.current_ms()
        self.note_heard()
        self._transport.release()
        duration, exact = self.duration()
        self.position = self.position.finished(duration if exact and duration else ms)
        self._books.finished(self.episode.id)
        self.episode = replace(self.episode, played=True, position_ms=0)
        self.enter(PlaybackState.ENDED)

    def fail_jump(self, back_ms: int, error: PlaybackError) -> None:
        """The last jump failed: the position is again the one from before it."""
        self.position = self.position.sought(back_ms, self._now())
        self.fail(error, heard=False)

    def fail(self, error: PlaybackError, *, heard: bool = True) -> None:
        """The position stays where sound was last heard; if nothing was `heard`, where it was before."""
        if isinstance(error, NoFile) and self.state is PlaybackState.OPENING:
            self._load()
            return
        log.warning("playing failed: %s", error)
        ms, at, byte = self.engine_position()
        heard = heard and self.state is not PlaybackState.OPENING and ms - self.position.begun_ms >= _HEARD_MS
        lost = heard and isinstance(error, NoSoundDevice)
        self._transport.release()
        if heard:
            # What had been decoded by then may not all have been heard.
            self.position = self.position.left(max(self.position.begun_ms, ms - _UNHEARD_MS) if lost else ms, at, byte)
            self._record(self.position.ms)
        else:
            self.position = self.position.given_up()
        self.error = str(error)
        # A device that went away may come back, so this is a pause. If nothing had been heard yet, a pause would be
        # odd.
        if lost:
            self._enter_paused()
        else:
            self.enter(PlaybackState.ERROR)
        self.save(announce=True)

    def _load(self) -> None:
        """Opens the bytes and plays from the listener's position."""
        assert self.episode is not None
        self.error = None
        self.enter(PlaybackState.OPENING)
        self._books.loading()
        self._transport.load(self.episode, self.position.ms, self.position.nearby, self.fail)

    # -- the position -------------------------------------------------------------------------------------------

    def engine_position(self) -> tuple[int, datetime, BytePosition | None]:
        """The engine's position in ms, the time, and the byte at that position if the engine knows it."""
        byte = self._transport.byte_position()
        return byte.position_ms if byte else self.current_ms(), self._now(), byte

    def note_position(self) -> None:
        """Takes over the engine's position."""
        self._record()
        if self.state in _SOUNDING:
            self.position = self.position.moved(*self.engine_position())

    def _settle_position(self) -> None:
        """Sets the final position when the sound ends here. An episode that was still opening hasn't moved."""
        if self.state is PlaybackState.OPENING:
            self.position = self.position.given_up()
        elif self.state is PlaybackState.ENDED:
            self.position = self.position.restarted()
        else:
            self.note_position()

    def note_heard(self) -> None:
        """The episode becomes the last one played and loses its played mark. A clip changes neither."""
        self._record()
        if self.episode is not None and self.state in _SOUNDING and not self._before_clip:
            self._books.started(self.episode.id)

    def tick(self) -> None:
        """Saves the position once a second, starting with the first second heard."""
        self._record()
        if abs(self.current_ms() - self.position.begun_ms) < _HEARD_MS:
            return
        self.note_heard()
        if self._books.save_is_due:
            self.note_position()
            self.save(announce=self._books.announce_is_due)

    def _record(self, position_ms: int | None = None) -> None:
        """Adds what is playing to the listening history, except clips and live streams."""
        if self._before_clip or self.live:
            self._books.end_span()
        elif self.episode is not None and (self.state is PlaybackState.PLAYING or position_ms is not None):
            ms = self.current_ms() if position_ms is None else position_ms
            self._books.record(self.episode.id, ms, self.speed, self._transport.left_out)

    def save(self, *, announce: bool) -> None:
        """Passes the position to the saver if the library has a different one."""
        if self.episode is None or not self.position.unsaved or self.live or self._before_clip:
            return
        duration, exact = self.duration()
        true_ms = duration if exact else None
        # A position that the listener hasn't left is still one in the audio that it was saved in.
        resumed = self.resumed if self.resumed and self.resumed.position_ms == self.position.ms else None
        self.position = self._books.save(
            self.episode.id,
            self.position,
            true_ms,
            self._transport.version,
            resumed.audio if resumed else None,
            announce=announce,
        )


def _status(current: CurrentEpisode, transport: Transport, measured_at: float) -> PlaybackStatus:
    duration, exact = current.duration()
    waits = current.state in (PlaybackState.OPENING, PlaybackState.BUFFERING)
    trouble = transport.trouble if waits else None
    byte = transport.byte_position() or current.position.byte
    return PlaybackStatus(
        state=PlaybackState.BUFFERING if trouble else current.state,
        episode=current.episode,
        position_ms=current.current_ms(),
        duration_ms=duration,
        approximate=(duration is not None and not exact) or (byte is not None and not byte.exact),
        unsure=current.is_unsure,
        speed=transport.sounding_speed,
        volume=transport.volume,
        gain_db=transport.effects.gain_db,
        boost=transport.effects.boost,
        trim=transport.effects.trim,
        left_out=transport.left_out,
        cached=transport.cached,
        error=current.error,
        waiting=str(trouble) if trouble else None,
        live=transport.live,
        sleep=current.sleep(),
        measured_at=measured_at,
        clip=current.in_clip,
        asked=current.asks(),
        plays_on=transport.elsewhere.device if transport.elsewhere else "",
        served_at=transport.elsewhere.address if transport.elsewhere else "",
    )

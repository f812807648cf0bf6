"""The deck: one episode, its bytes, the engine and the state they are in. All of it happens in the session's thread.

The place is what this is about. It is what the engine plays, or, without an engine at work, where the listener left; it
goes to the saver every second and at every turn. An attempt that brings no sound never changes it.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from player.errors import MediaError, NoFile, NoSoundDevice, PlaybackError
from player.library import Library
from player.media import EpisodeMedia
from player.model.chapters import Chapters
from player.model.episode import Episode, EpisodeId
from player.model.playback import ACTIVE, PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from player.model.position import BytePosition
from player.playback.chapter_moves import chapter_after, chapter_before
from player.playback.ending import is_the_end, slack_ms
from player.playback.engine import (
    EngineFactory,
    EngineFailed,
    EngineReport,
    Finished,
    Listener,
    Measured,
    Moved,
    Paused,
    Playing,
    Ready,
    Starving,
)
from player.playback.jumps import Jumps
from player.playback.last_session import LOUDEST, clamp_speed, left_off
from player.playback.observers.event_tracker import EventTracker
from player.playback.position import ListenerPosition
from player.playback.rewind import resume_at, rules
from player.playback.saver import Finish, Remember, SavePosition, Saver, Start
from player.playback.skipping import NOTHING_SKIPPED, ChapterSkipper, SkipRules
from player.playback.states import move
from player.playback.transport import Transport
from player.settings import Playback
from player.text.durations import clock as clock_text
from player.text.sentences import _

log = logging.getLogger(__name__)

_SAVE_S = 0.9
_ANNOUNCE_S = 5.0
_BEFORE_END_MS = 500
_CLIP_BEFORE_END_MS = 1_500
_HEARD_MS = 1_000
"""A place that moved less than this before a failure counts as not moved."""
_UNHEARD_MS = 500


class Opener(Protocol):
    """The media store."""

    def open(self, episode: Episode, changed: Callable[[], None]) -> EpisodeMedia: ...


def utc_now() -> datetime:
    return datetime.now(UTC)


class Clip(NamedTuple):
    """A piece that plays until `end_ms`; then the listener's position is `back` again, whatever was heard."""

    end_ms: int
    back: ListenerPosition


class PlaybackController:
    """Commands and reports in; `status` out. `clock` is monotonic, in seconds; `now` is the time of day.

    `skip` says which chapters are stepped over; `tell` takes sentences for the listener though nothing is wrong.
    Methods that read the library may raise LibraryError; then nothing has changed.
    """

    def __init__(
        self,
        library: Library,
        store: Opener,
        saver: Saver,
        settings: Playback,
        make_engine: EngineFactory,
        listener: Listener,
        kept_changed: Callable[[], None],
        later: Callable[[Callable[[], None]], None],
        *,
        skip: SkipRules = NOTHING_SKIPPED,
        events: EventTracker | None = None,
        tell: Callable[[str], None] = lambda _sentence: None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._library = library
        self._saver = saver
        self._rules = rules(settings)
        self._transport = Transport(lambda episode: store.open(episode, kept_changed), make_engine, listener)
        self._later = later
        self._events = events or EventTracker()
        self._tell = tell
        self._clock = clock
        self._now = now

        self.state = PlaybackState.STOPPED
        self.speed = 1.0
        self.volume = 100
        self._episode: Episode | None = None
        self._position = ListenerPosition()
        self._jumps = Jumps()
        self._skipper = ChapterSkipper(skip)
        self.chapters = Chapters()
        self._clip: Clip | None = None
        self._error: str | None = None

        self._heard = False
        """Whether anything was heard since the bytes were loaded: only then it is the last episode."""
        self._saved_at = float("-inf")
        self._announced_at = float("-inf")

    # -- what is shown ------------------------------------------------------------------------------------------

    @property
    def status(self) -> PlaybackStatus:
        duration, exact = self._duration()
        trouble = self._trouble()
        return PlaybackStatus(
            state=PlaybackState.BUFFERING if trouble else self.state,
            episode=self._episode,
            position_ms=self._current_ms(),
            duration_ms=duration,
            approximate=(duration is not None and not exact) or self._is_guessed(),
            speed=self.speed,
            volume=self.volume,
            kept=self._transport.kept,
            error=self._error,
            waiting=str(trouble) if trouble else None,
            live=self._transport.live,
            measured_at=self._clock(),
        )

    # -- commands -----------------------------------------------------------------------------------------------

    def recall(self) -> None:
        """Puts the last episode in, paused at its place, with the speed and volume of last time. Loads nothing."""
        last = left_off(self._library)
        self.speed, self.volume = last.speed, last.volume
        if last.episode is not None:
            self._put_in(last.episode)
            self._go(last.state)

    def play(self, episode_id: EpisodeId, at_ms: int | None = None) -> None:
        """Plays an episode from its place, or from `at_ms`; goes on with it if it is the one in the deck."""
        self._choose(episode_id)
        if at_ms is not None:
            length, exact = self._duration()
            if length and exact and at_ms >= length:
                self._tell(str(_past_end(at_ms, length)))
                return
            self.seek_to(at_ms)
        self.resume()

    def play_clip(self, episode_id: EpisodeId, start_ms: int, duration_ms: int) -> None:
        """Plays that piece, then pauses where the listener was: it isn't listening, and moves no place."""
        self._choose(episode_id)
        if self._transport.live:
            return
        length, _ = self._duration()
        end = start_ms + duration_ms
        back = self._clip.back if self._clip else self._position_to_come_back_to()
        self._clip = Clip(min(end, length - _CLIP_BEFORE_END_MS) if length else end, back)
        self._seek(start_ms)
        self._skipper.sought(start_ms)
        self.resume()

    def toggle(self) -> None:
        if self.state in ACTIVE:
            self.pause()
        else:
            self.resume()

    def pause(self) -> None:
        if self.state not in ACTIVE:
            return
        if self._transport.loaded and self.state is not PlaybackState.OPENING:
            self._note_heard()
            self._transport.pause()
            self._position = self._position.left(*self._engine_position())
        else:
            # libvlc takes no pause while it opens. The bytes go on coming in.
            self._transport.unload()
            self._position = self._position.given_up()
        self._go(PlaybackState.PAUSED)
        self._save(announce=True)

    def resume(self) -> None:
        """Goes on, from a little earlier after a long pause; from the start after the end."""
        if self._episode is None or self.state in ACTIVE:
            return
        if self.state is PlaybackState.ENDED:
            self._position = self._position.restarted()
        left, begins_ms = self._position.ms, self._rewound_ms()
        self._position = self._position.begun(begins_ms)
        self._skipper.began(begins_ms)
        if not self._transport.loaded:
            self._load()
            return
        if begins_ms != left:
            self._transport.seek(begins_ms)
        self._transport.resume()
        self._go(PlaybackState.PLAYING)

    def stop(self) -> None:
        """The episode stays in the deck."""
        if self.state is PlaybackState.STOPPED:
            return
        self._settle_position()
        if self.state is PlaybackState.ENDED:
            self._position = self._position.restarted()
        if self._clip:
            self._position, self._clip = self._clip.back, None
        self._transport.give_back()
        self._go(PlaybackState.STOPPED)
        self._error = None

    def reopen(self) -> None:
        """What plays begins anew at the same place, as after a change of the sound's output."""
        active = self.state in ACTIVE
        self.pause()
        self._transport.unload()
        if active:
            self.resume()

    def take_out(self) -> None:
        """Stops, and leaves the deck empty."""
        self.stop()
        self._empty()

    def forget(self, podcast_id: PodcastId) -> None:
        """Takes an episode of that podcast out, without a trace."""
        if self._episode and self._episode.podcast_id == podcast_id:
            self._transport.give_back()
            self._go(PlaybackState.STOPPED)
            self._error = None
            self._empty()

    def _empty(self) -> None:
        self._episode = None
        self._clip = None
        self._position = ListenerPosition()
        self._transport.forget()
        self._jumps = Jumps()
        self.chapters = Chapters()

    def seek_to(self, position_ms: int) -> None:
        if self._episode is None or self._transport.live:
            return
        self._clip = None
        self._jumps = self._jumps.jumped(self._current_ms(), self._clock())
        self._seek(position_ms)
        self._skipper.sought(self._position.ms)

    def seek_by(self, by_ms: int) -> None:
        self.seek_to(self._current_ms() + by_ms)

    def undo_jump(self) -> None:
        if self._clip:
            self._return_from(self._clip)
            return
        if self._episode is None or self._jumps.origin_ms is None:
            return
        origin = self._jumps.origin_ms
        self._jumps = self._jumps.undone(self._current_ms())
        self._seek(origin)
        self._skipper.undone(origin)

    def take_chapters(self, episode_id: EpisodeId, chapters: Chapters) -> None:
        """What has become known of the chapters of an episode; others than the one in the deck don't matter."""
        if self._episode and self._episode.id == episode_id:
            self.chapters = chapters
            self._skipper.learn(chapters, self._duration()[0])

    def previous_chapter(self) -> None:
        """To the start of the chapter, or of the one before it when that was just now."""
        if self._has_chapters():
            before = chapter_before(self.chapters, self._current_ms())
            self.seek_to(before.start_ms if before else 0)

    def next_chapter(self) -> None:
        if self._has_chapters():
            after = chapter_after(self.chapters, self._current_ms())
            if after:
                self.seek_to(after.start_ms)
            else:
                self._tell(_("This is the last chapter"))

    def set_speed(self, speed: float) -> None:
        self.speed = clamp_speed(speed)
        self._transport.set_speed(self.speed)
        self._saver.put(Remember("speed", f"{self.speed:g}"))

    def set_volume(self, volume: int) -> None:
        self.volume = max(0, min(LOUDEST, volume))
        self._transport.set_volume(self.volume)
        self._saver.put(Remember("volume", str(self.volume)))

    def save(self) -> None:
        """The position as it is now goes to the saver, if it has changed."""
        self._note_position()
        self._save(announce=True)

    def close(self) -> None:
        """The position goes to the saver first: whatever happens to the sound then, it is kept."""
        try:
            self.stop()
        finally:
            self._transport.close()

    # -- time passes --------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Called about ten times a second while the deck is active."""
        if self.state not in ACTIVE:
            return
        self._transport.poll()
        if self.state is PlaybackState.PLAYING:
            self._step_over_unwanted(self._current_ms())
            if self._clip and self._current_ms() >= self._clip.end_ms:
                self._end_clip(self._clip)
        now = self._clock()
        if abs(self._current_ms() - self._position.begun_ms) < _HEARD_MS:
            return
        self._note_heard()
        if now - self._saved_at >= _SAVE_S:
            self._note_position()
            self._save(announce=now - self._announced_at >= _ANNOUNCE_S)

    def look_at_bytes(self) -> None:
        """Called when more bytes are there: they may tell a guessed place while it is paused."""
        if self.state is not PlaybackState.PAUSED or not self._transport.loaded:
            return
        self._transport.poll()
        found, guessed = self._transport.anchor(), self._position.nearby
        if found and guessed and found != guessed and found.byte == guessed.byte:
            self._position = self._position.corrected(found)
            self._save(announce=True)

    # -- reports ------------------------------------------------------------------------------------------------

    def hear(self, report: EngineReport) -> None:
        """Takes in what an engine reports; what belongs to an older load is dropped."""
        if not self._transport.hears(report):
            return
        match report:
            case Ready():
                self._transport.poll()
            case Playing():
                if self.state is PlaybackState.OPENING:
                    self._go(PlaybackState.PLAYING)
                    self._refuse_jump_past_end()
            case Paused() | Moved():
                pass  # The engine is asked for its position at the moment for which one is needed.
            case Starving(waiting=True):
                if self.state is PlaybackState.PLAYING:
                    self._starved()
            case Starving():
                if self.state is PlaybackState.BUFFERING:
                    self._go(PlaybackState.PLAYING)
            case Measured():
                self._transport.measured(report)
                self._refuse_jump_past_end()
                self._skipper.learn(self.chapters, self._duration()[0])
            case Finished():
                self._finished()
            case EngineFailed():
                self._failed(report.error)

    # -- inside -------------------------------------------------------------------------------------------------

    def _go(self, state: PlaybackState) -> None:
        self.state = move(self.state, state)
        if self._episode is not None:
            self._events.moved(state, self._episode.id, self._position.ms, self._error)

    def _trouble(self) -> MediaError | None:
        """Why the bytes that are waited for don't come."""
        waits = self.state in (PlaybackState.OPENING, PlaybackState.BUFFERING)
        return self._transport.trouble if waits else None

    def _choose(self, episode_id: EpisodeId) -> None:
        """Puts an episode into the deck, unless it is there."""
        if self._episode is None or self._episode.id != episode_id:
            episode = self._library.episodes.get(episode_id)
            self.take_out()
            self._put_in(episode)

    def _end_clip(self, clip: Clip) -> None:
        self.pause()
        self._return_from(clip)
        self._tell("That was the clip. space goes on where you were.")

    def _position_to_come_back_to(self) -> ListenerPosition:
        """The listener's position, saved, before something sounds that isn't listening."""
        match self.state:
            case PlaybackState.OPENING:
                return self._position.given_up()
            case PlaybackState.ENDED:
                return self._position.restarted()
        self._note_position()
        self._save(announce=True)
        return self._position

    def _return_from(self, clip: Clip) -> None:
        self._clip, from_ms = None, self._current_ms()
        self._position = clip.back.begun(clip.back.ms)
        self._follow_position(from_ms)

    def _has_chapters(self) -> bool:
        if self._episode is None or self._transport.live:
            return False
        if not self.chapters.listed:
            self._tell(_("This episode has no chapters"))
        return bool(self.chapters.listed)

    def _step_over_unwanted(self, position_ms: int) -> None:
        """A jump of its own, however soon after another: the way back leads into the chapter."""
        if step := self._skipper.step(position_ms):
            self._jumps = Jumps(position_ms)
            self._seek(step.to_ms)
            self._tell(step.sentence)

    def _starved(self) -> None:
        self._note_position()
        self._go(PlaybackState.BUFFERING)

    def _put_in(self, episode: Episode) -> None:
        place = self._saver.place(episode.id) or self._library.progress.place(episode.id)
        self._episode = episode
        self._position = ListenerPosition.recalled(place)
        self._skipper.put_in(episode.podcast)

    def _load(self) -> None:
        """Opens the bytes, to play from the listener's position."""
        assert self._episode is not None
        self._error = None
        self._go(PlaybackState.OPENING)
        generation = self._transport.announce()
        self._heard = False
        self._later(lambda: self._start_engine(generation))

    def _start_engine(self, generation: int) -> None:
        """Loading libvlc takes a third of a second the first time, so OPENING is shown before."""
        if not self._transport.is_current(generation) or self._episode is None:
            return
        try:
            self._transport.load(
                generation,
                self._episode,
                self._position.ms,
                speed=self.speed,
                volume=self.volume,
                anchor=self._position.nearby,
            )
        except PlaybackError as error:
            self._failed(error)
        except Exception:
            log.exception("starting to play failed")
            self._failed(PlaybackError(_("Something went wrong inside Earmark"), _("See the log.")))

    def _current_ms(self) -> int:
        """Where the listener is right now, ms.

        The engine is asked: it reckons from libvlc's last tick, which may be 0.3 s old, and from the bytes that it cut.
        What it pushed would be as old as that tick, and a pause, a jump or a save is at the moment it is made.
        """
        if self.state in (PlaybackState.PLAYING, PlaybackState.BUFFERING):
            place = self._transport.position()
            if place is not None:
                duration, exact = self._duration()
                return min(place, duration) if exact and duration else place
        return self._position.ms

    def _rewound_ms(self) -> int:
        return resume_at(self._position.ms, self._position.left_at, self._now(), self._rules)

    def _seek(self, position_ms: int) -> None:
        self._note_heard()
        from_ms = self._current_ms()
        self._position = self._position.sought(self._clamped(position_ms), self._now())
        self._follow_position(from_ms)

    def _follow_position(self, from_ms: int) -> None:
        """The listener's position is another now, and was `from_ms`: the sound goes there."""
        if self._episode is not None:
            self._events.seeked(self._episode.id, from_ms, self._position.ms)
        if self.state is PlaybackState.OPENING:
            self._load()
        elif self._transport.loaded:
            self._transport.seek(self._position.ms)
        elif self.state is not PlaybackState.PAUSED:
            self._error = None
            self._go(PlaybackState.PAUSED)
        self._save(announce=True)

    def _clamped(self, position_ms: int) -> int:
        """Within the episode, and short of its end, so that it is heard to end.

        A guessed duration is no limit: feeds say ten minutes of an hour. The engine finds the true end.
        """
        duration, exact = self._duration()
        if duration and exact:
            position_ms = min(position_ms, duration - _BEFORE_END_MS)
        return max(0, position_ms)

    def _duration(self) -> tuple[int | None, bool]:
        """The best known duration, ms, and whether the bytes themselves told it."""
        return self._transport.duration(self._episode.duration_ms if self._episode else None)

    def _note_position(self) -> None:
        """The listener is where the engine is."""
        if self.state in (PlaybackState.PLAYING, PlaybackState.BUFFERING):
            self._position = self._position.moved(*self._engine_position())

    def _engine_position(self) -> tuple[int, datetime, BytePosition | None]:
        """Where the engine is, ms, now, and the byte there, where it can tell."""
        byte = self._transport.anchor()
        return byte.position_ms if byte else self._current_ms(), self._now(), byte

    def _is_guessed(self) -> bool:
        """Whether the place may be another than is shown, for want of the bytes before it."""
        byte = self._transport.anchor() or self._position.byte
        return byte is not None and not byte.exact

    def _note_heard(self) -> None:
        """It is the last episode from now on; what failed before a second of it was heard never is."""
        if self._episode is None or self._heard or self.state not in (PlaybackState.PLAYING, PlaybackState.BUFFERING):
            return
        self._heard = True
        self._saver.put(Start(self._episode.id))

    def _settle_position(self) -> None:
        """Before the engine goes. What was only being opened was not heard."""
        if self.state is PlaybackState.OPENING:
            self._position = self._position.given_up()
        self._note_heard()
        self._note_position()
        self._save(announce=True)

    def _save(self, *, announce: bool) -> None:
        if self._episode is None or not self._position.unsaved or self._transport.live or self._clip:
            return
        duration, exact = self._duration()
        at = self._position.left_at or self._now()
        self._saver.put(
            SavePosition(
                self._episode.id, self._position.ms, duration if exact else None, at, announce, self._position.byte
            )
        )
        self._position = self._position.saved()
        self._saved_at = self._clock()
        if announce:
            self._announced_at = self._saved_at

    def _refuse_jump_past_end(self) -> bool:
        """True, and an error, when a jump led past the end, which may be known only now; the jump is undone.

        An engine plays the last moment then, which doesn't make the episode a played one.
        """
        length, exact = self._duration()
        started, back = self._position.origin_ms, self._jumps.origin_ms
        if back is None or not exact or not length or started < length or self._transport.live:
            return False
        self._jumps = Jumps()
        self._position = self._position.sought(back, self._now())
        self._failed(_past_end(started, length), heard=False)
        return True

    def _finished(self) -> None:
        assert self._episode is not None
        if self._refuse_jump_past_end():
            return
        place = self._current_ms()
        duration, exact = self._duration()
        started = self._position.origin_ms
        if exact and duration and started > duration + slack_ms(duration):
            self._failed(_broke_off(started, duration), heard=False)
            return
        if not is_the_end(place, duration, exact=exact, all_bytes=self._transport.reached_end):
            self._failed(_broke_off(place, duration))
            return
        self._note_heard()
        self._transport.give_back()
        self._position = self._position.finished(duration if exact and duration else place)
        self._saver.put(Finish(self._episode.id))
        self._episode = replace(self._episode, played=True, position_ms=0)
        self._go(PlaybackState.ENDED)

    def _failed(self, error: PlaybackError, *, heard: bool = True) -> None:
        """The place stays where the listener heard the last of it; with nothing `heard`, where it was before."""
        if isinstance(error, NoFile) and self.state is PlaybackState.OPENING:
            self._load()
            return
        log.warning("playing failed: %s", error)
        place, at, byte = self._engine_position()
        begun_ms = self._position.begun_ms
        heard = heard and self.state is not PlaybackState.OPENING and place - begun_ms >= _HEARD_MS
        lost = heard and isinstance(error, NoSoundDevice)
        self._transport.give_back()
        if heard:
            # What had been decoded by then may not all have been heard.
            self._position = self._position.left(max(begun_ms, place - _UNHEARD_MS) if lost else place, at, byte)
        else:
            self._position = self._position.given_up()
        self._error = str(error)
        # A device that went away comes back: that is a pause. Had nothing been heard yet, it would be an odd one.
        self._go(PlaybackState.PAUSED if lost else PlaybackState.ERROR)
        self._save(announce=True)


def _broke_off(position_ms: int, duration_ms: int | None) -> MediaError:
    position = clock_text(position_ms)
    if duration_ms is not None and position_ms > duration_ms:
        now = clock_text(duration_ms)
        return MediaError(
            _("This episode is now only {length} long; your position was {position}", length=now, position=position),
            _("Jump back."),
        )
    if duration_ms:
        of = clock_text(duration_ms)
        return MediaError(_("The audio broke off at {position} of {length}", position=position, length=of))
    return MediaError(_("The audio broke off at {position}", position=position))


def _past_end(asked_ms: int, duration_ms: int) -> MediaError:
    only, asked = clock_text(duration_ms), clock_text(asked_ms)
    return MediaError(
        _("This episode is only {length} long, so it can't be played from {position}", length=only, position=asked),
        _("Choose an earlier time."),
    )

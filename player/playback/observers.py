"""Observers of playback: discrete events, the spans that were heard, and when to save what."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from player.errors import LibraryError
from player.events import (
    Bus,
    Cause,
    EpisodeFinished,
    EpisodeLeft,
    EpisodesChanged,
    EpisodesMarked,
    EpisodeStarted,
    Event,
    Mark,
    Notice,
    Paused,
    PlaybackFailed,
    QueueChanged,
    Resumed,
    Seeked,
    SegmentsChanged,
    SpeedChanged,
)
from player.model.effects import Span, heard_ms
from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.model.playback import ACTIVE, PlaybackState, Severity
from player.model.segments import Segment
from player.playback.position import ListenerPosition
from player.playback.saver import Finish, MakeLast, RejectSegments, SavePosition, Saver, Start
from player.text.sentences import _


class HearingMemory(Struct, frozen=True):
    """The episode that was started and neither finished nor left, and whether it has been silent since."""

    heard: EpisodeId | None = None
    silent: bool = False


class EventTracker:
    """Has no side effects. The service says what caused a piece of work, the controller reports what happens, and the
    service takes the resulting events.

    Internal states produce no events: opening, or waiting for bytes. A hearing begins with EpisodeStarted and ends with
    EpisodeFinished or EpisodeLeft; any silence in between ends with Resumed. A clip isn't listening: it pauses what it
    interrupts, and produces no events itself.
    """

    def __init__(self) -> None:
        self._cause = Cause.ENGINE
        self._wish = Cause.PERSON
        self._state = PlaybackState.STOPPED
        self._episode_id: EpisodeId | None = None
        self._position_ms = 0
        self._heard: EpisodeId | None = None
        """The episode that was started, and neither finished nor left."""
        self._silent = False
        self._paused: Paused | None = None
        self._in_clip = False
        self._speed: float | None = None
        self._events: list[Event] = []

    def memory(self) -> HearingMemory:
        self._settle_pause()
        return HearingMemory(self._heard, self._silent)

    def recall(self, memory: HearingMemory) -> None:
        """The hearing continues here: the events that began it were published by another process."""
        self._heard, self._silent, self._paused = memory.heard, memory.silent, None
        self._episode_id = memory.heard or self._episode_id

    def begin(self, cause: Cause) -> None:
        """A piece of work begins."""
        self._cause = cause

    def take(self) -> list[Event]:
        """Ends the piece of work and returns its events. A pause that also ended within it, as when the output changes,
        isn't an event."""
        self._settle_pause()
        taken, self._events = self._events, []
        return taken

    def moved(self, state: PlaybackState, episode_id: EpisodeId, position_ms: int, error: str | None = None) -> None:
        """The controller is in `state` now, which may be the same as before."""
        if self._in_clip:
            return
        before, self._state = self._state, state
        before_ms, self._position_ms = self._position_ms, position_ms
        same = episode_id == self._episode_id
        self._episode_id = episode_id
        if same and before is state:
            return
        if not same:
            self._leave(before_ms)
        if state in ACTIVE and not (same and before in ACTIVE):
            # Only a rule starts an episode by itself: the engine merely reports that the last episode is over.
            self._wish = Cause.RULE if self._cause is Cause.ENGINE else self._cause
        match state:
            case PlaybackState.PLAYING:
                self._sounds(episode_id, position_ms, self._wish)
            case PlaybackState.OPENING | PlaybackState.BUFFERING:
                self._paused = None
            case PlaybackState.PAUSED if self._heard is not None and not self._silent:
                self._paused = Paused(episode_id, position_ms, self._cause)
            case PlaybackState.ERROR:
                self._silent = True
                self._add(PlaybackFailed(episode_id, position_ms, error or "", self._cause))
            case PlaybackState.ENDED if before in ACTIVE:
                self._sounds(episode_id, before_ms, self._wish)
                self._heard = None
                self._add(EpisodeFinished(episode_id, self._cause))
            case PlaybackState.STOPPED:
                self._leave(position_ms)

    def seeked(self, episode_id: EpisodeId, from_ms: int, to_ms: int) -> None:
        if from_ms != to_ms and not self._in_clip:
            self._add(Seeked(episode_id, from_ms, to_ms, self._cause))

    def clip_begins(self, listener_ms: int) -> None:
        """Until `clip_over`, nothing that plays is listening. The listener stays at `listener_ms` of the current
        episode."""
        if self._in_clip:
            return
        self._in_clip = True
        if self._state in ACTIVE:
            self._state, self._position_ms = PlaybackState.PAUSED, listener_ms
            if self._heard is not None and not self._silent:
                self._paused = Paused(self._heard, listener_ms, self._cause)

    def clip_over(self) -> None:
        self._in_clip = False

    def at_speed(self, speed: float, cause: Cause | None = None) -> None:
        """The speed is now this, possibly unchanged. By default the cause is that of the current piece of work."""
        if self._speed not in (None, speed):
            self._add(SpeedChanged(speed, cause or self._cause))
        self._speed = speed

    def _sounds(self, episode_id: EpisodeId, position_ms: int, cause: Cause) -> None:
        self._paused = None
        if self._heard is None:
            self._heard = episode_id
            self._add(EpisodeStarted(episode_id, position_ms, cause))
        elif self._silent:
            self._add(Resumed(episode_id, position_ms, cause))
        self._silent = False

    def _leave(self, position_ms: int) -> None:
        if self._heard is not None:
            self._add(EpisodeLeft(self._heard, position_ms, self._cause))
            self._heard = None

    def _settle_pause(self) -> None:
        if self._paused is not None:
            paused, self._paused = self._paused, None
            self._silent = True
            self._events.append(paused)

    def _add(self, event: Event) -> None:
        self._settle_pause()
        self._events.append(event)


class SavedNews:
    """Called on the saver's thread."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    def saved(self, episode_id: EpisodeId) -> None:
        self._bus.publish(EpisodesChanged((episode_id,)))

    def not_saved(self, error: LibraryError) -> None:
        text = _("Your position can't be saved. {error} Playback continues, and Earmark keeps trying.", error=error)
        self._bus.publish(Notice(text, Severity.ERROR))

    def marked(self, episode_id: EpisodeId, played: bool) -> None:
        self._bus.publish(EpisodesMarked((episode_id,), Mark.PLAYED, played, Cause.RULE))

    def rejected(self, episode_id: EpisodeId) -> None:
        self._bus.publish(SegmentsChanged((episode_id,), Cause.PERSON))

    def queue_changed(self, by_person: bool) -> None:
        self._bus.publish(QueueChanged(Cause.PERSON if by_person else Cause.RULE))


LEAST_MS = 1_000
"""Less than this was a search for something, not listening."""
_SLACK_MS = 1_000
"""An engine may correct its position by this much while it plays; a greater change is a jump."""
_OFF_S = 10.0
"""If the clock differs by this much from a span's start and length, a new span begins: the sound waited for bytes, the
computer was asleep, or the clock was set."""


class SpanRecorder:
    """`record` and `end_span` say where the sound is; `take` returns the spans that have changed since it was last
    called.

    `clock` is monotonic, in seconds; `now` is the time of day, in UTC.
    """

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._changed: dict[tuple[EpisodeId, datetime], ListeningSpan] = {}

    def record(
        self,
        episode_id: EpisodeId,
        position_ms: int,
        speed: float,
        clock: float,
        now: datetime,
        left_out: tuple[Span, ...] = (),
    ) -> float:
        """This position is playing: it extends the open span or begins a new one. The parts `left_out` aren't heard.
        Returns how much time that has saved the listener since the last position, in ms."""
        before = self._open
        skipped_ms = 0
        if before and left_out:
            skipped_ms = round(position_ms - before.span.to_ms - heard_ms(before.span.to_ms, position_ms, left_out))
            skipped_ms = max(0, skipped_ms)
        advance = before.advance_ms(episode_id, position_ms - skipped_ms, speed, clock) if before else None
        if before is None or advance is None:
            self._open = _Open(_beginning(episode_id, position_ms, speed, now), clock)
            return 0.0
        saved_ms = skipped_ms / speed
        span, counts = before.span, before.counts
        skipped_ms += before.skipped_ms
        if not before.tells_the_time(position_ms - skipped_ms, now):
            # All of it has now been heard, including the last piece.
            just_now = now - timedelta(milliseconds=max(0, advance) / speed)
            span, counts, skipped_ms = _beginning(episode_id, span.to_ms, speed, just_now), False, 0
        span = replace(span, to_ms=max(span.from_ms, position_ms))
        self._open = _Open(span, clock, counts or span.content_ms >= LEAST_MS, skipped_ms)
        if self._open.counts:
            self._changed[span.episode_id, span.began_at] = span
        return saved_ms

    def end_span(self) -> None:
        """Whatever is heard next begins a new span."""
        self._open = None

    @property
    def open_span(self) -> tuple[ListeningSpan, bool] | None:
        """The span in progress, and whether it is long enough to count."""
        return (self._open.span, self._open.counts) if self._open else None

    def go_on(self, span: ListeningSpan, clock: float, *, counts: bool) -> None:
        """What is heard next extends this span, which a recorder in another process began."""
        self._open = _Open(span, clock, counts)

    def take(self) -> tuple[ListeningSpan, ...]:
        changed, self._changed = self._changed, {}
        return tuple(changed.values())


class _Open(Struct, frozen=True):
    """A span in progress; the sound was at its end at `clock`. `counts`: it is, or was, long enough to count.
    `skipped_ms`: how much of it was left out."""

    span: ListeningSpan
    clock: float
    counts: bool = False
    skipped_ms: int = 0

    def advance_ms(self, episode_id: EpisodeId, position_ms: int, speed: float, clock: float) -> int | None:
        """How far the sound has advanced; None if it can't have played from there to here in that time."""
        if (episode_id, speed) != (self.span.episode_id, self.span.speed):
            return None
        advance = position_ms - self.span.to_ms
        most = (clock - self.clock) * 1000 * speed + _SLACK_MS
        return advance if -_SLACK_MS <= advance <= most else None

    def tells_the_time(self, position_ms: int, now: datetime) -> bool:
        taken_s = (position_ms - self.span.from_ms) / 1000 / self.span.speed
        return abs((now - self.span.began_at).total_seconds() - taken_s) <= _OFF_S


def _beginning(episode_id: EpisodeId, position_ms: int, speed: float, now: datetime) -> ListeningSpan:
    """The span's start, which identifies it, in whole milliseconds as stored in the library."""
    return ListeningSpan(
        episode_id, position_ms, position_ms, now - timedelta(microseconds=now.microsecond % 1000), speed
    )


_SAVE_S = 0.9
_ANNOUNCE_S = 5.0


class ListeningMemory(Struct, frozen=True):
    """How long the episode was heard, whether the library knows that it was started, and the span in progress."""

    heard_s: float = 0.0
    started: bool = False
    last: EpisodeId | None = None
    span: tuple[ListeningSpan, bool] | None = None


class Bookkeeper:
    """Keeps track of when something was last saved, and passes it to the saver. `clock` is monotonic, in seconds; `now`
    is the time of day."""

    def __init__(self, saver: Saver, clock: Callable[[], float], now: Callable[[], datetime]) -> None:
        self._saver = saver
        self._clock = clock
        self._now = now
        self._recorder = SpanRecorder()
        self.heard_s = 0.0
        """How long the current episode has been heard since it became the current one."""
        self._recorded_at: float | None = None
        self._trimmed_ms = 0.0
        """The time saved by trimmed pauses that hasn't been passed to the saver."""
        self._segments_ms = 0.0
        """As `_trimmed_ms`, for skipped segments."""
        self._started = False
        """Whether anything was heard since its bytes were loaded."""
        self._last: EpisodeId | None = None
        self._saved_at = float("-inf")
        self._announced_at = float("-inf")

    def new_episode(self) -> None:
        """Another episode is the current one."""
        self.heard_s, self._recorded_at, self._trimmed_ms, self._segments_ms = 0.0, None, 0.0, 0.0

    def memory(self) -> ListeningMemory:
        return ListeningMemory(self.heard_s, self._started, self._last, self._recorder.open_span)

    def recall(self, memory: ListeningMemory) -> None:
        """Called after the sound has begun, if it should play at all."""
        self.heard_s, self._started, self._last = memory.heard_s, memory.started, memory.last
        if memory.span is not None:
            span, counts = memory.span
            self._recorder.go_on(span, self._clock(), counts=counts)

    def loading(self) -> None:
        """The bytes are being loaded; nothing has been heard yet."""
        self._started = False

    def started(self, episode_id: EpisodeId) -> None:
        """The episode is heard, and becomes the last one played."""
        if not self._started:
            self._started = True
            self._last = episode_id
            self._saver.put(Start(episode_id))

    def paused(self, episode_id: EpisodeId) -> None:
        """The episode is shown as paused and becomes the last one, even if nothing of it was heard."""
        if self._last != episode_id:
            self._last = episode_id
            self._saver.put(MakeLast(episode_id))

    def record(self, episode_id: EpisodeId, position_ms: int, speed: float, left_out: tuple[Span, ...] = ()) -> None:
        """This position is being heard, and goes into the history. The parts `left_out` aren't heard."""
        now = self._clock()
        self.heard_s += 0.0 if self._recorded_at is None else now - self._recorded_at
        self._recorded_at = now
        self._trimmed_ms += self._recorder.record(episode_id, position_ms, speed, now, self._now(), left_out)

    def skipped(self, saved_ms: float) -> None:
        """Segments were skipped, which saves so much time; less than 0 if that was undone."""
        self._segments_ms += saved_ms

    def reject(self, episode_id: EpisodeId, segments: Sequence[Segment], *, rejected: bool) -> None:
        """The listener went back to hear these segments; or, unless `rejected`, skipped them again after that."""
        finds = tuple((one.id, one.start_ms, one.end_ms) for one in segments)
        self._saver.put(RejectSegments(episode_id, finds, rejected))

    def end_span(self) -> None:
        """Nothing is being heard now, or only something that isn't listening."""
        self._recorded_at = None
        self._recorder.end_span()

    @property
    def save_is_due(self) -> bool:
        return self._clock() - self._saved_at >= _SAVE_S

    @property
    def announce_is_due(self) -> bool:
        """Whether lists have shown an outdated position for long enough."""
        return self._clock() - self._announced_at >= _ANNOUNCE_S

    def save(
        self,
        episode_id: EpisodeId,
        position: ListenerPosition,
        duration_ms: int | None,
        version: str,
        audio: int | None,
        *,
        announce: bool,
    ) -> ListenerPosition:
        """`duration_ms` is the one measured in the bytes, which `version` identifies. `audio`: which one of the episode
        the position is in; None for that of the bytes. Returns the position marked as saved."""
        at, heard = position.left_at or self._now(), self._recorder.take()
        saved_ms, self._trimmed_ms = round(self._trimmed_ms), 0.0
        segments_ms, self._segments_ms = round(self._segments_ms), 0.0
        self._saver.put(
            SavePosition(
                episode_id,
                position.ms,
                duration_ms,
                at,
                announce,
                position.byte,
                heard,
                saved_ms,
                segments_ms,
                version,
                audio,
            )
        )
        self._saved_at = self._clock()
        if announce:
            self._announced_at = self._saved_at
        return position.saved()

    def finished(self, episode_id: EpisodeId) -> None:
        self._saver.put(Finish(episode_id, self._recorder.take()))

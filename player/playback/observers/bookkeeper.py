"""What is saved about the current episode: that it was started and finished, the position, what was heard."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.playback.observers.span_recorder import SpanRecorder
from player.playback.position import ListenerPosition
from player.playback.saver import Finish, MakeLast, SavePosition, Saver, Start

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
        self._started = False
        """Whether anything was heard since its bytes were loaded."""
        self._last: EpisodeId | None = None
        self._saved_at = float("-inf")
        self._announced_at = float("-inf")

    def new_episode(self) -> None:
        """Another episode is the current one."""
        self.heard_s, self._recorded_at = 0.0, None

    def memory(self) -> ListeningMemory:
        return ListeningMemory(self.heard_s, self._started, self._last, self._recorder.open_span)

    def recall(self, memory: ListeningMemory) -> None:
        """After the sound was begun, if it is to sound."""
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

    def record(self, episode_id: EpisodeId, position_ms: int, speed: float) -> None:
        """This position is being heard, and goes into the history."""
        now = self._clock()
        self.heard_s += 0.0 if self._recorded_at is None else now - self._recorded_at
        self._recorded_at = now
        self._recorder.record(episode_id, position_ms, speed, now, self._now())

    def end_span(self) -> None:
        """Nothing is being heard, or nothing that counts as listening."""
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
        self, episode_id: EpisodeId, position: ListenerPosition, duration_ms: int | None, *, announce: bool
    ) -> ListenerPosition:
        """`duration_ms` is the one measured in the bytes. Returns the position marked as saved."""
        at, heard = position.left_at or self._now(), self._recorder.take()
        self._saver.put(SavePosition(episode_id, position.ms, duration_ms, at, announce, position.byte, heard))
        self._saved_at = self._clock()
        if announce:
            self._announced_at = self._saved_at
        return position.saved()

    def finished(self, episode_id: EpisodeId) -> None:
        self._saver.put(Finish(episode_id, self._recorder.take()))

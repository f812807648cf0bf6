"""Turns positions into listening spans: one for each stretch played without a break, none for what was jumped over."""

from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan

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

    def record(self, episode_id: EpisodeId, position_ms: int, speed: float, clock: float, now: datetime) -> None:
        """This position is playing: it extends the open span or begins a new one."""
        before = self._open
        advance = before.advance_ms(episode_id, position_ms, speed, clock) if before else None
        if before is None or advance is None:
            self._open = _Open(_beginning(episode_id, position_ms, speed, now), clock)
            return
        span, counts = before.span, before.counts
        if not before.tells_the_time(position_ms, now):
            # All of it was heard, the last piece just now.
            just_now = now - timedelta(milliseconds=max(0, advance) / speed)
            span, counts = _beginning(episode_id, span.to_ms, speed, just_now), False
        span = replace(span, to_ms=max(span.from_ms, position_ms))
        self._open = _Open(span, clock, counts or span.content_ms >= LEAST_MS)
        if self._open.counts:
            self._changed[span.episode_id, span.began_at] = span

    def end_span(self) -> None:
        """Whatever is heard next begins a new span."""
        self._open = None

    @property
    def open_span(self) -> tuple[ListeningSpan, bool] | None:
        """The span in progress, and whether it is long enough to count."""
        return (self._open.span, self._open.counts) if self._open else None

    def go_on(self, span: ListeningSpan, clock: float, *, counts: bool) -> None:
        """What is heard next extends this span, which another recorder began."""
        self._open = _Open(span, clock, counts)

    def take(self) -> tuple[ListeningSpan, ...]:
        changed, self._changed = self._changed, {}
        return tuple(changed.values())


class _Open(Struct, frozen=True):
    """A span in progress; the sound was at its end at `clock`. `counts`: it is, or was, long enough to count."""

    span: ListeningSpan
    clock: float
    counts: bool = False

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

"""What was heard, when, and how fast."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from player.model.episode import EpisodeId

LONGEST_SPAN_MS = 1_000_000_000
"""Eleven days of an episode: nobody hears more in one go, and what claims more is damaged."""


@dataclass(frozen=True, slots=True)
class ListeningSpan:
    """A piece of an episode that was heard in one go: without a jump, a pause or another speed in between.

    `began_at` is in UTC; with the episode it names the span. `speed` is a factor.
    """

    episode_id: EpisodeId
    from_ms: int
    to_ms: int
    began_at: datetime
    speed: float = 1.0

    @property
    def content_ms(self) -> int:
        """How much of the episode was heard."""
        return max(0, self.to_ms - self.from_ms)

    @property
    def real_ms(self) -> int:
        """How long the listener took to hear it."""
        return round(self.content_ms / self.speed)


@dataclass(frozen=True, slots=True)
class ListeningDay:
    """`real_ms` is the listener's time, `content_ms` that of the episodes: at twice the speed twice as much."""

    day: date
    real_ms: int
    content_ms: int


def latest_spans(spans: Iterable[ListeningSpan]) -> tuple[ListeningSpan, ...]:
    """Of each span the last version, in the order in which they first come."""
    return tuple({(span.episode_id, span.began_at): span for span in spans}.values())


def per_day(spans: Iterable[ListeningSpan], zone: tzinfo | None = None) -> tuple[ListeningDay, ...]:
    """The days with something heard in them, the earliest first; a span over midnight counts on both days.

    Days are those of `zone`; None: of this computer, whose clock may have been put forward or back meanwhile.
    """
    real: dict[date, float] = {}
    content: dict[date, float] = {}
    for span in spans:
        for day, part_ms in _days_of(span, zone):
            real[day] = real.get(day, 0.0) + part_ms
            content[day] = content.get(day, 0.0) + part_ms * span.speed
    return tuple(ListeningDay(day, round(real[day]), round(content[day])) for day in sorted(real))


def start_of(day: date, zone: tzinfo | None = None) -> datetime:
    """When the day begins there, in UTC."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _days_of(span: ListeningSpan, zone: tzinfo | None) -> Iterator[tuple[date, float]]:
    """The days of a span, each with how long was listened on it, ms."""
    at, left_ms = span.began_at, span.content_ms / span.speed
    while left_ms > 0:
        day = at.astimezone(zone).date()
        midnight = start_of(day + timedelta(days=1), zone)
        part_ms = min(left_ms, (midnight - at) / timedelta(milliseconds=1))
        yield day, part_ms
        left_ms -= part_ms
        at = midnight

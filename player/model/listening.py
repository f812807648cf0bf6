"""What was heard, when, and how fast."""

from collections.abc import Iterable
from datetime import date, datetime

from msgspec import Struct

from player.model.episode import EpisodeId

LONGEST_SPAN_MS = 1_000_000_000
"""Eleven days of an episode: nobody hears more in one go, and what claims more is damaged."""


class ListeningSpan(Struct, frozen=True):
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


class ListeningDay(Struct, frozen=True):
    """`real_ms` is the listener's time, `content_ms` that of the episodes: at twice the speed twice as much."""

    day: date
    real_ms: int
    content_ms: int


def latest_spans(spans: Iterable[ListeningSpan]) -> tuple[ListeningSpan, ...]:
    """Of each span the last version, in the order in which they first come."""
    return tuple({(span.episode_id, span.began_at): span for span in spans}.values())

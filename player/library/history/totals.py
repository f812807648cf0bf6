"""How much was heard in a range of days: by day, hour and podcast, at which speed, to the end or not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from msgspec import Struct, field

from player.library.history.sessions import Days, SpanRow, pieces
from player.model.listening import ListeningDay

_SLACK_MS, _SLACK_PART = 60_000, 20
"""An episode is finished when less than a minute, or less than a twentieth of it, is left: few people hear the final
jingle."""
_MOST_SLACK_MS = 180_000
_BEGUN_MS = 60_000
"""Having heard less than this of an episode doesn't count as starting it."""
ABANDONED_AFTER = timedelta(days=30)
_JOIN_MS = 2_000
"""Shorter gaps don't count: the position jitters by this much."""


class Heard(NamedTuple):
    """What is known about an episode. `outro_ms` are skipped at its end."""

    podcast: str
    title: str
    length_ms: int | None
    played: bool = False
    outro_ms: int = 0


class Share(NamedTuple):
    """The share of a podcast, or of an episode."""

    title: str
    real_ms: int


class ListeningTotals(Struct, frozen=True):
    """From `first` to `last`, both included. `real_ms` is the listener's time, `content_ms` the episodes' time.

    `days` without any listening are left out; `hours` are the 24 of a day, in ms. `per_day` is the listener's time on
    each day of the whole history, in ms. `finished`: episodes whose end was reached, with at least half of them heard.
    `abandoned`: started, not finished, and marked as played or not heard for 30 days. `skipped_ms`: parts of finished
    episodes that were skipped and never heard. `trimmed_ms`: the listener's time that trimmed pauses have saved;
    `segments_ms`: what skipped segments have, which are skipped parts, too.
    """

    first: date
    last: date
    days: tuple[ListeningDay, ...] = ()
    hours: tuple[int, ...] = (0,) * 24
    podcasts: tuple[Share, ...] = ()
    top: tuple[Share, ...] = ()
    episodes: int = 0
    finished: int = 0
    abandoned: int = 0
    skipped_ms: int = 0
    per_day: Mapping[date, int] = field(default_factory=dict)
    trimmed_ms: int = 0
    segments_ms: int = 0

    @property
    def real_ms(self) -> int:
        return sum(day.real_ms for day in self.days)

    @property
    def content_ms(self) -> int:
        return sum(day.content_ms for day in self.days)

    @property
    def longest(self) -> ListeningDay | None:
        """The day with the most listening."""
        return max(self.days, key=lambda one: one.real_ms, default=None)

    @property
    def streak(self) -> int:
        """The most days in a row with listening."""
        best = row = 0
        before: date | None = None
        for day in self.days:
            row = row + 1 if before is not None and day.day - before == timedelta(days=1) else 1
            best, before = max(best, row), day.day
        return best


class _Episode(Struct):
    """`end_ms` is the position from which it counts as finished. `parts` were heard. `reached` is when its end was
    first heard, `latest` when it was last heard, in ms since 1970."""

    end_ms: float
    parts: list[tuple[float, float]] = field(default_factory=list)
    real_ms: float = 0.0
    reached: float | None = None
    latest: float = 0.0


def totals(
    spans: Iterable[SpanRow], known: Mapping[int, Heard], days: Days, first: date, last: date, today: date
) -> ListeningTotals:
    """`spans` are the whole history, in order: an episode may have been begun before `first`.

    All spans of an episode count as heard, even if the clock was set back; time is counted from pieces, which don't
    overlap.
    """
    per_day: dict[date, list[float]] = {}
    hours = [0.0] * 24
    episodes: dict[int, _Episode] = {}
    until = days.bounds(last)[1]
    for episode_id, from_ms, to_ms, start, end, day in pieces(_noted(spans, episodes, known, until), days):
        sums = per_day.get(day)
        if sums is None:
            sums = per_day[day] = [0.0, 0.0]
        sums[0] += end - start
        sums[1] += to_ms - from_ms
        if first <= day <= last:
            episodes[episode_id].real_ms += end - start
            for hour, ms in days.hours(day, start, end):
                hours[hour] += ms
    return _summed(per_day, hours, episodes, known, days, (first, last, today))


def _noted(
    spans: Iterable[SpanRow], episodes: dict[int, _Episode], known: Mapping[int, Heard], until: float
) -> Iterator[SpanRow]:
    """Yields the spans; by the time a span is yielded, everything heard before it is noted for its episode."""
    for span in spans:
        episode_id, from_ms, to_ms, began, speed = span
        if began < until:
            episode = episodes.get(episode_id)
            if episode is None:
                episode = episodes[episode_id] = _Episode(_end_of(known.get(episode_id)))
            heard_to = min(to_ms, from_ms + (until - began) * speed)
            episode.parts.append((from_ms, heard_to))
            episode.latest = max(episode.latest, began + (heard_to - from_ms) / speed)
            if episode.reached is None and heard_to >= episode.end_ms:
                episode.reached = began + max(0.0, episode.end_ms - from_ms) / speed
        yield span


def _summed(
    per_day: Mapping[date, Sequence[float]],
    hours: Sequence[float],
    episodes: Mapping[int, _Episode],
    known: Mapping[int, Heard],
    zone: Days,
    when: tuple[date, date, date],
) -> ListeningTotals:
    first, last, today = when
    since = zone.bounds(first)[0]
    days = [ListeningDay(day, round(real), round(content)) for day, (real, content) in sorted(per_day.items())]
    finished = abandoned = heard = 0
    skipped = 0.0
    podcasts: dict[str, float] = {}
    top: list[Share] = []
    for episode_id, episode in episodes.items():
        facts = known.get(episode_id) or Heard("", "", None)
        if episode.real_ms:
            heard += 1
            podcasts[facts.podcast] = podcasts.get(facts.podcast, 0.0) + episode.real_ms
            top.append(Share(facts.title, round(episode.real_ms)))
        covered, passed_over = coverage(episode.parts)
        if episode.reached is not None and covered >= (facts.length_ms or 0) / 2:
            if since <= episode.reached:
                finished += 1
                skipped += passed_over
        elif since <= episode.latest and covered >= _BEGUN_MS and facts.length_ms:
            abandoned += facts.played or today - zone.of(episode.latest) > ABANDONED_AFTER
    return ListeningTotals(
        first,
        last,
        tuple(one for one in days if first <= one.day <= last),
        tuple(map(round, hours)),
        tuple(Share(title, round(ms)) for title, ms in sorted(podcasts.items(), key=lambda one: -one[1])),
        tuple(sorted(top, key=lambda one: -one.real_ms)[:5]),
        heard,
        finished,
        abandoned,
        round(skipped),
        {one.day: one.real_ms for one in days},
    )


def _end_of(facts: Heard | None) -> float:
    """The position from which an episode counts as finished; never, if its duration isn't known."""
    if facts is None or not facts.length_ms:
        return float("inf")
    slack = min(_MOST_SLACK_MS, max(_SLACK_MS, facts.length_ms // _SLACK_PART)) + facts.outro_ms
    return max(facts.length_ms - slack, facts.length_ms / 2)


def coverage(parts: list[tuple[float, float]]) -> tuple[float, float]:
    """How much of an episode was heard, counting each part once; and how much between its first and last piece
    wasn't."""
    covered = passed_over = 0.0
    until = None
    for start, end in sorted(parts):
        if until is None:
            covered, until = end - start, end
            continue
        if start - until > _JOIN_MS:
            passed_over += start - until
            until = start
        covered += max(0.0, end - max(start, until))
        until = max(until, end)
    return covered, passed_over

"""The listening history as sessions: pieces that don't overlap, heard with only short breaks between them."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import groupby

from msgspec import Struct

from player.library.database.values import moment, stored
from player.model.episode import Episode, EpisodeId
from player.text.cleaning import fold

SpanRow = tuple[int, int, int, int, float]
"""Episode, first and last position in it (ms), when it began (ms since 1970), speed."""
DAY_MS, HOUR_MS = 86_400_000, 3_600_000
_QUARTER_MS = 900_000


Piece = tuple[int, float, float, float, float, date]
"""Episode, first and last position in it (ms), when it began and ended (ms since 1970), the day. No class: there may be
a million of them."""


class Days:
    """The days of a time zone; None means this computer's, whose clock may have been changed meanwhile."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        self._zone = zone
        self._bounds: dict[date, tuple[int, int]] = {}

    def of(self, ms: float) -> date:
        """The day that a moment belongs to."""
        return moment(int(ms)).astimezone(self._zone).date()

    def bounds(self, day: date) -> tuple[int, int]:
        """When a day begins and ends, in ms since 1970: 23 or 25 hours apart when the clock changes."""
        found = self._bounds.get(day)
        if found is None:
            first, last = (stored(start_of(one, self._zone)) for one in (day, day + timedelta(days=1)))
            found = self._bounds[day] = first, last
        return found

    def hours(self, day: date, start: float, end: float) -> Iterator[tuple[int, float]]:
        """The hours of the day between two of its moments, each with how much of it is covered, in ms."""
        first, last = self.bounds(day)
        plain = last - first == DAY_MS
        step = HOUR_MS if plain else _QUARTER_MS
        while start < end:
            number = int(start - first) // step
            until = min(end, first + (number + 1) * step)
            yield number if plain else moment(int(start)).astimezone(self._zone).hour, until - start
            start = until


def pieces(spans: Iterable[SpanRow], days: Days) -> Iterator[Piece]:
    """Cuts spans, which come in the order in which they began, into pieces that don't overlap.

    Where two spans overlap, because a clock was set back or because two processes played, each moment counts only once:
    for the span that began first.
    """
    heard_until = float("-inf")
    day, day_start, day_end = date.min, 0, 0
    for episode_id, from_ms, to_ms, began, speed in spans:
        start, end = began if began > heard_until else heard_until, began + (to_ms - from_ms) / speed
        while start < end:
            heard_until = end
            if not day_start <= start < day_end:
                day = days.of(start)
                day_start, day_end = days.bounds(day)
            stop = end if end < day_end else day_end
            yield episode_id, from_ms + (start - began) * speed, from_ms + (stop - began) * speed, start, stop, day
            start = stop


def start_of(day: date, zone: tzinfo | None = None) -> datetime:
    """When the day begins in that zone, in UTC."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


BREAK_MS = 30 * 60_000
"""A longer break than this begins another session."""


class Session(Struct, frozen=True):
    """An episode heard within one day. `start` and `end` are moments in ms since 1970; `from_ms` is where it began in
    the episode, `to_ms` where it ended, `real_ms` how long the listener took, `content_ms` how much that was.

    `episode` is None when it is gone; its titles are kept, unless an older Earmark removed the episode.
    """

    episode_id: EpisodeId
    day: date
    start: int
    end: int
    from_ms: int
    to_ms: int
    real_ms: int
    content_ms: int
    episode: Episode | None = None
    title: str = ""
    podcast: str = ""

    @property
    def began_at(self) -> datetime:
        return moment(self.start)

    @property
    def ended_at(self) -> datetime:
        return moment(self.end)


Titles = Callable[[EpisodeId], tuple[Episode | None, str, str]]
"""An episode's row, None when it is gone; its title and its podcast's title."""


def sessions(parts: Iterable[Piece], titles: Titles) -> list[Session]:
    """Sessions in the order in which they were heard."""
    found: list[Session] = []
    group: list[Piece] = []
    for piece in parts:
        if group and not _continues(group[-1], piece):
            found.append(_session(group, titles))
            group = []
        group.append(piece)
    return [*found, _session(group, titles)] if group else found


def _continues(before: Piece, piece: Piece) -> bool:
    return before[0] == piece[0] and before[5] == piece[5] and piece[3] - before[4] <= BREAK_MS


def _session(group: list[Piece], titles: Titles) -> Session:
    episode_id, from_ms, _to, start, _end, day = group[0]
    _id, _from, to_ms, _start, end, _day = group[-1]
    real = round(sum(piece[4] - piece[3] for piece in group))
    content = round(sum(piece[2] - piece[1] for piece in group))
    positions = round(from_ms), round(to_ms)
    number = EpisodeId(episode_id)
    row, title, podcast = titles(number)
    return Session(number, day, int(start), int(end), *positions, real, content, row, title, podcast)


_NONE = 0
"""The number used for a session whose episode is gone: no episode has it."""


class DayHeading(Struct, frozen=True):
    """`row` is the first row of the day. `real_ms` is the time spent listening on that day; with a filter, only to
    episodes that match it."""

    row: int
    day: date
    real_ms: int


class SessionList:
    """A `Listing`. `more`: only the latest sessions were read."""

    def __init__(self, sessions: Iterable[Session], words: str = "", *, more: bool = False) -> None:
        """Lists only sessions with all of `words` in their titles; `sessions` are in order, latest first."""
        self.more = more
        wanted = fold(words).split()
        self.sessions: list[Session] = []
        self.days: list[DayHeading] = []
        chosen = (one for one in sessions if _has(one, wanted))
        for day, some in groupby(chosen, lambda one: one.day):
            of_day = list(some)
            self.days.append(DayHeading(len(self.sessions), day, sum(one.real_ms for one in of_day)))
            self.sessions += of_day
        self._ids = array("q", (one.episode.id if one.episode else _NONE for one in self.sessions))

    def __len__(self) -> int:
        return len(self.sessions)

    def page(self, start: int, size: int) -> "array[int]":
        return self._ids[max(0, start) : max(0, start) + size]

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        """The row of the episode's latest session."""
        try:
            return self._ids.index(episode_id) if episode_id else None
        except ValueError:
            return None

    def session_at(self, index: int) -> Session | None:
        return self.sessions[index] if 0 <= index < len(self.sessions) else None

    def same_row(self, other: "SessionList", index: int) -> int | None:
        """The row in this list of the session at `index` in another list."""
        session = other.session_at(index)
        if session is None:
            return None
        same = (session.episode_id, session.day, session.start)
        rows = enumerate(self.sessions)
        return next((row for row, one in rows if (one.episode_id, one.day, one.start) == same), None)


def _has(session: Session, wanted: Sequence[str]) -> bool:
    text = fold(f"{session.title} {session.podcast}") if wanted else ""
    return all(word in text for word in wanted)

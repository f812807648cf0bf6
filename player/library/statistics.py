"""Statistics of a whole podcast, from the library."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import moment_maybe
from player.library.history.sessions import Days, SpanRow, pieces
from player.library.history.spans import checked
from player.library.history.totals import coverage
from player.library.lists.compiler import NOT_LIVE
from player.library.lists.preview_keys import LISTED, SUBSCRIBED
from player.library.subscriptions import podcast_of
from player.model.episode import (
    Episode,
    EpisodeId,
    Funding,
    Person,
    Recommendation,
    chat,
    fundings,
    people,
    recommendations,
    topics,
)
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import fold

_BEST = 5
_RECENT = 20
_RELEASE_DAYS = 400
"""The most days with episodes that are shown, latest first: more than a year has."""
_DAY_MS = 86_400_000
EPISODES_SQL = (
    "SELECT id, published, coalesce(measured_ms, duration_ms), played, starred FROM episodes"
    f" e WHERE podcast_id = ? AND {NOT_LIVE} ORDER BY sort DESC"
)
POSITIONS_SQL = (
    "SELECT g.episode_id, g.position_ms FROM progress g CROSS JOIN episodes e ON e.id = g.episode_id"
    " WHERE e.podcast_id = ?"
)
HEARD_SQL = (
    "SELECT s.episode_id, s.from_ms, s.to_ms, s.began_at, s.speed"
    " FROM episodes e CROSS JOIN listening_spans s ON s.episode_id = e.id WHERE e.podcast_id = ?"
)
SAVED_SQL = "SELECT coalesce(sum(saved_ms), 0), coalesce(sum(segments_ms), 0) FROM trimmed_pauses WHERE podcast_id = ?"
NEW_SQL = "SELECT count(*) FROM inbox i CROSS JOIN episodes e ON e.id = i.episode_id WHERE e.podcast_id = ?"
SEASONS_SQL = (
    "SELECT d.season, max(coalesce(json_extract(nullif(d.extra, ''), '$.season.name'), '')), count(*)"
    " FROM episodes e CROSS JOIN details d ON d.episode_id = e.id"
    " WHERE e.podcast_id = ? AND d.season IS NOT NULL GROUP BY d.season ORDER BY d.season"
)


_NAMED = "EXISTS (SELECT 1 FROM json_each({}, '$.person') one WHERE fold(json_extract(one.value, '$.name')) = ?1)"
WITH_SQL = (
    "SELECT e.sort, e.id FROM details d INDEXED BY details_people CROSS JOIN episodes e ON e.id = d.episode_id"
    f" WHERE instr(d.extra, '\"person\"') > 0 AND {_NAMED.format('d.extra')} AND {LISTED} ORDER BY e.sort DESC LIMIT ?2"
)
SHOWS_WITH_SQL = (
    f"SELECT id FROM podcasts WHERE instr(extra, '\"person\"') > 0 AND {SUBSCRIBED} AND {_NAMED.format('extra')}"
)
OF_SHOW_SQL = (
    "SELECT e.sort, e.id FROM episodes e CROSS JOIN details d ON d.episode_id = e.id"
    " WHERE e.podcast_id = ?1 AND instr(d.extra, '\"person\"') = 0 ORDER BY e.sort DESC LIMIT ?2"
)


class Season(NamedTuple):
    """`name` is "" for a season that only has a number."""

    number: int
    name: str
    episodes: int


class PodcastStatistics(Struct, frozen=True):
    """`months` are (year, month) with the number of episodes published in it, the earliest first, without empty ones.

    `every_days` is the usual time between two episodes, by the last twenty; None for fewer than three. `heard_ms` is
    how much of its episodes was heard, each part once, by the listening history: marks and jumps don't count as
    listening. `trimmed_ms` is the listener's time that trimmed pauses have saved, `segments_ms` what skipped
    segments have. `best`: starred episodes, then played
    ones, then those in progress; `new` wait in the inbox.

    `released` are the latest days on which episodes were published, each with the number of episodes and their total
    length in ms; `heard_days` are all days on which it was heard, with the listener's time. Both are in the order of
    the days.
    """

    podcast: Podcast
    language: str = ""
    topics: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    fundings: tuple[Funding, ...] = ()
    total_ms: int = 0
    average_ms: int | None = None
    first: datetime | None = None
    latest: datetime | None = None
    months: tuple[tuple[tuple[int, int], int], ...] = ()
    every_days: float | None = None
    heard_ms: int = 0
    trimmed_ms: int = 0
    segments_ms: int = 0
    played: int = 0
    started: int = 0
    starred: int = 0
    best: tuple[EpisodeId, ...] = ()
    seasons: tuple[Season, ...] = ()
    recommended: tuple[Recommendation, ...] = ()
    new: int = 0
    released: tuple["ReleaseDay", ...] = ()
    heard_days: tuple[tuple[date, int], ...] = ()
    chat: str = ""


class ReleaseDay(NamedTuple):
    """`length_ms` is 0 if no length is known."""

    day: date
    episodes: int
    length_ms: int


class _Row(NamedTuple):
    id: EpisodeId
    published: int | None
    duration_ms: int | None
    played: bool
    starred: bool


class Statistics:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def facts(self, podcast_id: PodcastId) -> PodcastStatistics:
        """Reads the rows of all its episodes: 2 ms for a thousand. Raises NotFound."""
        with self._connections.reading() as connection:
            podcast = podcast_of(connection, podcast_id)
            language, extra = connection.execute(
                "SELECT language, extra FROM podcasts WHERE id = ?", (podcast_id,)
            ).fetchone()
            rows = [_Row(*row) for row in connection.execute(EPISODES_SQL, (podcast_id,))]
            positions = dict(connection.execute(POSITIONS_SQL, (podcast_id,)).fetchall())
            seasons = tuple(Season(*row) for row in connection.execute(SEASONS_SQL, (podcast_id,)))
            lengths = [row.duration_ms for row in rows if row.duration_ms]
            days = sorted(row.published for row in rows if row.published is not None)
            spans = sorted(checked(connection.execute(HEARD_SQL, (podcast_id,))), key=lambda one: one[3])
            trimmed_ms, segments_ms = connection.execute(SAVED_SQL, (podcast_id,)).fetchone()
            (new,) = connection.execute(NEW_SQL, (podcast_id,)).fetchone()
            return PodcastStatistics(
                podcast,
                language,
                topics(extra),
                people(extra),
                fundings(extra),
                total_ms=sum(lengths),
                average_ms=round(sum(lengths) / len(lengths)) if lengths else None,
                first=moment_maybe(days[0]) if days else None,
                latest=moment_maybe(days[-1]) if days else None,
                months=_months(days),
                every_days=_every_days(days),
                heard_ms=_heard_ms(spans),
                trimmed_ms=trimmed_ms,
                segments_ms=segments_ms,
                played=sum(row.played for row in rows),
                started=sum(not row.played and positions.get(row.id, 0) > 0 for row in rows),
                starred=sum(row.starred for row in rows),
                best=_best(rows, positions),
                seasons=seasons,
                recommended=recommendations(extra),
                new=new,
                released=_released(rows),
                heard_days=_heard_days(spans),
                chat=chat(extra),
            )

    def episodes_with(self, name: str, limit: int = 200) -> list[EpisodeId]:
        """The newest episodes in which a person of that name appears.

        An episode that names no people has the people of its podcast.
        """
        folded = fold(name)
        with self._connections.reading() as connection:
            found = connection.execute(WITH_SQL, (folded, limit)).fetchall()
            for (podcast_id,) in connection.execute(SHOWS_WITH_SQL, (folded,)).fetchall():
                found += connection.execute(OF_SHOW_SQL, (podcast_id, limit)).fetchall()
        return [episode_id for _, episode_id in sorted(found, reverse=True)[:limit]]

    def people_of(self, episode: Episode, extra: str) -> tuple[Person, ...]:
        """The people of an episode: `extra` is the feed's extra data on it.

        If it names no people, the people of the podcast.
        """
        if found := people(extra):
            return found
        with self._connections.reading() as connection:
            row = connection.execute("SELECT extra FROM podcasts WHERE id = ?", (episode.podcast_id,)).fetchone()
        return people(row[0]) if row else ()


def _heard_ms(spans: Iterable[SpanRow]) -> int:
    parts: dict[int, list[tuple[float, float]]] = {}
    for episode_id, from_ms, to_ms, _began, _speed in spans:
        parts.setdefault(episode_id, []).append((from_ms, to_ms))
    return round(sum(coverage(some)[0] for some in parts.values()))


def _heard_days(spans: Iterable[SpanRow]) -> tuple[tuple[date, int], ...]:
    sums: dict[date, float] = {}
    for _episode, _from_ms, _to_ms, start, end, day in pieces(spans, Days()):
        sums[day] = sums.get(day, 0.0) + end - start
    return tuple((day, round(ms)) for day, ms in sorted(sums.items()))


def _released(rows: Iterable[_Row]) -> tuple[ReleaseDay, ...]:
    """In this computer's time zone."""
    found: dict[date, ReleaseDay] = {}
    days = Days()
    for row in sorted((one for one in rows if one.published is not None), key=lambda one: -(one.published or 0)):
        day = days.of(row.published or 0)
        if day not in found and len(found) == _RELEASE_DAYS:
            break
        before = found.get(day, ReleaseDay(day, 0, 0))
        found[day] = ReleaseDay(day, before.episodes + 1, before.length_ms + (row.duration_ms or 0))
    return tuple(sorted(found.values()))


def _months(days: Sequence[int]) -> tuple[tuple[tuple[int, int], int], ...]:
    moments = (moment_maybe(day) for day in days)
    return tuple(sorted(Counter((one.year, one.month) for one in moments if one).items()))


def _every_days(days: Sequence[int]) -> float | None:
    recent = days[-_RECENT:]
    gaps = [(later - earlier) / _DAY_MS for earlier, later in pairwise(recent)]
    return median(gaps) if len(gaps) >= 2 else None


def _best(rows: Sequence[_Row], positions: dict[EpisodeId, int]) -> tuple[EpisodeId, ...]:
    liked = [row for row in rows if row.starred or row.played or positions.get(row.id, 0) > 0]
    liked.sort(key=lambda row: (not row.starred, not row.played))
    return tuple(row.id for row in liked[:_BEST])

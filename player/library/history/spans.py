"""Which parts of which episodes were heard, when, and how fast. The history outlives its episodes.

At its end an episode loses its position, but not its history; and a removed episode leaves its spans behind, with its
title and its podcast's: last year's listening doesn't become less by unsubscribing.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

from msgspec.structs import replace

from player.library.database.connections import Connections
from player.library.database.values import check_kinds, moment, stored
from player.library.episodes import Episodes
from player.library.history.sessions import Days, Session, SessionList, SpanRow, Titles, pieces, sessions
from player.library.history.totals import Heard, ListeningTotals, totals
from player.merging.clock import FURTHEST_AHEAD, furthest
from player.model.episode import Episode, EpisodeId
from player.model.listening import LONGEST_SPAN_MS, ListeningSpan
from player.model.moments import left
from player.model.playback import SLOWEST

log = logging.getLogger(__name__)

PAGE = 2_000
"""How many spans are read at once for a list."""
# An episode that was removed and restored has the number it had before.
_EPISODE = "coalesce(episode_id, former_id, -id)"
_SPANS = f"SELECT {_EPISODE}, from_ms, to_ms, began_at, speed FROM listening_spans"
_OF_EPISODE = f"{_SPANS} WHERE episode_id = ?1 OR former_id = ?1 ORDER BY began_at"
_ALL = f"{_SPANS} ORDER BY began_at"
_LATEST = f"SELECT * FROM ({_SPANS} WHERE began_at < ? ORDER BY began_at DESC LIMIT ?) ORDER BY began_at"
_REMOVED = (
    f"SELECT {_EPISODE}, removed_episode, removed_podcast, podcast_id FROM listening_spans"
    " WHERE episode_id IS NULL GROUP BY 1"
)
_KNOWN = (
    "SELECT e.id, coalesce(nullif(p.own_title, ''), p.title), e.title, coalesce(e.measured_ms, e.duration_ms),"
    " e.played, coalesce(s.skip_outro_ms, 0) FROM episodes e CROSS JOIN podcasts p ON p.id = e.podcast_id"
    " LEFT JOIN podcast_settings s ON s.podcast_id = p.id"
    " WHERE e.id IN (SELECT coalesce(episode_id, former_id) FROM listening_spans)"
)
_REMOVED_LENGTHS = f"SELECT {_EPISODE}, max(removed_ms) FROM listening_spans WHERE episode_id IS NULL GROUP BY 1"
_LONGEST_UNWRITTEN = timedelta(days=1)
"""A span whose start lies further than this before the deletion of the history began after it: the clock was ahead
then."""
FORGOTTEN = "history_forgotten"
"""The key of the moment before which the history was deleted, in ms since 1970."""
_AHEAD = "SELECT id, from_ms, to_ms, began_at, speed FROM listening_spans WHERE began_at > ? ORDER BY began_at DESC"
_NOTED_FOR_OTHERS = (
    "INSERT INTO sync_changed (what, id, changed_at) SELECT 'span', ?1, 0 WHERE EXISTS (SELECT 1 FROM sync_account)"
    " AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'span' AND id = ?1)"
)
_EARLIEST, _END = -62_135_596_800_000, 253_402_300_799_999
"""The years 1 to 9999, in ms since 1970."""


class History:
    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    def spans(self, episode_id: EpisodeId) -> tuple[ListeningSpan, ...]:
        """The spans of that episode, in the order in which they were heard."""
        with self._connections.reading() as connection:
            return tuple(_span(row) for row in connection.execute(_OF_EPISODE, (episode_id,)))

    def sessions(
        self, before: datetime | None = None, zone: tzinfo | None = None, size: int = PAGE
    ) -> tuple[list[Session], datetime | None]:
        """The last sessions that began before a moment, latest first, and the moment before which there are more.

        The moment is None if there are no earlier sessions. Reads about `size` spans: 12 ms.
        """
        days, end = Days(zone), _END if before is None else stored(before)
        with self._connections.reading() as connection:
            while True:
                rows = list(checked(connection.execute(_LATEST, (end, size))))
                titles = self._titles(connection, {row[0] for row in rows})
                found = sessions(pieces((_until(row, end) for row in rows), days), titles)
                if len(rows) < size:
                    return found[::-1], None
                # Earlier spans may belong to the earliest session, and a span may have been cut in two at midnight.
                began = {row[3] for row in rows}
                for number, one in enumerate(found[1:], 1):
                    if one.start in began:
                        return found[number:][::-1], one.began_at
                size *= 4

    def listing(self, words: str = "") -> SessionList:
        """All sessions with these words in their titles: 0.15 s for 26,000 spans, 1.7 s for 264,000."""
        found, before = self.sessions()
        while before is not None:
            some, before = self.sessions(before, size=5 * PAGE)
            found += some
        return SessionList(found, words)

    def totals(self, first: date, last: date, today: date, zone: tzinfo | None = None) -> ListeningTotals:
        """What was heard from `first` to `last`, both included; days are those of `zone` (None: this computer's).

        Reads all of the history: 0.14 s for the 26,000 spans of three years, 1.1 s for 264,000.
        """
        days = Days(zone)
        with self._connections.reading() as connection:
            known = {row[0]: Heard(row[1], row[2], row[3], bool(row[4]), row[5]) for row in connection.execute(_KNOWN)}
            rows = checked(connection.execute(_ALL))
            removed = removed_titles(connection)
            for episode_id, length_ms in connection.execute(_REMOVED_LENGTHS):
                title, podcast = removed.get(episode_id, ("", ""))
                known.setdefault(episode_id, Heard(podcast, title, length_ms))
            trimmed_ms, segments_ms = connection.execute(
                "SELECT coalesce(sum(saved_ms), 0), coalesce(sum(segments_ms), 0) FROM trimmed_pauses"
                " WHERE day BETWEEN ? AND ?",
                (first.toordinal(), last.toordinal()),
            ).fetchone()
            found = totals(rows, known, days, first, last, today)
            return replace(found, trimmed_ms=trimmed_ms, segments_ms=segments_ms)

    def forget(self) -> int:
        """Deletes all of it for good, from the library but not from its backups. Returns how many spans there were.

        Listening from now on is recorded; a span in progress loses the part before now.
        """
        with self._connections.writing() as connection:
            connection.execute("PRAGMA secure_delete = ON")
            try:
                # Written first, because a trigger checks the history that exists, for the devices that have some of it.
                connection.execute(
                    "INSERT INTO state (key, value) VALUES (?, ?)"
                    " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                    (FORGOTTEN, str(stored(self._now()))),
                )
                forgotten = connection.execute("DELETE FROM listening_spans").rowcount
                connection.execute("DELETE FROM trimmed_pauses")
            finally:
                connection.execute("PRAGMA secure_delete = OFF")
        truncate_log(self._connections)
        return forgotten

    def _titles(self, connection: sqlite3.Connection, ids: set[int]) -> Titles:
        """The titles of the spans' episodes, and the stored ones of episodes that are gone."""
        episodes = {row.id: row for row in Episodes(self._connections).rows([EpisodeId(one) for one in ids])}
        removed = removed_titles(connection) if ids - episodes.keys() else {}

        def titles(episode_id: EpisodeId) -> tuple[Episode | None, str, str]:
            if (row := episodes.get(episode_id)) is not None:
                return row, row.title, row.podcast
            return None, *removed.get(episode_id, ("", ""))

        return titles


def truncate_log(connections: Connections) -> None:
    """Empties the write-ahead log, which still contains what was deleted."""
    with connections.reading() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def removed_titles(connection: sqlite3.Connection) -> dict[int, tuple[str, str]]:
    """The titles of episodes that are gone, and of their podcasts."""
    found = {}
    podcasts = dict(connection.execute("SELECT id, coalesce(nullif(own_title, ''), title) FROM podcasts"))
    for episode_id, episode, podcast, podcast_id in connection.execute(_REMOVED):
        check_kinds((episode, podcast), (episode_id,))
        found[episode_id] = episode, podcasts.get(podcast_id, podcast)
    return found


def write_spans(connection: sqlite3.Connection, spans: Iterable[ListeningSpan], audio: int | None = None) -> None:
    """Adds spans, within a transaction; an existing span with the same episode and beginning gets a new end.

    So it doesn't matter whether an earlier write of the same span succeeded. Nothing is written for an episode that is
    gone, nor for listening before the history was deleted. The last span is being heard now: earlier spans with later
    dates are dated anew. `audio`: which one of the episode was heard.
    """
    spans = list(spans)
    forgotten = connection.execute("SELECT value FROM state WHERE key = ?", (FORGOTTEN,)).fetchone()
    since = moment(int(forgotten[0])) if forgotten else None
    for span in spans:
        if not _possible(span):
            log.error("not taken into the history: %r", span)
            continue
        is_cut = left(since, span.began_at, _LONGEST_UNWRITTEN) > timedelta()
        kept = _part_since(span, since) if since is not None and is_cut else span
        if kept.to_ms < kept.from_ms:
            continue
        connection.execute(
            "INSERT INTO listening_spans (episode_id, from_ms, to_ms, began_at, speed, audio)"
            " SELECT id, ?, ?, ?, ?, ? FROM episodes WHERE id = ?"
            " ON CONFLICT (episode_id, began_at) DO UPDATE SET to_ms = excluded.to_ms"
            " WHERE from_ms = excluded.from_ms AND speed = excluded.speed",
            (kept.from_ms, kept.to_ms, stored(kept.began_at), kept.speed, audio, kept.episode_id),
        )
    if spans:
        date_anew(connection, stored(spans[-1].began_at))


def date_anew(connection: sqlite3.Connection, now: int) -> None:
    """Spans heard while the clock was a year ahead or more are moved to end at `now`, in ms since 1970, with the breaks
    between them unchanged. Nothing is changed if the history continues without a jump: then the clock is behind now."""
    rows = connection.execute(_AHEAD, (furthest(now),)).fetchall()
    if not rows:
        return
    (before,) = connection.execute(
        "SELECT max(began_at) FROM listening_spans WHERE id < ? AND began_at <= ?",
        (min(row[0] for row in rows), furthest(now)),
    ).fetchone()
    if before is not None and rows[-1][3] - before < FURTHEST_AHEAD:
        return
    following, until = rows[0][3], now
    for number, from_ms, to_ms, began, speed in rows:
        real_ms = int((to_ms - from_ms) / speed)
        pause = following - began - real_ms
        until -= real_ms + (pause if 0 < pause < FURTHEST_AHEAD else 0)
        following = began
        # If one of them is written again with its old date, it is at the same position then.
        connection.execute("UPDATE OR REPLACE listening_spans SET began_at = ? WHERE id = ?", (until, number))
        connection.execute(_NOTED_FOR_OTHERS, (number,))


def checked(rows: Iterable[tuple[Any, ...]]) -> Iterator[SpanRow]:
    """Raises ValueError or TypeError, which `Connections` takes for a sign of damage, for spans that can't have been
    heard."""
    for row in rows:
        episode_id, from_ms, to_ms, began, speed = row
        if not (0 <= from_ms <= to_ms <= from_ms + LONGEST_SPAN_MS and speed >= SLOWEST and _EARLIEST < began < _END):
            raise ValueError(f"nobody can have heard {row}")
        yield episode_id, from_ms, to_ms, began, speed


def _until(row: SpanRow, end: int) -> SpanRow:
    """The part of a span that was heard before a moment."""
    episode_id, from_ms, to_ms, began, speed = row
    return episode_id, from_ms, min(to_ms, from_ms + int((end - began) * speed)), began, speed


def _part_since(span: ListeningSpan, since: datetime) -> ListeningSpan:
    """The part of a span that was heard after a moment."""
    heard_ms = round((since - span.began_at) / timedelta(milliseconds=1) * span.speed)
    return replace(span, from_ms=span.from_ms + heard_ms, began_at=since)


def _span(row: tuple[Any, ...]) -> ListeningSpan:
    ((episode_id, from_ms, to_ms, began_at, speed),) = checked([row])
    check_kinds((), (episode_id, from_ms, to_ms, began_at))
    if speed.__class__ is not float:
        raise TypeError(f"{type(speed).__name__} instead of a speed")
    return ListeningSpan(EpisodeId(episode_id), from_ms, to_ms, moment(began_at), speed)


def _possible(span: ListeningSpan) -> bool:
    return 0 <= span.from_ms <= span.to_ms <= span.from_ms + LONGEST_SPAN_MS and span.speed >= SLOWEST

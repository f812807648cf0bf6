"""The listening history: which pieces of which episodes were heard, when, and how fast.

It outlives what it is about. The end of an episode forgets its position, not that it was heard; and a podcast that is
removed leaves its spans behind, without their episodes but with its title: what somebody listened to last year doesn't
become less because they no longer subscribe to it.
"""

import logging
import sqlite3
from collections.abc import Iterable
from datetime import date, timedelta, tzinfo
from typing import Any

from player.library.database.column_types import check_kinds
from player.library.database.connections import Connections
from player.library.database.timestamps import moment, stored
from player.model.episode import EpisodeId
from player.model.listening import LONGEST_SPAN_MS, ListeningDay, ListeningSpan, per_day, start_of
from player.model.playback import SLOWEST

log = logging.getLogger(__name__)

_OF_EPISODE = (
    "SELECT episode_id, from_ms, to_ms, began_at, speed FROM listening_spans WHERE episode_id = ? ORDER BY began_at"
)
_BETWEEN = (
    "SELECT coalesce(episode_id, 0), from_ms, to_ms, began_at, speed FROM listening_spans"
    " WHERE began_at >= ? AND began_at < ? ORDER BY began_at"
)
_LONGEST = timedelta(milliseconds=2 * LONGEST_SPAN_MS)
"""A span that began longer before a day doesn't reach into it, even at half the speed."""


class History:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def spans(self, episode_id: EpisodeId) -> tuple[ListeningSpan, ...]:
        """What was heard of that episode, in the order in which it was."""
        with self._connections.reading() as connection:
            return tuple(_span(row) for row in connection.execute(_OF_EPISODE, (episode_id,)))

    def days(self, first: date, last: date, zone: tzinfo | None = None) -> tuple[ListeningDay, ...]:
        """How long was listened on each day from `first` to `last`, both included; days without any are left out.

        Days are those of `zone`; None: of this computer.
        """
        since, until = start_of(first, zone) - _LONGEST, start_of(last + timedelta(days=1), zone)
        with self._connections.reading() as connection:
            rows = connection.execute(_BETWEEN, (stored(since), stored(until)))
            days = per_day((_span(row) for row in rows), zone)
        return tuple(day for day in days if first <= day.day <= last)


def write_spans(connection: sqlite3.Connection, spans: Iterable[ListeningSpan]) -> None:
    """Within a transaction: adds them; one that is there already, by its episode and its beginning, ends anew.

    So it doesn't matter whether an earlier write of the same span was carried out. Nothing is written for an episode
    that is gone.
    """
    for span in spans:
        if not _possible(span):
            log.error("not taken into the history: %r", span)
            continue
        connection.execute(
            "INSERT INTO listening_spans (episode_id, from_ms, to_ms, began_at, speed)"
            " SELECT id, ?, ?, ?, ? FROM episodes WHERE id = ?"
            " ON CONFLICT (episode_id, began_at) DO UPDATE SET to_ms = excluded.to_ms"
            " WHERE from_ms = excluded.from_ms AND speed = excluded.speed",
            (span.from_ms, span.to_ms, stored(span.began_at), span.speed, span.episode_id),
        )


def _span(row: tuple[Any, ...]) -> ListeningSpan:
    episode_id, from_ms, to_ms, began_at, speed = row
    check_kinds((), (episode_id, from_ms, to_ms, began_at))
    if speed.__class__ is not float:
        raise TypeError(f"{type(speed).__name__} instead of a speed")
    span = ListeningSpan(EpisodeId(episode_id), from_ms, to_ms, moment(began_at), speed)
    if not _possible(span):
        raise ValueError(f"nobody can have heard {span}")
    return span


def _possible(span: ListeningSpan) -> bool:
    return 0 <= span.from_ms <= span.to_ms <= span.from_ms + LONGEST_SPAN_MS and span.speed >= SLOWEST

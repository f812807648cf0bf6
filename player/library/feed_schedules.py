"""When each feed was last checked, and what follows from its response for the next check."""

from collections.abc import Mapping
from typing import Any

from player.library.database.connections import Connections
from player.library.database.values import moment_maybe, stored_maybe
from player.model.feed import FeedSchedule
from player.model.podcast import PodcastId

_COLUMNS = "checked_at, due_at, held_until, failures, gone, digest, archive, archived"


class FeedSchedules:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def get(self, podcast_id: PodcastId) -> FeedSchedule:
        """An empty schedule for a feed that was never checked."""
        with self._connections.reading() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM visits WHERE podcast_id = ?", (podcast_id,)).fetchone()
            return _visit(row) if row else FeedSchedule()

    def all(self) -> Mapping[PodcastId, FeedSchedule]:
        """The schedules of the feeds that have been checked."""
        with self._connections.reading() as connection:
            rows = connection.execute(f"SELECT podcast_id, {_COLUMNS} FROM visits").fetchall()
            return {PodcastId(row[0]): _visit(row[1:]) for row in rows}

    def note(self, podcast_id: PodcastId, schedule: FeedSchedule) -> None:
        """Does nothing if the podcast is gone."""
        with self._connections.writing() as connection:
            connection.execute(
                f"INSERT OR REPLACE INTO visits (podcast_id, {_COLUMNS})"
                " SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM podcasts WHERE id = ?",
                (*_row(schedule), podcast_id),
            )


def _visit(row: tuple[Any, ...]) -> FeedSchedule:
    checked_at, due_at, held_until, failures, gone, digest, archive, archived = row
    return FeedSchedule(
        checked_at=moment_maybe(checked_at),
        due_at=moment_maybe(due_at),
        held_until=moment_maybe(held_until),
        failures=failures,
        gone=bool(gone),
        digest=digest,
        archive=archive,
        archived=bool(archived),
    )


def _row(schedule: FeedSchedule) -> tuple[Any, ...]:
    return (
        stored_maybe(schedule.checked_at),
        stored_maybe(schedule.due_at),
        stored_maybe(schedule.held_until),
        schedule.failures,
        schedule.gone,
        schedule.digest,
        schedule.archive,
        schedule.archived,
    )

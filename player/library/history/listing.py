"""The listening history as rows of a list: a heading for each day, and below it its sessions, the latest first."""

from array import array
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import groupby

from msgspec import Struct

from player.library.history.sessions import Session
from player.model.episode import EpisodeId
from player.text.cleaning import fold

_NONE = 0
"""The number of a heading, and of a session whose episode is gone: no episode has it."""


class DayHeading(Struct, frozen=True):
    """`real_ms` is the time spent listening on that day; with a filter, only to what matches it."""

    day: date
    real_ms: int


class SessionList:
    """A `Listing`. `more`: only the latest sessions were read."""

    def __init__(self, sessions: Iterable[Session], words: str = "", *, more: bool = False) -> None:
        """Lists only sessions with all of `words` in their titles; `sessions` come with the latest first."""
        self.more = more
        wanted = fold(words).split()
        self._rows: list[Session | DayHeading] = []
        self.sessions = 0
        chosen = (one for one in sessions if _has(one, wanted))
        for day, some in groupby(chosen, lambda one: one.day):
            of_day = list(some)
            self.sessions += len(of_day)
            self._rows.append(DayHeading(day, sum(one.real_ms for one in of_day)))
            self._rows += of_day
        self._ids = array("q", (_id(row) for row in self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    def page(self, start: int, size: int) -> "array[int]":
        return self._ids[max(0, start) : max(0, start) + size]

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        """The row of the episode's latest session."""
        try:
            return self._ids.index(episode_id) if episode_id else None
        except ValueError:
            return None

    def row_at(self, index: int) -> Session | DayHeading | None:
        return self._rows[index] if 0 <= index < len(self._rows) else None

    def same_row(self, other: "SessionList", index: int) -> int | None:
        """The row in this list of the session that is at `index` in another list."""
        row = other.row_at(index)
        if not isinstance(row, Session):
            return None
        same = (row.episode_id, row.day, row.start)
        return next(
            (
                number
                for number, one in enumerate(self._rows)
                if isinstance(one, Session) and (one.episode_id, one.day, one.start) == same
            ),
            None,
        )


def _id(row: Session | DayHeading) -> int:
    return row.episode.id if isinstance(row, Session) and row.episode else _NONE


def _has(session: Session, wanted: Sequence[str]) -> bool:
    text = fold(f"{session.title} {session.podcast}") if wanted else ""
    return all(word in text for word in wanted)

"""The listening history as rows of a list: its sessions, the latest first, and above which of them a day begins."""

from array import array
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import groupby

from msgspec import Struct

from player.library.history.sessions import Session
from player.model.episode import EpisodeId
from player.text.cleaning import fold

_NONE = 0
"""The number of a session whose episode is gone: no episode has it."""


class DayHeading(Struct, frozen=True):
    """`row` is the day's first. `real_ms` is the time spent listening on that day; with a filter, only to what matches
    it."""

    row: int
    day: date
    real_ms: int


class SessionList:
    """A `Listing`. `more`: only the latest sessions were read."""

    def __init__(self, sessions: Iterable[Session], words: str = "", *, more: bool = False) -> None:
        """Lists only sessions with all of `words` in their titles; `sessions` come with the latest first."""
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
        """The row in this list of the session that is at `index` in another list."""
        session = other.session_at(index)
        if session is None:
            return None
        same = (session.episode_id, session.day, session.start)
        rows = enumerate(self.sessions)
        return next((row for row, one in rows if (one.episode_id, one.day, one.start) == same), None)


def _has(session: Session, wanted: Sequence[str]) -> bool:
    text = fold(f"{session.title} {session.podcast}") if wanted else ""
    return all(word in text for word in wanted)

"""Pieces of one episode that were heard with only short breaks between them, as one row of a list."""

from collections.abc import Callable, Iterable
from datetime import date, datetime

from msgspec import Struct

from player.library.database.values import moment
from player.library.history.pieces import Piece
from player.model.episode import Episode, EpisodeId

BREAK_MS = 30 * 60_000
"""A longer break than this begins another session."""


class Session(Struct, frozen=True):
    """An episode heard within one day. `start` and `end` are moments in ms since 1970; `from_ms` is where it began in
    the episode, `to_ms` where it ended, `real_ms` how long the listener took, `content_ms` how much that was.

    `episode` is None when it is gone; its titles are kept, but for an episode's that was removed by an older Earmark.
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
"""Of an episode: its row, None when it is gone; its title and its podcast's."""


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

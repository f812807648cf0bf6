"""Which bytes of an episode the listener's marks were made in, and how marks move to the same sound in others.

Hosts insert other advertisements into each download. Each audio of an episode has a number, which its marks have, too.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import as_json
from player.model.episode import EpisodeId

_MARKS = ("progress", "bookmarks", "listening_spans", "segments")
_MOMENTS = {
    "bookmarks": ("position_ms", ""),
    "segments": ("start_ms", ", end_ms = end_ms + ?1 - start_ms"),
}
"""Tables of marks with a moment that other devices learn as it was made; and what moves with it."""
_MOVED_POSITION = (
    "position_ms = ?1, audio = ?2, moved_ms = moved_ms + ?1 - position_ms, byte = NULL, file_size = NULL, guessed = 0,"
    " unsure = 0"
)
_NAME = 32
LATEST = "(SELECT max(a.number) FROM audio a WHERE a.episode_id = {episode} AND a.sound IS NULL)"
"""The latest audio of an episode on this device."""
_OF_SOUND = 1 << 32
"""Audio of other devices has numbers from here on, computed from its sound."""


class MovedMarks(Struct, frozen=True):
    """What was moved in an episode: its position, in ms before and after (None if it wasn't in that audio), and how
    many bookmarks and segments."""

    position_ms: tuple[int, int] | None = None
    bookmarks: int = 0
    segments: int = 0


class ElsewhereAudio(Struct, frozen=True):
    """Another device's audio in which the listener has a position. `sound` is the sound around that position, in the
    format of `player.measuring.around`."""

    number: int
    sound: str


class HeardAudio:
    """`version` identifies bytes, as `AvailableBytes` has it."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def has_marks(self, episode_id: EpisodeId, version: str) -> bool:
        """Whether the listener has a mark in the audio of these bytes."""
        with self._connections.reading() as connection:
            same = episode_id, _number(connection, episode_id, version)
            found = (
                connection.execute(f"SELECT 1 FROM {table} WHERE episode_id = ? AND audio = ? LIMIT 1", same).fetchone()
                for table in _MARKS
            )
            return any(found)

    def number(self, episode_id: EpisodeId, version: str) -> int | None:
        """The number of the audio of these bytes; None if nothing was heard in them."""
        with self._connections.reading() as connection:
            return _number(connection, episode_id, version)

    def uncompared(self) -> list[EpisodeId]:
        """The episodes whose position comes from another device and hasn't been compared with the audio here."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT DISTINCT episode_id FROM audio WHERE sound IS NOT NULL").fetchall()
        return [EpisodeId(row[0]) for row in rows]

    def elsewhere(self, episode_id: EpisodeId) -> ElsewhereAudio | None:
        """The audio of another device that the episode's position is in; None if the position is in audio of this
        device."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT number, sound FROM audio WHERE episode_id = ? AND sound IS NOT NULL", (episode_id,)
            ).fetchone()
        return ElsewhereAudio(*row) if row else None

    def place(self, episode_id: EpisodeId, audio: ElsewhereAudio, version: str, shift_ms: int | None) -> bool:
        """The sound of `audio` is `shift_ms` later in the bytes of `version`; None: it isn't in them, and the position
        stays at its second. Returns False if the listener's position has changed meanwhile."""
        same = episode_id, audio.number
        with self._connections.writing() as connection:
            number = note(connection, episode_id, version)
            connection.execute("DELETE FROM audio WHERE episode_id = ? AND number = ? AND sound IS NOT NULL", same)
            if number is None:
                return False
            with _unreported(connection, "position"):
                found = _move_position(connection, same, number, lambda ms: max(0, ms + (shift_ms or 0)))
                if found is not None and shift_ms is None:
                    connection.execute("UPDATE progress SET unsure = 1 WHERE episode_id = ?", (episode_id,))
        return found is not None

    def note_same(self, episode_id: EpisodeId, version: str, other: str, *, unsure: bool = False) -> None:
        """Both versions have the same sound: a position in one is the same position in the other. `unsure`: they can't
        be compared, and positions stay at their seconds."""
        with self._connections.writing() as connection:
            one, two = note(connection, episode_id, version), note(connection, episode_id, other)
            if one is None or two is None or one == two:
                return
            connection.execute(
                "UPDATE progress SET unsure = max(unsure, ?) WHERE episode_id = ? AND audio = ?",
                (int(unsure), episode_id, one),
            )
            for table, column in (("audio", "number"), *((mark, "audio") for mark in _MARKS)):
                connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE episode_id = ? AND {column} = ?", (two, episode_id, one)
                )

    def move(self, episode_id: EpisodeId, old: str, new: str, moved: Callable[[int], int]) -> MovedMarks:
        """Moves all marks in the audio of the `old` bytes to where their sound is in the `new` ones; `moved` takes and
        returns ms. One transaction. Marks that have been moved aren't moved again. A span of the history keeps its
        length."""
        with self._connections.writing() as connection:
            before, after = _number(connection, episode_id, old), note(connection, episode_id, new)
            if before is None or after is None or before == after:
                return MovedMarks()
            same = (episode_id, before)
            changed = [_move_marks(connection, one, same, after, moved) for one in _MOMENTS]
            # They are where the sound was, and are found again.
            connection.execute("DELETE FROM found_segments WHERE episode_id = ? AND rejected = 0", (episode_id,))
            rejected = connection.execute(
                "SELECT segment_id, start_ms, end_ms FROM found_segments WHERE episode_id = ? AND rejected = 1",
                (episode_id,),
            ).fetchall()
            connection.executemany(
                "UPDATE OR REPLACE found_segments SET start_ms = ?, end_ms = ?"
                " WHERE episode_id = ? AND segment_id = ? AND start_ms = ?",
                [
                    (begin := moved(start_ms), max(begin + 1, moved(end_ms)), episode_id, segment_id, start_ms)
                    for segment_id, start_ms, end_ms in rejected
                ],
            )
            with _unreported(connection, "span"), _unreported(connection, "position"):
                _move_spans(connection, same, after, moved)
                position_ms = _move_position(connection, same, after, moved)
            connection.execute("DELETE FROM audio WHERE episode_id = ? AND number = ?", same)
        position = None if position_ms is None else (position_ms, moved(position_ms))
        return MovedMarks(position, *changed)


def note(connection: sqlite3.Connection, episode_id: EpisodeId, version: str) -> int | None:
    """The number of the audio of these bytes, which is known from now on; None if the episode is gone. The first audio
    that is known of an episode is the one that its earlier marks were made in."""
    if (found := _number(connection, episode_id, version)) is not None:
        return found
    (last,) = connection.execute(
        "SELECT max(number) FROM audio WHERE episode_id = ? AND sound IS NULL", (episode_id,)
    ).fetchone()
    number = 1 if last is None else int(last) + 1
    made = connection.execute(
        "INSERT INTO audio (episode_id, version, number) SELECT id, ?, ? FROM episodes WHERE id = ?",
        (_name(version), number, episode_id),
    )
    if made.rowcount != 1:
        return None
    if last is None:
        for table in _MARKS:
            connection.execute(
                f"UPDATE {table} SET audio = ? WHERE episode_id = ? AND audio IS NULL", (number, episode_id)
            )
    return number


def note_elsewhere(connection: sqlite3.Connection, episode_id: int, sound: str) -> None:
    """The position that has just been saved is in another device's audio, with this sound around it."""
    name = _name(sound)
    number = _OF_SOUND + int(name[:8], 16)
    connection.execute("DELETE FROM audio WHERE episode_id = ? AND sound IS NOT NULL", (episode_id,))
    connection.execute(
        "INSERT INTO audio (episode_id, version, number, sound) VALUES (?, ?, ?, ?)", (episode_id, name, number, sound)
    )
    connection.execute("UPDATE progress SET audio = ? WHERE episode_id = ?", (number, episode_id))


def _move_marks(
    connection: sqlite3.Connection, table: str, same: tuple[EpisodeId, int], after: int, moved: Callable[[int], int]
) -> int:
    """Returns how many are elsewhere now."""
    moment, more = _MOMENTS[table]
    rows = connection.execute(f"SELECT id, {moment} FROM {table} WHERE episode_id = ? AND audio = ?", same).fetchall()
    connection.executemany(
        f"UPDATE {table} SET {moment} = ?1, moved_ms = moved_ms + ?1 - {moment}, audio = ?2{more} WHERE id = ?3",
        [(moved(ms), after, row_id) for row_id, ms in rows],
    )
    return sum(moved(ms) != ms for _row_id, ms in rows)


def _move_spans(
    connection: sqlite3.Connection, same: tuple[EpisodeId, int], after: int, moved: Callable[[int], int]
) -> None:
    spans = connection.execute(
        "SELECT id, from_ms, to_ms FROM listening_spans WHERE episode_id = ? AND audio = ?", same
    ).fetchall()
    connection.executemany(
        "UPDATE listening_spans SET from_ms = ?, to_ms = ?, audio = ? WHERE id = ?",
        [(begin := moved(from_ms), begin + to_ms - from_ms, after, row_id) for row_id, from_ms, to_ms in spans],
    )


def _move_position(
    connection: sqlite3.Connection, same: tuple[EpisodeId, int], after: int, moved: Callable[[int], int]
) -> int | None:
    """Returns the position before; None if there is none in that audio."""
    row = connection.execute("SELECT position_ms FROM progress WHERE episode_id = ? AND audio = ?", same).fetchone()
    if row is None:
        return None
    connection.execute(f"UPDATE progress SET {_MOVED_POSITION} WHERE episode_id = ?3", (moved(row[0]), after, same[0]))
    return int(row[0])


@contextmanager
def _unreported(connection: sqlite3.Connection, what: str) -> Iterator[None]:
    """Changes of that kind aren't reported to other devices, which have bytes of their own."""
    before = as_json(
        [row_id for (row_id,) in connection.execute("SELECT id FROM sync_changed WHERE what = ?", (what,))]
    )
    yield
    connection.execute(
        "DELETE FROM sync_changed WHERE what = ? AND id NOT IN (SELECT value FROM json_each(?))", (what, before)
    )


def _number(connection: sqlite3.Connection, episode_id: EpisodeId, version: str) -> int | None:
    row = connection.execute(
        "SELECT number FROM audio WHERE episode_id = ? AND version = ?", (episode_id, _name(version))
    ).fetchone()
    return int(row[0]) if row else None


def _name(version: str) -> str:
    """A version has the paths of files, which are long."""
    import hashlib  # takes 3 ms, and is first needed when a position is saved

    return hashlib.sha256(version.encode(errors="surrogatepass")).hexdigest()[:_NAME]

"""The full-text index: a separate file beside the library, brought up to date a moment behind it."""

import json
import logging
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

from player.errors import EarmarkError
from player.library.database.connect import check_files, connect, files_of
from player.library.database.sqlite_errors import as_library_errors, has_room
from player.library.lists.ordering import ID_MASK, podcast_word, row_number
from player.library.lists.preview_keys import FIRST_KEY, LISTED
from player.library.search import transcript_index
from player.library.search.words import spaced
from player.processes.scheduler import SHARED, Task
from player.text.cleaning import unescape

log = logging.getLogger(__name__)
T = TypeVar("T")

_FORMAT = 5
"""To be increased when other words are taken from a text, or stored differently: the index is then rebuilt."""

_AT_ONCE = 4000
"""Episodes per transaction, which takes about 0.2 s; closing waits no longer than that."""
_TEXT_AT_ONCE = 4_000_000
_TRANSCRIPTS_AT_ONCE = 10
_SLICE = 500
_LOOKS_EVERY = 50
"""Episodes between two calls of `enough`: half a millisecond."""
_ROW = (
    "SELECT e.id, e.sort, e.title, d.notes, e.podcast_id FROM lib.episodes e JOIN lib.details d ON d.episode_id = e.id"
)
_GIVEN = "(SELECT value FROM json_each(?))"
# A tag never crosses another "<", so the search takes linear time, even for notes that consist of nothing else.
_TAG = re.compile(r"<[^<>]*+>")
_MARKUP = re.compile("[<&]")
_PART = 50_000
"""Characters of notes that are stripped in one go: a millisecond, in which no other thread gets a turn."""
_SCHEMA = (
    # The length of each text is only needed for ranking, which isn't used; without it there is a fifth less work.
    """
    CREATE VIRTUAL TABLE words USING fts5 (
        title, notes, podcast, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'
    )
    """,
    # Fewer and larger segments to merge: a fifth less work for 50,000 episodes.
    "INSERT INTO words (words, rank) VALUES ('hashsize', 8388608)",
    *transcript_index.SCHEMA,
)
STAMP = "search_stamp"


def plain(notes: str) -> str:
    """The words of notes, HTML or not, safe for a terminal; takes 2 µs per kilobyte."""
    if "<" not in notes and "&" not in notes:
        return notes
    if len(notes) <= _PART:
        return unescape(_TAG.sub(" ", notes))
    return "".join(unescape(_TAG.sub(" ", part)) for part in _parts(notes))


def _parts(notes: str) -> Iterator[str]:
    """Splits notes where neither a tag nor a character reference is cut in two."""
    start = 0
    while len(notes) - start > _PART and (found := _MARKUP.search(notes, start + _PART)):
        yield notes[start : found.start()]
        start = found.start()
    yield notes[start:]


class _Enough(Exception):
    """Stops in the middle of a transaction, which is rolled back."""


def _never() -> bool:
    return False


class SearchIndex:
    """The index at `path` of the library at `library`. Any thread and process may use it; only one writes at a time."""

    def __init__(self, path: Path, library: Path, patience_ms: int) -> None:
        self._path = path
        self.library = library
        self._patience_ms = patience_ms
        self._kept: tuple[sqlite3.Connection, int] | None = None
        """A connection for the next search, and the inode of its file: opening one takes 1.6 ms, longer than most
        searches."""
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection with `words` and the library's tables as `lib`; creates the index if there is none."""
        if (kept := self._take_kept()) is not None:
            connection, inode = kept
        else:
            connection = self._opened()
            inode = self._path.stat().st_ino
        try:
            if kept is None:
                self._prepare(connection)
                connection.execute("PRAGMA query_only = ON")
            yield connection
        except BaseException:
            connection.close()
            raise
        self._keep(connection, inode)

    def left(self) -> int:
        """About how many episodes aren't in the index yet."""
        with as_library_errors(self.library), self.reading() as connection:
            return self._left(connection)

    def close(self) -> None:
        with self._lock:
            kept, self._kept, self._closed = self._kept, None, True
        if kept is not None:
            kept[0].close()

    def catch_up(
        self, forget: Callable[[int], None], enough: Callable[[], bool] = _never, *, in_bulk: bool = False
    ) -> bool:
        """Indexes what is in the library and not yet in the index; False when `enough` stopped it before the end.

        `in_bulk`, while more is on its way, leaves a remainder smaller than a full transaction (small transactions cost
        twice as much). `forget` lets the library delete its `search_changes` up to a number. A damaged index is deleted
        and rebuilt. Raises LibraryError for problems of the library or the disk.
        """
        try:
            return self._catch_up(forget, enough, in_bulk)
        except sqlite3.OperationalError:
            with as_library_errors(self.library):
                raise
        except sqlite3.DatabaseError as error:
            log.warning("the search index is made afresh: %s", error)
            self.throw_away()
            with as_library_errors(self.library):
                return self._catch_up(forget, enough, in_bulk)
        raise AssertionError("unreachable")

    def throw_away(self) -> None:
        """Deletes the index. Nothing is lost but the time it takes to rebuild it."""
        for file in files_of(self._path):
            file.unlink(missing_ok=True)

    # -- inside -----------------------------------------------------------------------------------------------

    def _take_kept(self) -> tuple[sqlite3.Connection, int] | None:
        """None also if the index was thrown away or made afresh, by whichever process."""
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is None:
            return None
        with suppress(OSError, sqlite3.Error):
            if self._path.stat().st_ino == kept[1] and self._usable(kept[0]):
                return kept
        kept[0].close()
        return None

    def _keep(self, connection: sqlite3.Connection, inode: int) -> None:
        """Does nothing on a full disk, where other processes can only read the index when this one has closed it."""
        connection.set_progress_handler(None, 0)
        with self._lock:
            if not self._closed and self._kept is None and has_room(self._path):
                self._kept = connection, inode
                return
        connection.close()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        connection = self._opened()
        try:
            yield connection
        finally:
            connection.close()

    def _opened(self) -> sqlite3.Connection:
        check_files(self.library)
        connection = self._connected()
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode = WAL")
            connection.create_function("row_number", 2, row_number, deterministic=True)
            connection.execute("PRAGMA secure_delete = OFF")
            connection.execute("ATTACH ? AS lib", (f"file:{quote(str(self.library))}?mode=rw",))
        except BaseException:
            connection.close()
            raise
        return connection

    def _connected(self) -> sqlite3.Connection:
        """On a full disk the index can still be read, by one process at a time."""
        if has_room(self._path):
            return connect(self._path, self._patience_ms)
        return connect(self._path, self._patience_ms, exclusive=True)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Rebuilds the index unless it belongs to this library and to this version of Earmark."""
        if self._usable(connection):
            return
        connection.execute(
            "CREATE TABLE IF NOT EXISTS main.reached"
            " (stamp TEXT NOT NULL, episode_id INTEGER NOT NULL, change_id INTEGER NOT NULL)"
        )
        _begin(connection)
        if self._usable(connection):
            connection.execute("ROLLBACK")
            return
        for table in ("words", *transcript_index.TABLES):
            connection.execute(f"DROP TABLE IF EXISTS main.{table}")
        connection.execute("DELETE FROM main.reached")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute("INSERT INTO reached SELECT value, 0, 0 FROM lib.state WHERE key = ?", (STAMP,))
        connection.execute(f"PRAGMA main.user_version = {_FORMAT}")
        connection.execute("COMMIT")

    def _usable(self, connection: sqlite3.Connection) -> bool:
        if connection.execute("PRAGMA main.user_version").fetchone() != (_FORMAT,):
            return False
        # An older copy of the library, restored by hand, doesn't have everything that the index covers.
        row = connection.execute(
            "SELECT 1 FROM reached r JOIN lib.state s ON s.key = ? AND s.value = r.stamp"
            " WHERE r.episode_id <= coalesce((SELECT seq FROM lib.sqlite_sequence WHERE name = 'episodes'), 0)"
            " AND r.change_id <= coalesce((SELECT seq FROM lib.sqlite_sequence WHERE name = 'search_changes'), 0)",
            (STAMP,),
        ).fetchone()
        return row is not None

    def _left(self, connection: sqlite3.Connection) -> int:
        reached = change = 0
        if self._usable(connection):
            reached, change = connection.execute("SELECT episode_id, change_id FROM reached").fetchone()
        (new,) = connection.execute(
            "SELECT coalesce((SELECT seq FROM lib.sqlite_sequence WHERE name = 'episodes'), 0) - ?", (reached,)
        ).fetchone()
        (changed,) = connection.execute("SELECT count(*) FROM lib.search_changes WHERE id > ?", (change,)).fetchone()
        return int(max(0, new) + changed)

    def _catch_up(self, forget: Callable[[int], None], enough: Callable[[], bool], in_bulk: bool) -> bool:
        with self._open() as connection:
            self._prepare(connection)
            # A power cut may lose the last part of the index; `reached` is lost with it.
            connection.execute("PRAGMA main.synchronous = NORMAL")
            try:
                while not enough():
                    if in_bulk and self._left(connection) < _AT_ONCE:
                        return True
                    if not self._take_in(connection, forget, enough):
                        return True
            except _Enough:
                pass
        return False

    def _take_in(
        self, connection: sqlite3.Connection, forget: Callable[[int], None], enough: Callable[[], bool]
    ) -> int:
        """One transaction; returns how many episodes were indexed."""
        _begin(connection)
        try:
            before = reached, change = connection.execute("SELECT episode_id, change_id FROM reached").fetchone()
            changed, change = _take_changes(connection, reached, change, enough)
            new, reached = _take_new(connection, reached, enough)
            if (reached, change) != before:
                connection.execute("UPDATE reached SET episode_id = ?, change_id = ?", (reached, change))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        if changed:
            # This must be on disk before the library deletes its changes.
            connection.execute("PRAGMA main.wal_checkpoint(PASSIVE)")
            forget(change)
        return changed + new


def _begin(connection: sqlite3.Connection) -> None:
    """Begins a write to the index alone: BEGIN IMMEDIATE would block writes to the library."""
    connection.execute("BEGIN")
    connection.execute("UPDATE main.reached SET change_id = change_id")


def _take_changes(
    connection: sqlite3.Connection, reached: int, after: int, enough: Callable[[], bool]
) -> tuple[int, int]:
    """Removes outdated entries and adds current ones.

    The first change of an episode has the contents of the index: nothing, if it names no podcast, or if the podcast was
    a preview.
    """
    (last,) = connection.execute("SELECT max(id) FROM lib.search_changes WHERE id > ?", (after,)).fetchone()
    if last is None:
        return 0, after
    old = connection.execute(
        "SELECT min(id), sort, episode_id FROM lib.search_changes WHERE id > ? AND id <= ? AND episode_id <= ?"
        " GROUP BY episode_id",
        (after, last, reached),
    ).fetchall()
    indexed = [(row_number(sort, episode_id), entry) for entry, sort, episode_id in old if sort >= FIRST_KEY]
    for entries in _slices(sorted(indexed)):
        texts = {
            row[0]: row[1:]
            for row in connection.execute(
                f"SELECT id, title, notes, podcast_id FROM lib.search_changes WHERE id IN {_GIVEN}",
                (json.dumps([entry for _number, entry in entries]),),
            )
        }
        connection.executemany(
            "INSERT INTO words (words, rowid, title, notes, podcast) VALUES ('delete', ?, ?, ?, ?)",
            (_texts(number, *texts[entry]) for number, entry in _until(enough, entries) if texts[entry][2]),
        )
    for ids in _slices([episode_id for _entry, _sort, episode_id in old]):
        _put_in(connection, connection.execute(f"{_ROW} WHERE e.id IN {_GIVEN}", (json.dumps(ids),)).fetchall(), enough)
        transcript_index.remove(connection, ids)
        _put_in_spoken(connection, f"episode_id IN {_GIVEN}", (json.dumps(ids),), enough)
    return max(1, len(old)), last


def _take_new(connection: sqlite3.Connection, reached: int, enough: Callable[[], bool]) -> tuple[int, int]:
    """Indexes new episodes, except those of previews, which are passed over."""
    rows: list[tuple[int, ...]] = []
    room = _TEXT_AT_ONCE
    end = _end_of_transcripts(connection, reached)
    new = f"{_ROW} WHERE e.id > ? AND e.id <= ? ORDER BY e.id LIMIT ?"
    for row in connection.execute(new, (reached, end, _AT_ONCE)):
        rows.append(row)
        room -= len(row[3])
        if room < 0:
            break
    if not rows:
        # The latest addition may be gone again, like a preview that nobody listened to.
        (last,) = connection.execute(
            "SELECT coalesce((SELECT seq FROM lib.sqlite_sequence WHERE name = 'episodes'), 0)"
        ).fetchone()
        return 0, max(reached, last)
    _put_in(connection, rows, enough)
    last = rows[-1][0]
    _put_in_spoken(connection, "episode_id > ? AND episode_id <= ?", (reached, last), enough)
    return len(rows), last


def _end_of_transcripts(connection: sqlite3.Connection, after: int) -> int:
    """The last episode up to which all transcripts fit into one transaction."""
    row = connection.execute(
        "SELECT episode_id FROM lib.companions WHERE episode_id > ? AND kind = 'transcript'"
        " ORDER BY episode_id LIMIT 1 OFFSET ?",
        (after, _TRANSCRIPTS_AT_ONCE - 1),
    ).fetchone()
    return row[0] if row else ID_MASK


def _put_in_spoken(
    connection: sqlite3.Connection, which: str, values: tuple[Any, ...], enough: Callable[[], bool]
) -> None:
    """Indexes the episodes in `which` that have transcripts."""
    with_transcript = f"(SELECT episode_id FROM lib.companions WHERE {which} AND kind = 'transcript')"
    sql = f"{_ROW} WHERE e.id IN {with_transcript} AND {LISTED}"
    rows = connection.execute(sql, values).fetchall()
    numbered = sorted(
        (row_number(sort, episode_id), episode_id, title, plain(notes), podcast_word(podcast_id))
        for episode_id, sort, title, notes, podcast_id in rows
    )
    transcript_index.add(connection, ((one, number, *texts) for number, one, *texts in _until(enough, numbered)))


def _put_in(connection: sqlite3.Connection, rows: Sequence[tuple[Any, ...]], enough: Callable[[], bool]) -> None:
    """Indexes episodes in the order of their numbers: FTS5 starts a new segment whenever the number decreases."""
    numbered = sorted(
        _texts(row_number(sort, episode_id), title, notes, podcast_id)
        for episode_id, sort, title, notes, podcast_id in rows
        if sort >= FIRST_KEY
    )
    connection.executemany(
        "INSERT INTO words (rowid, title, notes, podcast) VALUES (?, ?, ?, ?)", _until(enough, numbered)
    )


def _texts(number: int, title: str, notes: str, podcast_id: int) -> tuple[int, str, str, str]:
    return number, spaced(title), spaced(plain(notes)), podcast_word(podcast_id)


def _until(enough: Callable[[], bool], rows: Iterable[T]) -> Iterator[T]:
    rows = iter(rows)
    while some := tuple(islice(rows, _LOOKS_EVERY)):
        if enough():
            raise _Enough
        yield from some


def _slices(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), _SLICE):
        yield rows[start : start + _SLICE]


_QUIET_S = 0.3
"""Changes in quick succession are indexed together."""


class Indexing(Protocol):
    """`player.library.search.search.EpisodeSearch` fulfils this."""

    def catch_up(self, enough: Callable[[], bool], /) -> bool: ...


class SearchIndexer:
    """Call `poke` when the library has changed. `start` indexes what the last run left over."""

    def __init__(self) -> None:
        self._closing = threading.Event()
        self._task: Task | None = None

    def start(self, searches: Indexing) -> None:
        self._task = SHARED.task(lambda: self._catch_up(searches), "index")
        self.poke()

    def poke(self, _event: object = None) -> None:
        """Any thread may call it at any time; returns at once."""
        if self._task is not None:
            self._task.soon(_QUIET_S, at_most_s=_QUIET_S)

    def close(self) -> None:
        """Stops the current work and waits until it has ended, which takes a few milliseconds."""
        self._closing.set()
        if self._task is not None:
            self._task.close()

    def _catch_up(self, searches: Indexing) -> None:
        try:
            searches.catch_up(self._closing.is_set)
        except EarmarkError as error:
            log.warning("the search index is behind: %s", error)
        except Exception:
            log.exception("the search index is behind")

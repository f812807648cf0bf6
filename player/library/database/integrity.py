"""Checks that a file is an Earmark library, intact, and that this Earmark can read it; and that a library still
contains what was written: bytes can change and leave every page valid. Checking never writes to it.
"""

import sqlite3
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from player.errors import LibraryError, NewerLibrary
from player.library.database.connect import connect
from player.library.database.migrations import FIRST, latest, new_schema, schema_of, user_version
from player.library.database.sqlite_errors import Interrupted, as_library_errors, damaged
from player.model.effects import Boost, Trim
from player.model.listening import LONGEST_SPAN_MS
from player.model.playback import FASTEST, SLOWEST
from player.model.podcast_settings import LONGEST_SKIP_MS, MOST_GAIN_DB, MOST_NEWEST, OLDEST_DAYS, NewEpisodes
from player.model.segments import SegmentKind
from player.text.sentences import _

APPLICATION_ID = 0x4561726D
"""“Earm”: distinguishes an Earmark library from any other SQLite file."""
_OLDEST_SQLITE = (3, 38, 0)
"""STRICT tables need 3.37, the operator ->> 3.38."""
_TABLES = frozenset({"podcasts", "podcast_counts", "episodes", "details", "progress", "state", "search_changes"})
_STEPS_BETWEEN_LOOKS = 10_000


def inspect(path: Path, patience_ms: int, *, immutable: bool = False) -> int:
    """The schema version of the library at `path`; 0 if it is still empty.

    A truncated file, a broken header and a broken schema are found here in about a millisecond, whatever the size.
    `immutable` (nobody writes to it, no log is left beside it) stops SQLite from creating its files there. Raises
    NewerLibrary, DamagedLibrary or LibraryError.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise LibraryError(
            _(
                "Python's SQLite is {version}, and Earmark needs {oldest} or newer",
                version=sqlite3.sqlite_version,
                oldest=".".join(map(str, _OLDEST_SQLITE)),
            ),
            _("Update SQLite, or install Earmark with a newer Python."),
        )
    if not path.exists():
        return 0
    with as_library_errors(path):
        connection = connect(path, patience_ms, mode="ro", immutable=immutable)
        try:
            return _version(connection, path)
        finally:
            connection.close()


def _version(connection: sqlite3.Connection, path: Path) -> int:
    version = user_version(connection)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    if not tables and not version:
        return 0
    if application_id != APPLICATION_ID:
        raise damaged(path, _("The library {file} was not made by Earmark", file=path))
    if version > latest():
        raise NewerLibrary(
            _("The library {file} was written by a newer version of Earmark", file=path),
            _("Update Earmark. Nothing was changed."),
        )
    if 0 < version < FIRST:
        raise LibraryError(
            _("The library {file} was written by a version of Earmark before the first release", file=path),
            _(
                "Nothing was changed in it. Export it with that version (earmark export --all FILE), move it away, and"
                " import the file here (earmark import FILE)."
            ),
        )
    if version == 0 or (version == latest() and not tables >= _TABLES):
        raise damaged(path, _("Some tables of the library {file} are missing", file=path))
    return version


def check_pages(
    path: Path, patience_ms: int, *, enough: Callable[[], bool] = lambda: False, immutable: bool = False
) -> bool:
    """Reads the whole file, or stops when `enough` (called every few ms) says so. True when all was read.

    Takes 0.15 s for a library of 50,000 episodes (270 MB, in the disk cache). Raises DamagedLibrary or LibraryError.
    """
    with as_library_errors(path):
        connection = connect(path, patience_ms, mode="ro", immutable=immutable)
        try:
            connection.set_progress_handler(enough, _STEPS_BETWEEN_LOOKS)
            for (finding,) in connection.execute("PRAGMA quick_check(1)"):
                if finding != "ok":
                    raise damaged(path)
            return True
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            return False
        finally:
            connection.close()


def check_contents(
    path: Path,
    patience_ms: int,
    *,
    texts: bool = True,
    enough: Callable[[], bool] = lambda: False,
    immutable: bool = False,
) -> bool:
    """Checks whether all values have the types that were written: damage may leave all pages valid.

    With `texts`, every text is read too. True when all was checked, False when `enough` stopped it before. Raises
    DamagedLibrary or LibraryError.
    """
    try:
        with as_library_errors(path):
            connection = connect(path, patience_ms, mode="ro", immutable=immutable)
            try:
                connection.set_progress_handler(enough, _STEPS_BETWEEN_LOOKS)
                check_values(connection, path)
                if texts:
                    check_texts(connection, path)
            finally:
                connection.close()
    except Interrupted:
        return False
    return True


def check_all(path: Path, patience_ms: int, *, enough: Callable[[], bool] = lambda: False) -> bool:
    """Runs `check_pages`, then `check_contents`."""
    return check_pages(path, patience_ms, enough=enough) and check_contents(path, patience_ms, enough=enough)


_JSON = {"details": ("transcripts", "extra"), "podcasts": ("extra",), "podcast_settings": ("skip_chapters", "segments")}
_MOMENTS = {
    "episodes": ("published",),
    "progress": ("saved_at",),
    "podcasts": ("last_refreshed", "previewed_at"),
    "visits": ("checked_at", "due_at", "held_until"),
    "companions": ("fetched_at",),
    "listening_spans": ("began_at",),
    "queue": ("added_at",),
    "inbox": ("arrived_at",),
    "bookmarks": ("created_at",),
    "act_bookmarks": ("created_at",),
    "segments": ("created_at",),
    "act_segments": ("created_at",),
    "acts": ("at",),
    "downloads": ("downloaded_at", "played_at"),
    "waiting_episodes": ("published", "changed_at"),
    "act_positions": ("saved_at", "new_saved_at"),
    "download_trash": ("trashed_at", "downloaded_at"),
    "sync_account": ("pulled_whole_at", "succeeded_at", "failed_at"),
    "sync_devices": ("last_at",),
    "sync_changed": ("changed_at",),
    "sync_actions": ("at",),
    "sync_subscriptions": ("at",),
    "sync_facts": ("at",),
    "sync_spans": ("began_at", "at"),
}
_EARLIEST, _LATEST = -62_135_596_800_000, 253_402_300_799_999
"""The years 1 to 9999, in ms since 1970."""
_TOGETHER = (("episodes", "details", "episode_id"), ("podcasts", "podcast_counts", "podcast_id"))
"""For each table: the rows it must have in another table, and the column that refers to them."""
_KINDS = ", ".join(repr(one.value) for one in SegmentKind)
_IMPOSSIBLE = {
    "listening_spans": (
        f"speed < {SLOWEST}",
        "from_ms < 0",
        f"to_ms NOT BETWEEN from_ms AND from_ms + {LONGEST_SPAN_MS}",
    ),
    "podcast_settings": (
        f"speed NOT BETWEEN {SLOWEST} AND {FASTEST}",
        f"skip_intro_ms NOT BETWEEN 0 AND {LONGEST_SKIP_MS}",
        f"skip_outro_ms NOT BETWEEN 0 AND {LONGEST_SKIP_MS}",
        f"gain_db NOT BETWEEN -{MOST_GAIN_DB} AND {MOST_GAIN_DB}",
        "skip_chapters NOT LIKE '[%]'",
        "segments NOT LIKE '{%}'",
        f"new_episodes NOT IN ({', '.join(repr(one.value) for one in NewEpisodes)})",
        "only_newest NOT IN (0, 1)",
        f"age_limit_days NOT BETWEEN 1 AND {OLDEST_DAYS}",
        f"download_newest NOT BETWEEN 0 AND {MOST_NEWEST}",
        f"boost NOT IN ({', '.join(repr(one.value) for one in Boost)})",
        f"trim NOT IN ({', '.join(repr(one.value) for one in Trim)})",
    ),
    "audio": ("number < 1",),
    "trimmed_pauses": ("day NOT BETWEEN 1 AND 3652059", "saved_ms < 0", "segments_ms < 0"),
    "loudness": (
        "lufs NOT BETWEEN -120 AND 20",
        "peak_db NOT BETWEEN -120 AND 40",
        "heard_ms < 0",
        "is_whole NOT IN (0, 1)",
    ),
    "waiting_episodes": ("played NOT IN (0, 1)", "starred NOT IN (0, 1)", "position_ms < 0", "heard NOT LIKE '[%]'"),
    "sync_account": (
        "target NOT GLOB '[a-z]*'",
        "target GLOB '*[^a-z0-9]*'",
        "is_merged NOT IN (0, 1)",
        "step_ms < 1",
        "has_facts NOT IN (0, 1)",
    ),
    "sync_actions": (
        "kind NOT IN ('play', 'played', 'unplayed')",
        "position_ms < 0",
        "started_ms < 0",
        "total_ms < 0",
        "seen_ms < 0",
    ),
    "sync_facts": (
        "kind NOT IN ('star', 'queue', 'bookmark', 'segment', 'span', 'settings', 'dismissed', 'forgotten')",
    ),
    "bookmarks": ("position_ms < 0", "length_ms < 0"),
    "act_bookmarks": ("position_ms < 0", "length_ms < 0"),
    "segments": ("start_ms < 0", "end_ms <= start_ms", f"kind NOT IN ({_KINDS})"),
    "found_segments": ("start_ms < 0", "end_ms <= start_ms", "rejected NOT IN (0, 1)"),
    "act_segments": ("start_ms < 0", "end_ms <= start_ms", f"kind NOT IN ({_KINDS})", "found NOT LIKE '[%]'"),
    "view_settings": ("hide_played NOT IN (0, 1)",),
}
"""Conditions that no row of a table may fulfil; each begins with its column.

The kinds of actions and facts that sync are written out here, and a test compares them: the daily backup, which begins
when Earmark starts, shouldn't load their modules.
"""
_ROWS = 500


def check_values(connection: sqlite3.Connection, path: Path) -> None:
    """Checks the schema, and all values that are restricted further than by their types, inside SQLite, so that other
    threads can run meanwhile. `check_pages` has checked the types.

    Takes 0.1 s for a library of 50,000 episodes (240 MB). Raises DamagedLibrary, or sqlite3.Error.
    """
    if user_version(connection) == latest() and not new_schema() <= schema_of(connection):
        raise damaged(path)
    for table, columns in _columns(connection):
        wrong = [
            *(f"{name} <> '' AND NOT json_valid({name})" for name in _JSON.get(table, ())),
            *(f"{name} NOT BETWEEN {_EARLIEST} AND {_LATEST}" for name in _MOMENTS.get(table, ())),
            *_IMPOSSIBLE.get(table, ()),
        ]
        wrong = [term for term in wrong if term.split()[0] in columns]  # an older library lacks some columns
        if wrong and connection.execute(f"SELECT 1 FROM {table} WHERE {' OR '.join(wrong)} LIMIT 1").fetchone():
            raise damaged(path)
    for whole, part, key in _TOGETHER:
        orphan = f"SELECT 1 FROM {whole} WHERE NOT EXISTS (SELECT 1 FROM {part} WHERE {key} = {whole}.id) LIMIT 1"
        if connection.execute(orphan).fetchone():
            raise damaged(path)


def check_texts(connection: sqlite3.Connection, path: Path) -> None:
    """Reads every text and unpacks what is compressed: 0.4 s for a library of 50,000 episodes.

    Raises as `check_values`.
    """
    for table, columns in _columns(connection):
        names = ", ".join(name for name, kind in columns.items() if kind in ("TEXT", "BLOB"))
        if not names:
            continue
        rows = connection.execute(f"SELECT {names} FROM {table}")
        while some := rows.fetchmany(_ROWS):
            for row in some:
                for value in row:
                    if isinstance(value, bytes):
                        _unpack(value, path)


def _unpack(body: bytes, path: Path) -> None:
    try:
        zlib.decompress(body)
    except zlib.error as error:
        raise damaged(path) from error


def _columns(connection: sqlite3.Connection) -> Iterator[tuple[str, dict[str, str]]]:
    """Each table with the types of its columns."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    for (table,) in tables.fetchall():
        yield table, {name: kind for _number, name, kind, *_rest in connection.execute(f"PRAGMA table_info({table})")}

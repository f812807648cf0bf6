"""The schema: `schema.sql` makes a new library, and numbered steps bring an older one to the same schema.

To change the schema, change `schema.sql`, and append to STEPS a function that does the same to an older library. A
column that ALTER TABLE adds comes after the others: put it last in `schema.sql`, too. A test compares the schemas. A
step that was released is never edited.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from player.library.database.sqlite_errors import damaged
from player.links.addresses import url_key
from player.model.podcast import STARTER_URL, WELCOME_URL
from player.text.cleaning import fold
from player.text.sentences import _

FIRST = 27
"""The oldest schema version that can be opened."""
_SCHEMA = Path(__file__).with_name("schema.sql")
_NO_CODE = re.compile(r"--[^\n]*|\s+")

Schema = frozenset[tuple[str, str, str]]
"""Tables, indexes and triggers: kind, name, and the statement that makes it, without comments and white space."""


def make_tables_strict(connection: sqlite3.Connection) -> None:
    """In STRICT tables SQLite refuses values of another type, and finds those that damage has put there.

    They differ from other tables only in the text of the schema. This is how SQLite's documentation says to change only
    that text (“Making Other Kinds Of Table Schema Changes”).
    """
    (version,) = connection.execute("PRAGMA schema_version").fetchone()
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "UPDATE sqlite_master SET sql = sql || iif(sql LIKE '%WITHOUT ROWID', ', STRICT', ' STRICT')"
        " WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'"
    )
    connection.execute(f"PRAGMA schema_version = {version + 1}")
    connection.execute("PRAGMA writable_schema = RESET")


def note_what_targets_keep(connection: sqlite3.Connection) -> None:
    """Writes into each account the properties of its target that the library has to know."""
    connection.execute("ALTER TABLE sync_account ADD COLUMN step_ms INTEGER NOT NULL DEFAULT 1000")
    connection.execute("ALTER TABLE sync_account ADD COLUMN has_facts INTEGER NOT NULL DEFAULT 0")
    connection.execute("UPDATE sync_account SET step_ms = 1, has_facts = 1 WHERE target = 'folder'")


def know_moved_podcasts(connection: sqlite3.Connection) -> None:
    """A podcast that comes or goes because of another device may have another address there."""
    connection.execute(
        "CREATE VIEW sync_former_addresses AS WITH RECURSIVE formers (url, former) AS ("
        " SELECT present, former FROM sync_moves"
        " UNION SELECT f.url, m.former FROM formers f CROSS JOIN sync_moves m ON m.present = f.former"
        ") SELECT url, former FROM formers"
    )
    connection.execute("DROP TRIGGER sync_podcast_followed")
    connection.execute(
        "CREATE TRIGGER sync_podcast_followed AFTER DELETE ON podcasts WHEN EXISTS (SELECT 1 FROM sync_account) BEGIN"
        " UPDATE sync_subscriptions SET is_here = 0 WHERE is_subscribed = 0 AND (key = OLD.url_key"
        " OR podcast IN (SELECT former FROM sync_former_addresses WHERE url = OLD.url)); END"
    )
    connection.execute("DROP TRIGGER sync_podcast_came")
    connection.execute(
        "CREATE TRIGGER sync_podcast_came AFTER INSERT ON podcasts"
        " WHEN NEW.previewed_at IS NULL AND EXISTS (SELECT 1 FROM sync_account) BEGIN"
        " UPDATE sync_subscriptions SET is_here = 1 WHERE is_subscribed = 1 AND (key = NEW.url_key"
        " OR podcast IN (SELECT former FROM sync_former_addresses WHERE url = NEW.url)); END"
    )


def index_named_transcripts(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE INDEX details_transcripts ON details (episode_id) WHERE transcripts <> '[]'")


def know_loudness(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE loudness (episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,"
        " lufs REAL NOT NULL, peak_db REAL NOT NULL, heard_ms INTEGER NOT NULL, is_whole INTEGER NOT NULL) STRICT"
    )
    connection.execute(
        "CREATE TABLE trimmed_pauses (podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,"
        " day INTEGER NOT NULL, saved_ms INTEGER NOT NULL, PRIMARY KEY (podcast_id, day)) WITHOUT ROWID, STRICT"
    )
    connection.execute("ALTER TABLE podcast_settings ADD COLUMN boost TEXT")
    connection.execute("ALTER TABLE podcast_settings ADD COLUMN trim TEXT")


def queue_transcripts(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE download_queue ADD COLUMN downloads INTEGER NOT NULL DEFAULT 1")
    connection.execute("ALTER TABLE download_queue ADD COLUMN transcribes INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE podcast_settings ADD COLUMN transcribe TEXT")
    name = "cancelled_download_is_noted"
    (trigger,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    connection.execute(f"DROP TRIGGER {name}")
    connection.execute(trigger.replace("WHEN OLD.why", "WHEN OLD.downloads AND OLD.why"))


def keep_segments(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE podcast_settings ADD COLUMN segments TEXT")
    connection.execute("ALTER TABLE trimmed_pauses ADD COLUMN segments_ms INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        "CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT,"
        " podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,"
        " episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL, start_ms INTEGER NOT NULL,"
        " end_ms INTEGER NOT NULL, kind TEXT NOT NULL, created_at INTEGER NOT NULL, sound BLOB) STRICT"
    )
    connection.execute("CREATE INDEX segments_of_podcast ON segments (podcast_id)")
    connection.execute("CREATE INDEX segments_of_episode ON segments (episode_id, start_ms)")
    connection.execute(
        "CREATE TABLE found_segments (episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,"
        " segment_id INTEGER NOT NULL REFERENCES segments (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,"
        " start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL, rejected INTEGER NOT NULL DEFAULT 0,"
        " PRIMARY KEY (episode_id, segment_id, start_ms)) WITHOUT ROWID, STRICT"
    )
    connection.execute("CREATE INDEX found_segments_of_segment ON found_segments (segment_id)")
    connection.execute(
        "CREATE TABLE act_segments (act_id INTEGER NOT NULL, segment_id INTEGER NOT NULL, podcast_id INTEGER,"
        " episode_id INTEGER, start_ms INTEGER, end_ms INTEGER, kind TEXT, created_at INTEGER, sound BLOB, found TEXT,"
        " PRIMARY KEY (act_id, segment_id)) WITHOUT ROWID, STRICT"
    )
    changes = {
        "marked": "INSERT ON segments",
        "changed": "UPDATE OF start_ms, end_ms, kind ON segments",
        "deleted": "DELETE ON segments",
    }
    for name, change in changes.items():
        connection.execute(
            f"CREATE TRIGGER sync_segment_{name} AFTER {change} WHEN EXISTS (SELECT 1 FROM sync_account)"
            " AND NOT EXISTS (SELECT 1 FROM sync_changed WHERE what = 'segment') BEGIN"
            " INSERT INTO sync_changed (what, id, changed_at)"
            " VALUES ('segment', 0, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)); END"
        )


def know_clips(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE bookmarks ADD COLUMN length_ms INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE act_bookmarks ADD COLUMN length_ms INTEGER")
    connection.execute("UPDATE act_bookmarks SET length_ms = 0 WHERE position_ms IS NOT NULL")


def know_audio(connection: sqlite3.Connection) -> None:
    """Marks say in which bytes of their episode they were made."""
    connection.execute(
        "CREATE TABLE audio (episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,"
        " version TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (episode_id, version)) WITHOUT ROWID, STRICT"
    )
    for table in ("progress", "listening_spans", "bookmarks", "act_bookmarks", "segments", "act_segments"):
        connection.execute(f"ALTER TABLE {table} ADD COLUMN audio INTEGER")
    for table in ("bookmarks", "segments"):
        connection.execute(f"ALTER TABLE {table} ADD COLUMN moved_ms INTEGER NOT NULL DEFAULT 0")
        connection.execute(f"ALTER TABLE act_{table} ADD COLUMN moved_ms INTEGER")
    connection.execute("UPDATE act_bookmarks SET moved_ms = 0 WHERE position_ms IS NOT NULL")
    connection.execute("UPDATE act_segments SET moved_ms = 0 WHERE start_ms IS NOT NULL")


def know_sounds_of_others(connection: sqlite3.Connection) -> None:
    """Positions from other devices come with the sound around them."""
    connection.execute("ALTER TABLE sync_actions ADD COLUMN sound TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE audio ADD COLUMN sound TEXT")
    connection.execute("ALTER TABLE progress ADD COLUMN moved_ms INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE progress ADD COLUMN unsure INTEGER NOT NULL DEFAULT 0")


def know_live_shows(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE live_shows (episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,"
        " status TEXT NOT NULL, starts_at INTEGER, ends_at INTEGER, went_live_at INTEGER,"
        " heard INTEGER NOT NULL DEFAULT 0) STRICT"
    )


STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    make_tables_strict,
    note_what_targets_keep,
    know_moved_podcasts,
    index_named_transcripts,
    know_loudness,
    queue_transcripts,
    keep_segments,
    know_clips,
    know_audio,
    know_sounds_of_others,
    know_live_shows,
)
"""The first step takes a library from user_version FIRST to FIRST + 1, and so on."""


def latest() -> int:
    """The schema version of this version of Earmark."""
    return FIRST + len(STEPS)


def migrate(connection: sqlite3.Connection, path: Path) -> bool:
    """Creates the library at `path` if it is empty, or else runs the missing steps; True when it was empty.

    Its version is 0, or FIRST to `latest()`. Raises sqlite3.Error, or DamagedLibrary when a value doesn't fit the
    schema, or a row refers to one that doesn't exist; a step that fails leaves no trace.
    """
    version = user_version(connection)
    if version == latest():
        return False
    is_new = version == 0
    steps = ((latest(), create_library),) if is_new else tuple(enumerate(STEPS, FIRST + 1))[version - FIRST :]
    # A step that rebuilds a table must not delete the rows that refer to it; foreign keys are checked after each step.
    connection.execute("PRAGMA foreign_keys = OFF")
    for number, step in steps:
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            if connection.execute("PRAGMA foreign_key_check").fetchone():
                raise damaged(path, _("The library {file} has rows that belong to nothing", file=path))
            if not is_new and connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise damaged(path)
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    connection.execute("PRAGMA foreign_keys = ON")
    return is_new


def create_library(connection: sqlite3.Connection) -> None:
    """Creates a library with the two podcasts it starts with: a subscription and a suggestion. As they are added here,
    they don't come back once removed. The built-in podcast plays on, from its first episode to its last."""
    for statement in _statements(_SCHEMA.read_text(encoding="utf-8")):
        connection.execute(statement)
    welcome, suggested = (WELCOME_URL, "Welcome to Earmark", None), (STARTER_URL, "PyTorch Developer Podcast", 0)
    for url, title, previewed_at in (welcome, suggested):
        connection.execute(
            "INSERT INTO podcasts (url, url_key, title, folded, previewed_at) VALUES (?, ?, ?, ?, ?)",
            (url, url_key(url), title, fold(title), previewed_at),
        )
    connection.execute("INSERT INTO continued (view, newest_first) VALUES ('podcast 1', 1)")


def _statements(script: str) -> Iterator[str]:
    """One by one, since `executescript` would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def user_version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def schema_of(connection: sqlite3.Connection) -> Schema:
    rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master")
    return frozenset((kind, name, _NO_CODE.sub("", sql)) for kind, name, sql in rows)


@cache
def new_schema() -> Schema:
    """The schema of a new library."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, Path(":memory:"))
        return schema_of(connection)
    finally:
        connection.close()

"""Schema migrations up to the listening history and the settings of single podcasts. `migrations` runs them."""

import sqlite3

from player.links.same_feed import url_key
from player.model.podcast import STARTER_URL, WELCOME_URL
from player.text.cleaning import fold

APPLICATION_ID = 0x4561726D
"""“Earm”: distinguishes an Earmark library from any other SQLite file."""


def create_library(connection: sqlite3.Connection) -> None:
    """A new library: its tables, and the two podcasts it starts with. Added here, a removed one never comes back.

    Rows of `episodes` are narrow, for lists; what only the selected episode needs is in `details`. Triggers keep the
    counts per podcast, so that no list waits for counting. Each list has an index with all that determines its order:
    `sort`, newest first, and the id. Ids are never reused: a screen or a script may still hold an old one.
    """
    for statement in _FIRST_LIBRARY:
        connection.execute(statement)
    for url, title in ((WELCOME_URL, "Welcome to Earmark"), (STARTER_URL, "PyTorch Developer Podcast")):
        connection.execute(
            "INSERT INTO podcasts (url, url_key, title, folded) VALUES (?, ?, ?, ?)",
            (url, url_key(url), title, fold(title)),
        )


_FIRST_LIBRARY = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    """
    CREATE TABLE podcasts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        url TEXT NOT NULL,
        url_key TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        folded TEXT NOT NULL,
        author TEXT NOT NULL DEFAULT '',
        description TEXT NOT NULL DEFAULT '',
        link TEXT NOT NULL DEFAULT '',
        image_url TEXT NOT NULL DEFAULT '',
        language TEXT NOT NULL DEFAULT '',
        etag TEXT NOT NULL DEFAULT '',
        last_modified TEXT NOT NULL DEFAULT '',
        last_refreshed INTEGER,
        error TEXT
    )
    """,
    # Apart from podcasts, whose long descriptions would make each change of a count expensive.
    """
    CREATE TABLE podcast_counts (
        podcast_id INTEGER PRIMARY KEY REFERENCES podcasts (id) ON DELETE CASCADE,
        episodes INTEGER NOT NULL DEFAULT 0,
        unplayed INTEGER NOT NULL DEFAULT 0
    )
    """,
    """
    CREATE TABLE episodes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,
        sort INTEGER NOT NULL,
        played INTEGER NOT NULL DEFAULT 0,
        starred INTEGER NOT NULL DEFAULT 0,
        published INTEGER,
        duration_ms INTEGER,
        measured_ms INTEGER,
        size INTEGER,
        guid TEXT NOT NULL,
        title TEXT NOT NULL,
        folded TEXT NOT NULL,
        url TEXT NOT NULL,
        media_type TEXT NOT NULL,
        link TEXT NOT NULL,
        fingerprint TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE details (
        episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
        image_url TEXT NOT NULL,
        season INTEGER,
        number TEXT NOT NULL,
        explicit INTEGER NOT NULL,
        chapters_url TEXT NOT NULL,
        transcripts TEXT NOT NULL,
        notes TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE progress (
        episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
        position_ms INTEGER NOT NULL,
        saved_at INTEGER NOT NULL
    )
    """,
    "CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX episodes_newest ON episodes (sort DESC)",
    "CREATE INDEX episodes_of_podcast ON episodes (podcast_id, sort DESC)",
    # With the constant first column a partial index is enough; otherwise SQLite would fetch each row to check it.
    "CREATE INDEX episodes_unplayed ON episodes (played, sort DESC) WHERE played = 0",
    "CREATE INDEX episodes_unplayed_of_podcast ON episodes (played, podcast_id, sort DESC) WHERE played = 0",
    "CREATE INDEX episodes_starred ON episodes (starred, sort DESC) WHERE starred = 1",
    "CREATE INDEX progress_last_heard ON progress (saved_at DESC, position_ms)",
    """
    CREATE TRIGGER podcast_added AFTER INSERT ON podcasts BEGIN
        INSERT INTO podcast_counts (podcast_id) VALUES (NEW.id);
    END
    """,
    """
    CREATE TRIGGER episode_added AFTER INSERT ON episodes BEGIN
        UPDATE podcast_counts SET episodes = episodes + 1, unplayed = unplayed + (NEW.played = 0)
        WHERE podcast_id = NEW.podcast_id;
    END
    """,
    """
    CREATE TRIGGER episode_removed AFTER DELETE ON episodes BEGIN
        UPDATE podcast_counts SET episodes = episodes - 1, unplayed = unplayed - (OLD.played = 0)
        WHERE podcast_id = OLD.podcast_id;
    END
    """,
    """
    CREATE TRIGGER episode_played AFTER UPDATE OF played ON episodes WHEN OLD.played <> NEW.played BEGIN
        UPDATE podcast_counts SET unplayed = unplayed + OLD.played - NEW.played WHERE podcast_id = NEW.podcast_id;
    END
    """,
)


def add_byte_positions(connection: sqlite3.Connection) -> None:
    """In a file without an index (MP3) a position may be a guess: the byte that was playing finds it again."""
    connection.execute("ALTER TABLE progress ADD COLUMN byte INTEGER")
    connection.execute("ALTER TABLE progress ADD COLUMN file_size INTEGER")
    connection.execute("ALTER TABLE progress ADD COLUMN guessed INTEGER NOT NULL DEFAULT 0")


def add_feed_extras(connection: sqlite3.Connection) -> None:
    """Everything in a feed that has no column yet (people, funding, soundbites, locations ...), as JSON."""
    connection.execute("ALTER TABLE podcasts ADD COLUMN extra TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE details ADD COLUMN extra TEXT NOT NULL DEFAULT ''")


def add_feed_schedules(connection: sqlite3.Connection) -> None:
    """What a feed's last response means for the next check.

    Pauses that were requested, failures in a row, whether the feed has ended, and the archive pages still to be read.
    """
    connection.execute(
        """
        CREATE TABLE visits (
            podcast_id INTEGER PRIMARY KEY REFERENCES podcasts (id) ON DELETE CASCADE,
            checked_at INTEGER,
            due_at INTEGER,
            held_until INTEGER,
            failures INTEGER NOT NULL,
            gone INTEGER NOT NULL,
            digest TEXT NOT NULL,
            archive TEXT NOT NULL,
            archived INTEGER NOT NULL
        )
        """
    )


def add_search_changes(connection: sqlite3.Connection) -> None:
    """Texts as they were before a change or a removal, kept until the search index has removed them.

    New episodes leave nothing here: the index knows them by their ids. The stamp identifies the library that an index
    belongs to.
    """
    connection.execute(
        """
        CREATE TABLE search_changes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            episode_id INTEGER NOT NULL,
            podcast_id INTEGER NOT NULL,
            sort INTEGER NOT NULL,
            title TEXT NOT NULL,
            notes TEXT NOT NULL
        )
        """
    )
    entry = (
        "INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes)"
        " SELECT e.id, e.podcast_id, e.sort, e.title, d.notes"
        " FROM episodes e JOIN details d ON d.episode_id = e.id WHERE e.id = "
    )
    connection.execute(f"CREATE TRIGGER search_removed BEFORE DELETE ON episodes BEGIN {entry} OLD.id; END")
    connection.execute(
        "CREATE TRIGGER search_title_changed BEFORE UPDATE OF title, sort ON episodes"
        f" WHEN OLD.title <> NEW.title OR OLD.sort <> NEW.sort BEGIN {entry} OLD.id; END"
    )
    connection.execute(
        "CREATE TRIGGER search_notes_changed BEFORE UPDATE OF notes ON details"
        f" WHEN OLD.notes <> NEW.notes BEGIN {entry} OLD.episode_id; END"
    )
    connection.execute("INSERT INTO state (key, value) VALUES ('search_stamp', lower(hex(randomblob(8))))")


def add_downloads(connection: sqlite3.Connection) -> None:
    """Where the files of downloaded episodes are. A table of its own, since few episodes have one."""
    connection.execute(
        """
        CREATE TABLE downloads (
            episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
            path TEXT NOT NULL
        )
        """
    )


def count_new_episodes_together(connection: sqlite3.Connection) -> None:
    """A trigger for each episode doubles the cost of adding one: `podcasts` now counts all new ones at once."""
    connection.execute("DROP TRIGGER episode_added")


def add_attachments(connection: sqlite3.Connection) -> None:
    """Chapters and transcripts come in separate files. They are fetched once and stored, compressed, as they came."""
    connection.execute(
        """
        CREATE TABLE companions (
            episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            url TEXT NOT NULL,
            language TEXT NOT NULL,
            media_type TEXT NOT NULL,
            body BLOB NOT NULL,
            fetched_at INTEGER NOT NULL,
            PRIMARY KEY (episode_id, kind, url)
        )
        """
    )


def index_transcripts(connection: sqlite3.Connection) -> None:
    """An episode whose transcript has changed is indexed again."""
    entry = (
        "INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes)"
        " SELECT e.id, e.podcast_id, e.sort, e.title, d.notes"
        " FROM episodes e JOIN details d ON d.episode_id = e.id WHERE e.id = "
    )
    for event, row in (("INSERT", "NEW"), ("DELETE", "OLD")):
        connection.execute(
            f"CREATE TRIGGER search_transcript_{event.lower()} AFTER {event} ON companions"
            f" WHEN {row}.kind = 'transcript' BEGIN {entry} {row}.episode_id; END"
        )


def index_people(connection: sqlite3.Connection) -> None:
    """Few episodes name people: an index of just those saves searching all of them for a name."""
    connection.execute("CREATE INDEX details_people ON details (episode_id) WHERE instr(extra, '\"person\"') > 0")


def drop_unplayed_indexes(connection: sqlite3.Connection) -> None:
    """Drops two indexes that took a third of the time of writing new episodes.

    Lists of unplayed episodes now use the indexes of all episodes and check each row.
    """
    connection.execute("DROP INDEX episodes_unplayed")
    connection.execute("DROP INDEX episodes_unplayed_of_podcast")


def add_listening_history(connection: sqlite3.Connection) -> None:
    """The listening history. A span is identified by its episode and when it began; writing it again extends it.

    Spans outlive their episode. Only then is the title of the podcast stored with them.
    """
    connection.execute(
        """
        CREATE TABLE listening_spans (
            id INTEGER PRIMARY KEY,
            episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
            from_ms INTEGER NOT NULL,
            to_ms INTEGER NOT NULL,
            began_at INTEGER NOT NULL,
            speed REAL NOT NULL,
            removed_podcast TEXT NOT NULL DEFAULT ''
        )
        """
    )
    connection.execute("CREATE UNIQUE INDEX listening_spans_of_episode ON listening_spans (episode_id, began_at)")
    connection.execute("CREATE INDEX listening_spans_by_time ON listening_spans (began_at)")
    connection.execute(
        """
        CREATE TRIGGER history_outlives_podcast BEFORE DELETE ON podcasts BEGIN
            UPDATE listening_spans SET removed_podcast = OLD.title
            WHERE episode_id IN (SELECT id FROM episodes WHERE podcast_id = OLD.id);
        END
        """
    )


def add_podcast_settings(connection: sqlite3.Connection) -> None:
    """Few podcasts have a row here. NULL means the general setting; `skip_chapters` is a JSON list."""
    connection.execute(
        """
        CREATE TABLE podcast_settings (
            podcast_id INTEGER PRIMARY KEY REFERENCES podcasts (id) ON DELETE CASCADE,
            speed REAL,
            skip_intro_ms INTEGER NOT NULL,
            skip_outro_ms INTEGER NOT NULL,
            gain_db REAL NOT NULL,
            skip_chapters TEXT
        )
        """
    )

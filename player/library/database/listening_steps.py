"""Schema migrations for queue, inbox, lists, bookmarks and undo. `migrations` runs them."""

import sqlite3


def add_queue(connection: sqlite3.Connection) -> None:
    """`rank` orders the queue; ranks have gaps, and may be negative.

    `continued` has the views that continue to play once the queue is empty: `view` is a view's key, `newest_first` the
    order in which it plays.
    """
    connection.execute(
        """
        CREATE TABLE queue (
            episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
            rank INTEGER NOT NULL,
            added_at INTEGER NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX queue_by_rank ON queue (rank)")
    connection.execute("CREATE TABLE continued (view TEXT PRIMARY KEY, newest_first INTEGER NOT NULL) WITHOUT ROWID")


def add_inbox(connection: sqlite3.Connection) -> None:
    """An episode stays in the inbox until the listener has decided about it.

    Where new episodes go is set for each podcast: NULL means the general setting. `order_by` and `hide_played` belong
    to the podcast's own list.
    """
    connection.execute(
        """
        CREATE TABLE inbox (
            episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
            arrived_at INTEGER NOT NULL
        )
        """
    )
    for column in (
        "new_episodes TEXT",
        "only_newest INTEGER",
        "age_limit_days INTEGER",
        "include_titles TEXT NOT NULL DEFAULT ''",
        "exclude_titles TEXT NOT NULL DEFAULT ''",
    ):
        connection.execute(f"ALTER TABLE podcast_settings ADD COLUMN {column}")


def add_lists(connection: sqlite3.Connection) -> None:
    """`lists` holds both kinds: a smart list has a `query` in the search language; a playlist has NULL there.

    A playlist's episodes are in `playlist_episodes`. `view_settings` is how a list is shown: `view` is a view's key.
    """
    connection.execute(
        """
        CREATE TABLE lists (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL UNIQUE,
            query TEXT,
            rank INTEGER NOT NULL
        )
        """
    )
    connection.execute(
        """
        CREATE TABLE playlist_episodes (
            list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
            episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
            rank INTEGER NOT NULL,
            PRIMARY KEY (list_id, episode_id)
        ) WITHOUT ROWID
        """
    )
    connection.execute("CREATE INDEX playlists_of_episode ON playlist_episodes (episode_id)")
    connection.execute(
        """
        CREATE TABLE view_settings (
            view TEXT PRIMARY KEY,
            order_by TEXT NOT NULL,
            hide_played INTEGER NOT NULL
        ) WITHOUT ROWID
        """
    )


def add_names_tags_and_pins(connection: sqlite3.Connection) -> None:
    """`own_title` is the listener's name for a podcast, "" for none; the feed's title is kept as well."""
    connection.execute("ALTER TABLE podcasts ADD COLUMN own_title TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE podcasts ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        """
        CREATE TABLE podcast_tags (
            podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,
            tag TEXT NOT NULL,
            PRIMARY KEY (podcast_id, tag)
        ) WITHOUT ROWID
        """
    )


def add_bookmarks(connection: sqlite3.Connection) -> None:
    """A bookmark outlives its episode: everything shown of it is stored here.

    With `feed` (the podcast's `url_key`) and `guid` it finds an episode that comes back. `act_bookmarks` has the
    bookmarks as they were before an act: where `position_ms` is NULL, there was none.
    """
    connection.execute(
        """
        CREATE TABLE bookmarks (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
            position_ms INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            chapter TEXT NOT NULL,
            line TEXT NOT NULL,
            note TEXT NOT NULL,
            episode TEXT NOT NULL,
            podcast TEXT NOT NULL,
            link TEXT NOT NULL,
            guid TEXT NOT NULL,
            feed TEXT NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX bookmarks_of_episode ON bookmarks (episode_id, position_ms)")
    connection.execute(
        """
        CREATE TABLE act_bookmarks (
            act_id INTEGER NOT NULL,
            bookmark_id INTEGER NOT NULL,
            episode_id INTEGER,
            position_ms INTEGER,
            created_at INTEGER,
            chapter TEXT,
            line TEXT,
            note TEXT,
            episode TEXT,
            podcast TEXT,
            link TEXT,
            guid TEXT,
            feed TEXT,
            PRIMARY KEY (act_id, bookmark_id)
        ) WITHOUT ROWID
        """
    )


def add_undo(connection: sqlite3.Connection) -> None:
    """What the listener did, and how everything was before; for an act that was undone, how it was then.

    `parts` names what the act changed, separated by spaces: "played", "starred", "queue", "inbox". Only those columns
    of `act_episodes` mean anything; NULL in `rank` and `arrived_at` means: not in the queue, not in the inbox.
    `removed` holds a podcast that was unsubscribed from, compressed. There are no foreign keys, since an act outlives
    what it was about.
    """
    connection.execute(
        """
        CREATE TABLE acts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            title TEXT NOT NULL,
            count INTEGER NOT NULL,
            parts TEXT NOT NULL,
            undone INTEGER NOT NULL DEFAULT 0,
            removed BLOB
        )
        """
    )
    connection.execute(
        """
        CREATE TABLE act_episodes (
            act_id INTEGER NOT NULL,
            episode_id INTEGER NOT NULL,
            played INTEGER NOT NULL,
            starred INTEGER NOT NULL,
            rank INTEGER,
            added_at INTEGER,
            arrived_at INTEGER,
            PRIMARY KEY (act_id, episode_id)
        ) WITHOUT ROWID
        """
    )


def keep_history_of_removed_episodes(connection: sqlite3.Connection) -> None:
    """What was heard of a removed episode is listed with its title; its duration tells whether it was finished.

    `former_id` is the id it had, which no other episode gets: an episode that is restored gets its history back. Once
    its podcast is removed too, the podcast's title is stored here.
    """
    connection.execute("ALTER TABLE listening_spans ADD COLUMN former_id INTEGER")
    connection.execute("ALTER TABLE listening_spans ADD COLUMN removed_episode TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE listening_spans ADD COLUMN removed_ms INTEGER")
    connection.execute(
        "CREATE INDEX listening_spans_of_removed ON listening_spans (former_id) WHERE former_id IS NOT NULL"
    )
    connection.execute("ALTER TABLE listening_spans ADD COLUMN podcast_id INTEGER")
    connection.execute("DROP TRIGGER history_outlives_podcast")
    connection.execute(
        """
        CREATE TRIGGER history_outlives_podcast BEFORE DELETE ON podcasts BEGIN
            UPDATE listening_spans SET removed_podcast = coalesce(nullif(OLD.own_title, ''), OLD.title)
            WHERE podcast_id = OLD.id OR episode_id IN (SELECT id FROM episodes WHERE podcast_id = OLD.id);
        END
        """
    )
    connection.execute(
        """
        CREATE TRIGGER history_outlives_episode BEFORE DELETE ON episodes BEGIN
            UPDATE listening_spans SET former_id = OLD.id, removed_episode = OLD.title, podcast_id = OLD.podcast_id,
                removed_ms = coalesce(OLD.measured_ms, OLD.duration_ms)
            WHERE episode_id = OLD.id;
        END
        """
    )


def add_undo_for_podcasts(connection: sqlite3.Connection) -> None:
    """How podcasts were before an act that changed their tags, title or pin. `tags` is a JSON array."""
    connection.execute(
        """
        CREATE TABLE act_podcasts (
            act_id INTEGER NOT NULL,
            podcast_id INTEGER NOT NULL,
            own_title TEXT NOT NULL,
            pinned INTEGER NOT NULL,
            tags TEXT NOT NULL,
            PRIMARY KEY (act_id, podcast_id)
        ) WITHOUT ROWID
        """
    )

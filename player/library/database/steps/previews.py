"""Schema migrations for podcasts that are previewed. `migrations` runs them."""

import sqlite3

FIRST_KEY = -(1 << 49)
"""That of `player.library.lists.preview_keys` when this was written."""


def add_previews(connection: sqlite3.Connection) -> None:
    """`previewed_at` is when a podcast that isn't subscribed to was last opened; NULL for subscriptions.

    The index of words knows nothing of previews. Of one that becomes a subscription it needs no former text: podcast 0
    says that its episodes are only to be added.
    """
    connection.execute("ALTER TABLE podcasts ADD COLUMN previewed_at INTEGER")
    connection.execute("CREATE INDEX podcasts_previewed ON podcasts (previewed_at) WHERE previewed_at IS NOT NULL")
    entry = (
        "INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes)"
        " SELECT e.id, e.podcast_id, e.sort, e.title, d.notes"
        " FROM episodes e JOIN details d ON d.episode_id = e.id WHERE e.id = OLD.id"
    )
    connection.execute("DROP TRIGGER search_removed")
    connection.execute(
        f"CREATE TRIGGER search_removed BEFORE DELETE ON episodes WHEN OLD.sort >= {FIRST_KEY} BEGIN {entry}; END"
    )
    connection.execute("DROP TRIGGER search_title_changed")
    connection.execute(
        "CREATE TRIGGER search_title_changed BEFORE UPDATE OF title, sort ON episodes"
        f" WHEN OLD.sort >= {FIRST_KEY} AND (OLD.title <> NEW.title OR OLD.sort <> NEW.sort) BEGIN {entry}; END"
    )
    connection.execute(
        "CREATE TRIGGER search_subscribed BEFORE UPDATE OF sort ON episodes"
        f" WHEN OLD.sort < {FIRST_KEY} AND NEW.sort >= {FIRST_KEY} BEGIN"
        " INSERT INTO search_changes (episode_id, podcast_id, sort, title, notes)"
        " VALUES (OLD.id, 0, NEW.sort, '', ''); END"
    )

"""Schema migrations for sync. `migrations` runs them."""

import sqlite3

_NOW = "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"
_SYNCS = "EXISTS (SELECT 1 FROM sync_account)"


def add_syncing(connection: sqlite3.Connection) -> None:
    """The account to sync with, what all devices said, and what is to be sent.

    `sync_account` has one row or none, with how far it has come. While there is one, triggers write into `sync_changed`
    what was changed here and when; `changed_at` 0 is before there was an account. `id` is that of an episode, a podcast
    or a bookmark, `key` names what has no id any more.

    `sync_actions` is the log: actions of all devices, of which none is ever changed. `id` is made from what the action
    says, so that none is there twice; `episode_id` is NULL while no feed has brought its episode. `sync_held` has
    episodes whose actions aren't applied, as they were playing, with what they were here before. `sync_subscriptions`
    has the last change of each feed; `is_here`: it was among the podcasts when they were last looked through;
    `is_known`: the target has the change. `sync_moves` has addresses that podcasts left, with those that they have
    now; an alias is one that a podcast has elsewhere, though nobody said that it moved.

    `sync_outbox` has what the target doesn't have yet: an action, a subscription (`kind` is "") or a fact. `refused`
    is the sentence of one that isn't tried again. `sync_spans` has spans of the listening history that aren't sent yet,
    or that wait for their episodes (`waits`); `sync_spans_of_others` tells which of those that are here other devices
    say.
    """
    for table in (
        _ACCOUNT,
        _DEVICES,
        _CHANGED,
        _ACTIONS,
        _HELD,
        _SUBSCRIPTIONS,
        _MOVES,
        _FACTS,
        _OUTBOX,
        _SPANS,
        _OTHERS,
    ):
        connection.execute(table)
    connection.execute("CREATE INDEX sync_actions_of_episode ON sync_actions (episode_id)")
    connection.execute("CREATE INDEX sync_actions_unmatched ON sync_actions (podcast_key) WHERE episode_id IS NULL")
    connection.execute("CREATE UNIQUE INDEX sync_outbox_actions ON sync_outbox (action_id) WHERE action_id IS NOT NULL")
    connection.execute("CREATE UNIQUE INDEX sync_outbox_others ON sync_outbox (kind, key) WHERE action_id IS NULL")
    connection.execute("CREATE INDEX sync_spans_waiting ON sync_spans (podcast_key) WHERE waits = 1")
    _add_triggers(connection)
    _add_triggers_of_history(connection)


_ACCOUNT = """
    CREATE TABLE sync_account (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        target TEXT NOT NULL,
        address TEXT NOT NULL,
        user TEXT NOT NULL,
        device TEXT NOT NULL,
        name TEXT NOT NULL,
        cursor TEXT NOT NULL DEFAULT '',
        is_merged INTEGER NOT NULL DEFAULT 0,
        pulled_whole_at INTEGER,
        succeeded_at INTEGER,
        failed_at INTEGER,
        failure TEXT NOT NULL DEFAULT '',
        what TEXT NOT NULL DEFAULT '',
        advice TEXT NOT NULL DEFAULT '',
        failures INTEGER NOT NULL DEFAULT 0
    )
    """
_DEVICES = """
    CREATE TABLE sync_devices (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL DEFAULT '',
        last_at INTEGER
    ) WITHOUT ROWID
    """
_CHANGED = """
    CREATE TABLE sync_changed (
        what TEXT NOT NULL,
        id INTEGER NOT NULL,
        changed_at INTEGER NOT NULL,
        PRIMARY KEY (what, id)
    ) WITHOUT ROWID
    """
_ACTIONS = """
    CREATE TABLE sync_actions (
        id INTEGER PRIMARY KEY,
        episode_id INTEGER REFERENCES episodes (id) ON DELETE SET NULL,
        podcast_key TEXT NOT NULL,
        podcast TEXT NOT NULL,
        url TEXT NOT NULL,
        guid TEXT NOT NULL,
        device TEXT NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        started_ms INTEGER,
        position_ms INTEGER NOT NULL,
        total_ms INTEGER,
        seen_ms INTEGER NOT NULL
    )
    """
_HELD = """
    CREATE TABLE sync_held (
        episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
        played INTEGER NOT NULL,
        position_ms INTEGER NOT NULL
    )
    """
_SUBSCRIPTIONS = """
    CREATE TABLE sync_subscriptions (
        key TEXT PRIMARY KEY,
        podcast TEXT NOT NULL,
        guid TEXT NOT NULL,
        title TEXT NOT NULL,
        is_subscribed INTEGER NOT NULL,
        is_here INTEGER NOT NULL,
        is_known INTEGER NOT NULL,
        at INTEGER NOT NULL,
        device TEXT NOT NULL
    ) WITHOUT ROWID
    """
_MOVES = """
    CREATE TABLE sync_moves (
        former TEXT NOT NULL,
        present TEXT NOT NULL,
        is_alias INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (former, present)
    ) WITHOUT ROWID
    """
_FACTS = """
    CREATE TABLE sync_facts (
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        at INTEGER NOT NULL,
        device TEXT NOT NULL,
        is_applied INTEGER NOT NULL,
        PRIMARY KEY (kind, key)
    ) WITHOUT ROWID
    """
_OUTBOX = """
    CREATE TABLE sync_outbox (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        action_id INTEGER REFERENCES sync_actions (id) ON DELETE CASCADE,
        kind TEXT NOT NULL DEFAULT '',
        key TEXT NOT NULL DEFAULT '',
        refused TEXT
    )
    """

_SPANS = """
    CREATE TABLE sync_spans (
        key TEXT PRIMARY KEY,
        podcast_key TEXT NOT NULL,
        began_at INTEGER NOT NULL,
        value TEXT NOT NULL,
        at INTEGER NOT NULL,
        device TEXT NOT NULL,
        waits INTEGER NOT NULL
    )
    """
_OTHERS = """
    CREATE TABLE sync_spans_of_others (
        span_id INTEGER PRIMARY KEY REFERENCES listening_spans (id) ON DELETE CASCADE
    )
    """


def _add_triggers(connection: sqlite3.Connection) -> None:
    """A position is saved every second: what is noted already isn't written again. Marks get the time of their last
    change. In a trigger OR IGNORE and OR REPLACE mean what the statement says that set it off: neither is used."""
    for name, event, row in (
        ("made", "AFTER INSERT ON progress", "NEW"),
        ("moved", "AFTER UPDATE OF position_ms ON progress", "NEW"),
        ("dropped", "AFTER DELETE ON progress", "OLD"),
    ):
        connection.execute(
            f"CREATE TRIGGER sync_position_{name} {event} WHEN {_SYNCS} AND NOT EXISTS"
            f" (SELECT 1 FROM sync_changed WHERE what = 'position' AND id = {row}.episode_id) BEGIN"
            f" INSERT INTO sync_changed (what, id, changed_at) VALUES ('position', {row}.episode_id, {_NOW}); END"
        )
    connection.execute(
        f"CREATE TRIGGER sync_played AFTER UPDATE OF played ON episodes WHEN OLD.played <> NEW.played AND {_SYNCS}"
        f" BEGIN {_changed('played', 'NEW.id')} END"
    )
    for name, event, row in (
        ("added", "AFTER INSERT ON podcasts", "NEW"),
        ("removed", "AFTER DELETE ON podcasts", "OLD"),
        ("subscribed", "AFTER UPDATE OF previewed_at ON podcasts", "NEW"),
    ):
        connection.execute(
            f"CREATE TRIGGER sync_podcast_{name} {event} WHEN {_SYNCS} BEGIN {_changed('podcast', f'{row}.id')} END"
        )
    # What another device unsubscribed from is gone here as well now: if it comes back, the listener wanted that.
    connection.execute(
        f"CREATE TRIGGER sync_podcast_followed AFTER DELETE ON podcasts WHEN {_SYNCS} BEGIN"
        " UPDATE sync_subscriptions SET is_here = 0 WHERE key = OLD.url_key AND is_subscribed = 0; END"
    )
    # And what another device subscribed to is here from now on: if it goes, the listener wanted that.
    connection.execute(
        f"CREATE TRIGGER sync_podcast_came AFTER INSERT ON podcasts WHEN NEW.previewed_at IS NULL AND {_SYNCS} BEGIN"
        " UPDATE sync_subscriptions SET is_here = 1 WHERE key = NEW.url_key AND is_subscribed = 1; END"
    )
    for what, name, event in (
        ("star", "starred", "UPDATE OF starred ON episodes WHEN OLD.starred <> NEW.starred AND"),
        ("queue", "queued", "INSERT ON queue WHEN"),
        ("queue", "unqueued", "DELETE ON queue WHEN"),
        ("queue", "queue_sorted", "UPDATE OF rank ON queue WHEN"),
        ("bookmark", "bookmarked", "INSERT ON bookmarks WHEN"),
        ("bookmark", "bookmark_changed", "UPDATE ON bookmarks WHEN"),
        ("bookmark", "bookmark_deleted", "DELETE ON bookmarks WHEN"),
        ("settings", "settings_made", "INSERT ON podcast_settings WHEN"),
        ("settings", "settings_changed", "UPDATE ON podcast_settings WHEN"),
        ("settings", "settings_dropped", "DELETE ON podcast_settings WHEN"),
        ("settings", "tagged", "INSERT ON podcast_tags WHEN"),
        ("settings", "untagged", "DELETE ON podcast_tags WHEN"),
        ("settings", "podcast_arranged", "UPDATE OF own_title, pinned ON podcasts WHEN"),
    ):
        connection.execute(
            f"CREATE TRIGGER sync_{name} AFTER {event} {_SYNCS} AND NOT EXISTS"
            f" (SELECT 1 FROM sync_changed WHERE what = '{what}') BEGIN"
            f" INSERT INTO sync_changed (what, id, changed_at) VALUES ('{what}', 0, {_NOW}); END"
        )
    connection.execute(
        f"CREATE TRIGGER sync_podcast_moved AFTER UPDATE OF url_key ON podcasts WHEN OLD.url_key <> NEW.url_key AND"
        f" {_SYNCS} BEGIN INSERT INTO sync_moves (former, present) SELECT OLD.url, NEW.url WHERE NOT EXISTS"
        " (SELECT 1 FROM sync_moves WHERE former = OLD.url AND present = NEW.url);"
        f" {_changed('podcast', 'NEW.id')} END"
    )


def _add_triggers_of_history(connection: sqlite3.Connection) -> None:
    """A span that is being heard grows every few seconds, and is noted once.

    When the history is forgotten, what isn't sent of it goes, too. `changed_at` is then until when: the end of what was
    here, if another device's clock was ahead, by a day at most.
    """
    for name, event in (
        ("heard", "AFTER INSERT ON listening_spans WHEN"),
        ("heard_on", "AFTER UPDATE OF to_ms ON listening_spans WHEN OLD.to_ms <> NEW.to_ms AND"),
    ):
        connection.execute(
            f"CREATE TRIGGER sync_{name} {event} {_SYNCS} AND NOT EXISTS"
            " (SELECT 1 FROM sync_changed WHERE what = 'span' AND id = NEW.id) BEGIN"
            f" INSERT INTO sync_changed (what, id, changed_at) VALUES ('span', NEW.id, {_NOW}); END"
        )
    until = (
        "max(NEW.value + 0, coalesce((SELECT min(max(began_at + CAST((to_ms - from_ms) / speed AS INTEGER)) + 1,"
        " NEW.value + 86400000) FROM listening_spans), 0))"
    )
    for name, event in (("forgot", "INSERT"), ("forgot_again", "UPDATE")):
        connection.execute(
            f"CREATE TRIGGER sync_{name} AFTER {event} ON state WHEN NEW.key = 'history_forgotten' AND {_SYNCS} BEGIN"
            " DELETE FROM sync_outbox WHERE kind = 'span' AND key IN"
            " (SELECT key FROM sync_spans WHERE began_at < NEW.value + 0);"
            " DELETE FROM sync_spans WHERE began_at < NEW.value + 0;"
            " DELETE FROM sync_changed WHERE what = 'forgotten';"
            f" INSERT INTO sync_changed (what, id, changed_at) VALUES ('forgotten', 0, {until}); END"
        )


def _changed(what: str, number: str) -> str:
    same = f"what = '{what}' AND id = {number}"
    return (
        f"UPDATE sync_changed SET changed_at = {_NOW} WHERE {same};"
        f" INSERT INTO sync_changed (what, id, changed_at) SELECT '{what}', {number}, {_NOW}"
        f" WHERE NOT EXISTS (SELECT 1 FROM sync_changed WHERE {same});"
    )

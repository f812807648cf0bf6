"""Schema migrations for what comes from other apps. `migrations` runs them."""

import sqlite3


def add_incoming(connection: sqlite3.Connection) -> None:
    """What another app knew of episodes.

    `waiting_episodes` belong to no episode yet: their feed may bring it. `rank` is the one in the queue, `heard` a JSON
    array of spans. `brought` says what was applied to an episode already, so that importing the same again changes
    nothing. `act_positions` has positions before and after an import; NULL is none. `act_id` is the import, which may
    be undone, and may be forgotten.
    """
    connection.execute(
        """
        CREATE TABLE waiting_episodes (
            podcast_id INTEGER NOT NULL REFERENCES podcasts (id) ON DELETE CASCADE,
            fingerprint INTEGER NOT NULL,
            act_id INTEGER NOT NULL,
            guid TEXT NOT NULL,
            url TEXT NOT NULL,
            title TEXT NOT NULL,
            published INTEGER,
            played INTEGER NOT NULL,
            position_ms INTEGER NOT NULL,
            changed_at INTEGER,
            starred INTEGER NOT NULL,
            rank INTEGER,
            heard TEXT NOT NULL,
            PRIMARY KEY (podcast_id, fingerprint)
        ) WITHOUT ROWID
        """
    )
    connection.execute(
        """
        CREATE TABLE brought (
            episode_id INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
            fingerprint INTEGER NOT NULL,
            act_id INTEGER NOT NULL,
            PRIMARY KEY (episode_id, fingerprint)
        ) WITHOUT ROWID
        """
    )
    connection.execute(
        """
        CREATE TABLE act_positions (
            act_id INTEGER NOT NULL,
            episode_id INTEGER NOT NULL,
            position_ms INTEGER,
            saved_at INTEGER,
            byte INTEGER,
            file_size INTEGER,
            guessed INTEGER,
            new_position_ms INTEGER NOT NULL,
            new_saved_at INTEGER NOT NULL,
            PRIMARY KEY (act_id, episode_id)
        ) WITHOUT ROWID
        """
    )

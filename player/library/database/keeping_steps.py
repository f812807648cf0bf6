"""Schema migrations for finding and keeping episodes. `migrations` runs them."""

import sqlite3


def add_download_queue(connection: sqlite3.Connection) -> None:
    """What is to be downloaded, and more about what has been.

    `why` is `manual`, or names the rule that wanted the episode. `size` is that of the file; `original_size` and
    `original_head` are of the file as the server sent it: all of it, and the tags before the audio. `rank` orders the
    queue; ranks have gaps, and may be negative. `state` is `waiting`, `paused` or `failed`; `problem` and `advice` make
    a sentence about the last failure. `path` is where a complete file is about to be put.
    """
    for column in (
        "downloaded_at INTEGER",
        "size INTEGER",
        "why TEXT NOT NULL DEFAULT 'manual'",
        "original_size INTEGER",
        "original_head INTEGER",
    ):
        connection.execute(f"ALTER TABLE downloads ADD COLUMN {column}")
    connection.execute(
        """
        CREATE TABLE download_queue (
            episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
            rank INTEGER NOT NULL,
            state TEXT NOT NULL,
            why TEXT NOT NULL,
            asked_at INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            retry_at INTEGER,
            problem TEXT NOT NULL DEFAULT '',
            advice TEXT NOT NULL DEFAULT '',
            path TEXT NOT NULL DEFAULT ''
        )
        """
    )
    connection.execute("CREATE INDEX download_queue_by_rank ON download_queue (rank)")

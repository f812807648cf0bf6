"""Schema migrations for the rules that download by themselves. `migrations` runs them."""

import sqlite3


def add_download_rules(connection: sqlite3.Connection) -> None:
    """What is set for podcasts and lists, what rules must not forget of episodes, and files that were moved aside.

    `podcast_settings.download_newest`: NULL as for all podcasts, 0 nothing. `list_downloads` has the lists whose first
    `most` episodes are downloaded. In `download_notes`, `refusal` is why no rule downloads the episode again: `deleted`
    (by hand), `failed`, `cleaned`, or "" for nothing; `size` is what its file had in bytes. Triggers write there, so
    that whatever deletes a download is noticed. `downloads.played_at` is when the rules first saw it played.

    `download_trash` has the files that rules moved aside. `act_id` is the act that undoing takes back; after that
    `restored` is 1, until it is done again. It has no foreign keys, since a file outlives its episode.
    """
    for column in (
        "download_newest INTEGER",
        "download_include TEXT NOT NULL DEFAULT ''",
        "download_exclude TEXT NOT NULL DEFAULT ''",
        "download_at_least_ms INTEGER",
        "download_under_ms INTEGER",
    ):
        connection.execute(f"ALTER TABLE podcast_settings ADD COLUMN {column}")
    connection.execute("ALTER TABLE downloads ADD COLUMN played_at INTEGER")
    connection.execute(
        """
        CREATE TABLE list_downloads (
            list_id INTEGER PRIMARY KEY REFERENCES lists (id) ON DELETE CASCADE,
            most INTEGER NOT NULL
        )
        """
    )
    connection.execute(
        """
        CREATE TABLE download_notes (
            episode_id INTEGER PRIMARY KEY REFERENCES episodes (id) ON DELETE CASCADE,
            refusal TEXT NOT NULL,
            size INTEGER
        )
        """
    )
    connection.execute(
        """
        CREATE TABLE download_trash (
            episode_id INTEGER PRIMARY KEY,
            act_id INTEGER NOT NULL,
            restored INTEGER NOT NULL DEFAULT 0,
            trashed_at INTEGER NOT NULL,
            trashed TEXT NOT NULL,
            path TEXT NOT NULL,
            downloaded_at INTEGER,
            size INTEGER,
            why TEXT NOT NULL,
            original_size INTEGER,
            original_head INTEGER
        )
        """
    )
    _add_triggers(connection)


def keep_refusals_of_the_trash(connection: sqlite3.Connection) -> None:
    """Why no rule downloads again what was moved aside, so that doing it again after an undo leaves it the same."""
    connection.execute("ALTER TABLE download_trash ADD COLUMN refusal TEXT NOT NULL DEFAULT 'cleaned'")


def _add_triggers(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TRIGGER deleted_download_is_noted AFTER DELETE ON downloads
        WHEN EXISTS (SELECT 1 FROM episodes WHERE id = OLD.episode_id) BEGIN
            INSERT OR REPLACE INTO download_notes (episode_id, refusal, size)
            VALUES (OLD.episode_id, 'deleted', OLD.size);
        END
        """
    )
    connection.execute(
        """
        CREATE TRIGGER cancelled_download_is_noted AFTER DELETE ON download_queue
        WHEN OLD.why <> 'manual' AND EXISTS (SELECT 1 FROM episodes WHERE id = OLD.episode_id)
            AND NOT EXISTS (SELECT 1 FROM downloads WHERE episode_id = OLD.episode_id) BEGIN
            INSERT OR IGNORE INTO download_notes (episode_id, refusal) VALUES (OLD.episode_id, 'deleted');
            UPDATE download_notes SET refusal = 'deleted' WHERE episode_id = OLD.episode_id;
        END
        """
    )
    connection.execute(
        """
        CREATE TRIGGER download_ends_refusal AFTER INSERT ON downloads BEGIN
            DELETE FROM download_notes WHERE episode_id = NEW.episode_id;
        END
        """
    )

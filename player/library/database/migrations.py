"""The schema as numbered migrations. Each runs once, in its own transaction, and is never edited after a release."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from player.library.database import first_steps, keeping_steps, listening_steps
from player.library.database.sqlite_errors import damaged
from player.library.database.steps import download_rules, incoming, previews, syncing
from player.text.sentences import _

TABLES = frozenset({"podcasts", "podcast_counts", "episodes", "details", "progress", "state", "search_changes"})


STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    first_steps.create_library,
    first_steps.add_feed_extras,
    first_steps.add_feed_schedules,
    first_steps.add_byte_positions,
    first_steps.add_search_changes,
    first_steps.add_downloads,
    first_steps.count_new_episodes_together,
    first_steps.add_attachments,
    first_steps.index_transcripts,
    first_steps.index_people,
    first_steps.drop_unplayed_indexes,
    first_steps.add_listening_history,
    first_steps.add_podcast_settings,
    listening_steps.add_queue,
    listening_steps.add_inbox,
    listening_steps.add_lists,
    listening_steps.add_names_tags_and_pins,
    listening_steps.add_bookmarks,
    listening_steps.add_undo,
    listening_steps.keep_history_of_removed_episodes,
    listening_steps.add_undo_for_podcasts,
    keeping_steps.add_download_queue,
    previews.add_previews,
    incoming.add_incoming,
    download_rules.add_download_rules,
    syncing.add_syncing,
    download_rules.keep_refusals_of_the_trash,
)
"""Step n takes a library from user_version n - 1 to n."""


def latest() -> int:
    """The schema version of this version of Earmark."""
    return len(STEPS)


def migrate(connection: sqlite3.Connection, path: Path) -> bool:
    """Runs the steps that the library at `path` lacks; True when it was new.

    Raises sqlite3.Error, or DamagedLibrary when a row refers to one that doesn't exist; a step that fails leaves no
    trace.
    """
    version = user_version(connection)
    if version == latest():
        return False
    is_new = version == 0
    # A step that rebuilds a table must not delete the rows that refer to it; foreign keys are checked after each step.
    connection.execute("PRAGMA foreign_keys = OFF")
    # A new library has nothing to lose between two steps: one transaction for all takes a third of the time.
    steps = [STEPS[version:]] if is_new else [(step,) for step in STEPS[version:]]
    for together in steps:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for step in together:
                step(connection)
            if connection.execute("PRAGMA foreign_key_check").fetchone():
                raise damaged(path, _("The library {file} has rows that belong to nothing", file=path))
            version += len(together)
            connection.execute(f"PRAGMA user_version = {version}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    connection.execute("PRAGMA foreign_keys = ON")
    return is_new


def user_version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)

"""The schema as numbered migrations. Each runs once, in its own transaction, and is never edited after a release."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from player.library.database import first_steps, listening_steps
from player.library.database.sqlite_errors import damaged
from player.text.sentences import _

TABLES = frozenset({"podcasts", "podcast_counts", "episodes", "details", "progress", "state", "search_changes"})


STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    first_steps.first_library,
    first_steps.what_feeds_say_besides,
    first_steps.when_feeds_are_asked,
    first_steps.where_in_the_bytes,
    first_steps.what_the_search_must_forget,
    first_steps.what_is_downloaded,
    first_steps.new_episodes_are_counted_together,
    first_steps.what_goes_with_an_episode,
    first_steps.what_is_said_can_be_found,
    first_steps.who_is_heard_is_found,
    first_steps.the_unplayed_stand_among_the_others,
    first_steps.what_was_heard_and_when,
    first_steps.what_is_set_for_one_podcast,
    listening_steps.episodes_wait_in_a_queue,
    listening_steps.new_episodes_wait_in_an_inbox,
    listening_steps.lists_are_made_by_hand_and_by_search,
    listening_steps.podcasts_have_names_tags_and_pins,
    listening_steps.moments_are_bookmarked,
    listening_steps.acts_can_be_undone,
    listening_steps.the_history_knows_what_is_gone,
    listening_steps.podcasts_are_arranged_by_acts,
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

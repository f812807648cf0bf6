"""What many tests begin with, made once for each process of the tests and copied from then on."""

import sqlite3
from functools import cache
from pathlib import Path

from player.library.database import migrations


def migrate(connection: sqlite3.Connection, path: Path) -> bool:
    """As the library's own, which makes the first new library; the pages of the others are copied from that one."""
    if migrations.user_version(connection) != 0 or migrations.STEPS is not _STEPS:
        return migrations.migrate(connection, path)
    _new_library().backup(connection)
    return True


_STEPS = migrations.STEPS


@cache
def _new_library() -> sqlite3.Connection:
    made = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    migrations.migrate(made, Path())
    return made

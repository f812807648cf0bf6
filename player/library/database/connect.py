"""Opens one SQLite connection to a library."""

import sqlite3
from pathlib import Path
from urllib.parse import quote

from player.text.cleaning import fold


def connect(path: Path, patience_ms: int, *, mode: str = "rwc", immutable: bool = False) -> sqlite3.Connection:
    """Opens a connection in autocommit mode that waits `patience_ms` for other processes. Raises sqlite3.Error."""
    uri = f"file:{quote(str(path))}?mode={mode}" + ("&immutable=1" if immutable else "")
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=patience_ms / 1000, cached_statements=256
    )
    connection.create_function("fold", 1, fold, deterministic=True)
    return connection

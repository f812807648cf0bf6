"""Small things that survive a restart: speed, volume, theme."""

from player.library.database.connections import Connections
from player.library.database.values import check_kinds


class AppState:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def get(self, key: str) -> str | None:
        with self._connections.reading() as connection:
            row = connection.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
            if row:
                check_kinds(row)
                return str(row[0])
        return None

    def all(self) -> dict[str, str]:
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT key, value FROM state").fetchall()
            for row in rows:
                check_kinds(row)
        return dict(rows)

    def set(self, key: str, value: str) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                "INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )

    def has_sync_account(self) -> bool:
        """Whether there is an account to sync with. Called at every start, so it loads no other module."""
        with self._connections.reading() as connection:
            return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM sync_account)").fetchone()[0])

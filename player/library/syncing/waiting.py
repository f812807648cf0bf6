"""Whether anything waits for episodes. Asked whenever a feed has brought some: nothing else is loaded for that."""

from player.library.database.connections import Connections


def is_waiting(connections: Connections) -> bool:
    with connections.reading() as connection:
        return connection.execute("SELECT 1 FROM sync_actions WHERE episode_id IS NULL LIMIT 1").fetchone() is not None

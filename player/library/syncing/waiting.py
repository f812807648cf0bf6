"""Whether anything waits for episodes. Called whenever a feed has brought episodes, so it loads no other module."""

from player.library.database.connections import Connections

_WAITING = (
    "SELECT 1 FROM sync_actions WHERE episode_id IS NULL UNION ALL SELECT 1 FROM sync_spans WHERE waits = 1"
    " UNION ALL SELECT 1 FROM sync_facts WHERE kind = 'dismissed' AND is_applied = 0 LIMIT 1"
)


def is_waiting(connections: Connections) -> bool:
    with connections.reading() as connection:
        return connection.execute(_WAITING).fetchone() is not None

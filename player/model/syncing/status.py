"""How syncing stands, for whoever shows it."""

from datetime import datetime

from msgspec import Struct

from player.model.syncing.outcomes import SyncCounts, SyncState
from player.model.syncing.targets import SyncAccount


class SyncStatus(Struct, frozen=True):
    """`account` None: syncing isn't set up. `busy`: a round is under way; `rounds` have ended in this process. What the
    target said last is in `state`. `next_at`: when a round that failed is tried again."""

    account: SyncAccount | None = None
    busy: bool = False
    rounds: int = 0
    state: SyncState = SyncState()
    counts: SyncCounts = SyncCounts()
    next_at: datetime | None = None

    @property
    def under_way(self) -> int:
        """How many rounds have begun. A round that is under way may have read everything already, so what changes now
        is in the round after these."""
        return self.rounds + self.busy

"""How syncing stands, for whoever shows it."""

from msgspec import Struct

from player.model.syncing.outcomes import SyncCounts, SyncState
from player.model.syncing.targets import SyncAccount


class SyncStatus(Struct, frozen=True):
    """`account` None: syncing isn't set up. `busy`: a round is under way; `rounds` have ended in this process. What the
    target said last is in `state`."""

    account: SyncAccount | None = None
    busy: bool = False
    rounds: int = 0
    state: SyncState = SyncState()
    counts: SyncCounts = SyncCounts()

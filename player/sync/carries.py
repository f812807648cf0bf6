"""What each way to sync carries, known without loading it."""

from collections.abc import Mapping

from player.model.syncing import Carried, TargetKind

_SERVERS = frozenset({Carried.POSITIONS, Carried.PLAYED, Carried.UNPLAYED, Carried.SUBSCRIPTIONS})

CARRIES: Mapping[TargetKind, frozenset[Carried]] = {
    TargetKind.GPODDER: _SERVERS,
    TargetKind.NEXTCLOUD: _SERVERS,
    TargetKind.FOLDER: frozenset(Carried),
}

"""The target of an account; only its own modules are loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from player.model.syncing import SyncAccount, TargetKind
from player.paths import Paths
from player.sync.target import SyncTarget

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Login


_CONNECT_S, _SILENCE_S = 10.0, 30.0


def own_network() -> NetworkLoop:
    """For a process that has none yet; its user closes it."""
    from player.net.loop import NetworkLoop

    return NetworkLoop(_CONNECT_S, _SILENCE_S)


def target_of(account: SyncAccount, paths: Paths, login: Login, network: NetworkLoop) -> SyncTarget:
    """`login` finds the name and password for a server. Asks nothing of the network or the folder yet."""
    match account.target:
        case TargetKind.FOLDER:
            from player.sync.folder.folder_target import FolderTarget

            return FolderTarget(Path(account.address), account.device, account.name, paths.sync_folder)
        case TargetKind.GPODDER:
            from player.sync.gpodder.target import GpodderTarget

            return GpodderTarget(account, network, login)
        case TargetKind.NEXTCLOUD:
            from player.sync.nextcloud.target import NextcloudTarget

            return NextcloudTarget(account, network, login)

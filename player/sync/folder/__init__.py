"""Sync through a folder: append-only journals, one writer each, that every device reads as far as they go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from player.errors import EarmarkError
from player.model.syncing import Carried, Pulled, SyncAccount
from player.sync.target import SyncTarget
from player.sync.ways import Field, Means, Way
from player.text.sentences import _, mark

if TYPE_CHECKING:
    from player.paths import Paths


class Folder(Way):
    name = "folder"
    place = 90
    title = mark("folder")
    listed = mark("A folder")
    through = mark("a folder")
    summary = mark("everything, no server")
    about = mark("Between Earmarks: Syncthing, Dropbox, a USB stick, or any other folder that all of them see.")
    note = mark("The same folder on every device. Earmark makes earmark-sync in it.")
    example = "~/Sync"
    fields = (Field("address", mark("Folder"), "~/Sync"),)
    carries = frozenset(Carried)
    step_ms = 1
    needs_network = False

    def address(self, typed: str) -> str:
        """The path of a folder that exists."""
        from player.links.addresses import with_home

        path = with_home(typed).absolute()
        if not path.is_dir():
            raise EarmarkError(_("There is no folder {path}", path=path), _("Make it, or correct the path."))
        return str(path)

    def target(self, account: SyncAccount, means: Means) -> SyncTarget:
        from player.sync.folder.folder_target import FolderTarget

        return FolderTarget(Path(account.address), account.device, account.name, means.paths.sync_folder)

    def look(self, account: SyncAccount, target: SyncTarget) -> Pulled:  # noqa: ARG002 - which may know another folder
        from player.sync.folder.folder_target import look_into

        return look_into(Path(account.address))

    def join(self, account: SyncAccount, paths: Paths) -> None:
        from player.sync.folder.folder_target import join_folder

        join_folder(Path(account.address), paths.sync_folder)

    def leave(self, paths: Paths) -> None:
        paths.sync_folder.unlink(missing_ok=True)


WAY = Folder()

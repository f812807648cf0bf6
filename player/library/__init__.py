"""The library: everything Earmark remembers, in one SQLite file. All SQL of the project is in this package."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from player.library.attachments import Attachment, AttachmentKind
    from player.library.database.backups import Backup, BackupContents, FoundBackup
    from player.library.database.sqlite_errors import Interrupted
    from player.library.episodes import EpisodeDetails
    from player.library.library import Library
    from player.library.lists.listing import Listing, WholeList, WithRow
    from player.library.lists.row_window import Fetch, RowsRead, RowWindow, read_rows
    from player.library.podcasts import Applied
    from player.library.remembered import Remembered
    from player.library.repair import Repair, damage_of

_WHERE = {
    "Applied": "podcasts",
    "Attachment": "attachments",
    "AttachmentKind": "attachments",
    "Backup": "database.backups",
    "BackupContents": "database.backups",
    "EpisodeDetails": "episodes",
    "Fetch": "lists.row_window",
    "FoundBackup": "database.backups",
    "Interrupted": "database.sqlite_errors",
    "Library": "library",
    "Listing": "lists.listing",
    "Remembered": "remembered",
    "Repair": "repair",
    "RowWindow": "lists.row_window",
    "RowsRead": "lists.row_window",
    "WholeList": "lists.listing",
    "WithRow": "lists.listing",
    "damage_of": "repair",
    "read_rows": "lists.row_window",
}
"""The module of each name, loaded at first use: a shell that completes names needs none of them."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _WHERE:
            raise AttributeError(name)
        return getattr(import_module(f"player.library.{_WHERE[name]}"), name)


__all__ = [
    "Applied",
    "Attachment",
    "AttachmentKind",
    "Backup",
    "BackupContents",
    "EpisodeDetails",
    "Fetch",
    "FoundBackup",
    "Interrupted",
    "Library",
    "Listing",
    "Remembered",
    "Repair",
    "RowWindow",
    "RowsRead",
    "WholeList",
    "WithRow",
    "damage_of",
    "read_rows",
]

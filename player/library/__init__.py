"""The library: everything Earmark remembers, in one SQLite file. All SQL of the project is in this package."""

from player.library.attachments import Attachment, AttachmentKind
from player.library.database.backups import Backup
from player.library.database.sqlite_errors import Interrupted
from player.library.episodes import EpisodeDetails
from player.library.library import Library
from player.library.lists.listing import Listing, WholeList, WithRow
from player.library.lists.row_window import Fetch, RowsRead, RowWindow, read_rows
from player.library.podcasts import Applied
from player.library.remembered import Remembered
from player.library.repair import Repair, damage_of

__all__ = [
    "Applied",
    "Attachment",
    "AttachmentKind",
    "Backup",
    "EpisodeDetails",
    "Fetch",
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

"""Pocket Casts: its OPML is read as any other. Its database, which the app for iOS exports as a zip file (tables
`SJPodcast` and `SJEpisode` of its public source), names no feeds, and its server's answers aren't documented: Earmark
says what can be imported instead.
"""

from pathlib import Path
from typing import NoReturn

from player.errors import TransferError
from player.library.foreign.database import database_in, names_in, recognised
from player.text.sentences import _

_DATABASES = (".sqlite3", ".sqlite", ".db")


class PocketCastsReader:
    def recognises(self, path: Path, start: bytes) -> bool:
        if not any(name.lower().endswith(_DATABASES) for name in names_in(path, start)):
            return recognised(path, start, "SJEpisode", "uuid")
        try:
            with (
                database_in(path, lambda name: name.lower().endswith(_DATABASES)) as database,
                database.open("rb") as file,
            ):
                return recognised(database, file.read(100), "SJEpisode", "uuid")
        except TransferError:
            return False

    def read(self, path: Path) -> NoReturn:
        raise TransferError(
            _("The database of Pocket Casts in {file} doesn't name the feeds of its podcasts", file=path),
            _("In Pocket Casts, export your podcasts as OPML (Settings, Import & Export), and import that."),
        )

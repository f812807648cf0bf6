"""The companions of episodes, for commands that run without a player."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tui.cli.command import Context

if TYPE_CHECKING:
    from player.attachments import Companions
    from player.library import Library


@contextmanager
def companions_of(context: Context, library: "Library") -> Iterator["Companions"]:
    """Those of the episodes in an open library."""
    from player.attachments import Companions
    from player.events import Bus
    from player.media import MediaStore
    from player.net.credentials import Credentials

    store = MediaStore(
        context.paths,
        login=Credentials(context.paths.logins).find,
        downloaded=lambda episode: library.downloads.path(episode.id),
    )
    companions = Companions(library, store, Bus(), language=context.settings.transcripts.language)
    try:
        yield companions
    finally:
        companions.close()

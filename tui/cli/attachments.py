"""Chapters and transcripts of episodes, for commands that run without a player."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tui.cli.command import Context

if TYPE_CHECKING:
    from player.attachments.attachments import Attachments
    from player.library import Library


@contextmanager
def attachments_of(context: Context, library: "Library") -> Iterator["Attachments"]:
    """The attachments of an open library's episodes."""
    from player.attachments.attachments import Attachments
    from player.events import Bus
    from player.media import MediaStore
    from player.net.credentials import Credentials
    from player.sources.youtube.videos import Videos

    store = MediaStore(
        context.paths,
        login=Credentials(context.paths.logins).find,
        downloaded=lambda episode: library.downloads.get(episode.id),
        feed=lambda episode: library.podcasts.get(episode.podcast_id).url,
        pages=Videos(),
    )
    attachments = Attachments(library, store, Bus(), language=context.settings.transcripts.language)
    try:
        yield attachments
    finally:
        attachments.close()

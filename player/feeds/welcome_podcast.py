"""Reads the built-in podcast's episodes from the package before anything is shown."""

from typing import TYPE_CHECKING

from player.model.podcast import WELCOME_URL, Podcast

if TYPE_CHECKING:
    from player.library import Library


def unpack_welcome(library: "Library") -> Podcast | None:
    """Reads its feed unless that was done before; needs no network. Returns it, or None when the listener removed it.

    Raises LibraryError.
    """
    welcome = library.podcasts.by_url(WELCOME_URL)
    if welcome and welcome.last_refreshed is None:
        # Only once for a library: later starts don't import the feed parsers.
        from player.events import Bus
        from player.feeds.refresh import Refresher

        Refresher(library, Bus()).refresh([welcome.id])
    return welcome

"""The built-in show gets its episodes from the package, before anything is shown."""

from player.events import Bus
from player.feeds.library import FeedLibrary
from player.feeds.refresh import Refresher
from player.model import WELCOME_URL


def unpack_welcome(library: FeedLibrary) -> None:
    """Reads the show's feed unless that was done; it costs no network. Raises LibraryError."""
    welcome = library.podcasts.by_url(WELCOME_URL)
    if welcome and welcome.last_refreshed is None:
        Refresher(library, Bus()).refresh([welcome.id])

"""Lists of what can be played offline, while the listener wants no others."""

from msgspec.structs import replace

from player.model.filters import View, ViewName
from player.player import Player

_WHOLE = frozenset({ViewName.QUEUE, ViewName.HISTORY, ViewName.BOOKMARKS, ViewName.DOWNLOADS})
"""Views that stay as they are: rows of the queue are moved among all others, and what is downloaded can be played."""


def playable(player: Player, view: View) -> View:
    """The view with nothing in it but what can be played now, while that is wanted. Reads the library; raises
    LibraryError."""
    if not player.network.only_here or view.name in _WHOLE:
        return view
    return replace(view, filter=replace(view.filter, here=player.network.cached_ids()))

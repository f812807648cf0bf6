"""What an episode list shows whose filter has words."""

from collections.abc import Callable

from msgspec.structs import replace

from player.library.episodes import Episodes
from player.library.lists.compiler import BY_DATE
from player.library.lists.listing import MOST_FILTERED, Listing, WholeList
from player.library.search.search import EpisodeSearch
from player.model.filters import EVERYTHING, Order, State, View


def filtered(search: EpisodeSearch, episodes: Episodes, view: View, cancelled: Callable[[], bool]) -> Listing:
    """A view with words or a title, which no podcast's name has. Raises Interrupted."""
    if view.filter.needs_words:
        return _with_words(search, episodes, view, cancelled)
    found = _with_title(search, episodes, view, cancelled)
    return episodes.listing(view, cancelled) if found is None else found


def _with_words(search: EpisodeSearch, episodes: Episodes, view: View, cancelled: Callable[[], bool]) -> Listing:
    """Of a search, in the view's order."""
    if view.order is Order.NEWEST:
        ids = search.ids(view.filter, MOST_FILTERED + 1, cancelled=cancelled)
        found = episodes.among(ids[:MOST_FILTERED], View())
        found.more = len(ids) > MOST_FILTERED
        return found
    ids, sorts = search.in_order(view.filter, view.order, MOST_FILTERED + 1, cancelled)
    in_order = sorts[:MOST_FILTERED] if view.order in BY_DATE else None
    return WholeList(ids[:MOST_FILTERED], more=len(ids) > MOST_FILTERED, sorts=in_order)


def _with_title(
    search: EpisodeSearch, episodes: Episodes, view: View, cancelled: Callable[[], bool]
) -> WholeList | None:
    """Titles that the full-text index finds; None if all titles have to be searched."""
    of_everything = replace(view.whole.filter, states=view.filter.states - {State.UNPLAYED}) == EVERYTHING
    found = search.titles(view.title, MOST_FILTERED, cancelled) if of_everything and view.order in BY_DATE else None
    if found is not None and view.whole == View():
        return WholeList(found.ids, more=found.more)
    if found is not None and not found.more:
        return episodes.among(found.ids, view.whole)
    return None

"""The episodes of a list that the listener made."""

from array import array
from collections.abc import Callable

from msgspec.structs import replace

from player.library.episodes import Episodes
from player.library.listening.lists import Lists
from player.library.lists.compiler import BY_DATE
from player.library.lists.listing import FirstRows, Listing, WholeList
from player.model.filters import EVERYTHING, EpisodeFilter, ListId, Order, SavedList, View, ViewSettings


def contents(lists: Lists, episodes: Episodes, view: View, listing: Callable[[View], Listing]) -> Listing:
    """What `view.list_id` has, narrowed by the view's filter and in its order; nothing of a list that is gone.

    `listing` reads any other view.
    """
    saved = None if view.list_id is None else lists.get(view.list_id)
    if saved is None:
        return WholeList(array("q"))
    if saved.query is None:
        return _in_order(episodes, lists.episodes(saved.id), view)
    from player.library.search.query import parse  # its patterns are compiled when somebody needs them

    query = parse(saved.query)
    own = query.order or Order.NEWEST
    if (chosen := episodes.with_podcasts(query.filter)) is None:
        return WholeList(array("q"))
    if query.limit is None:
        return listing(View(filter=_both(chosen, view.filter), order=order_of(saved, view)))
    first = FirstRows(listing(View(filter=chosen, order=own)), query.limit)
    if view.order is Order.OWN and view.filter == EVERYTHING:
        return first
    ids = first.page(0, query.limit)
    return _in_order(episodes, ids, replace(view, order=own) if view.order is Order.OWN and own in BY_DATE else view)


def order_of(saved: SavedList, view: View) -> Order:
    """In which its episodes stand; OWN only for a playlist as it was put by hand."""
    from player.library.search.query import parse

    if view.order is not Order.OWN or saved.query is None:
        return view.order
    return parse(saved.query).order or Order.NEWEST


def by_date(saved: SavedList, episodes: Episodes, view: View) -> View | None:
    """A smart list as a view that needn't be read whole; None where it has a limit, or no order by date, or needs the
    index of words, or names no podcast that there is."""
    from player.library.search.query import parse

    order = order_of(saved, view)
    query = parse(saved.query or "")
    if saved.query is None or query.limit is not None or order not in BY_DATE or query.filter.needs_words:
        return None
    chosen = episodes.with_podcasts(query.filter)
    return None if chosen is None else View(filter=_both(chosen, view.filter), order=order)


def unplayed(listing: Callable[[View], Listing], list_id: ListId) -> tuple[int, bool]:
    """How many episodes of a list are unplayed, and whether there are more than were counted."""
    found = listing(View.of_list(list_id).shown(ViewSettings(hide_played=True)))
    return len(found), found.more


def problems_of(saved: SavedList) -> tuple[str, ...]:
    """What of a smart list's search isn't understood. The space says that nobody is typing any more."""
    from player.library.search.query import parse

    return () if saved.query is None else parse(f"{saved.query} ").problems


def _in_order(episodes: Episodes, ids: "array[int]", view: View) -> Listing:
    """Some episodes narrowed by the view's filter; as they stand, or in the order that the view has of its own."""
    if view.order is not Order.OWN:
        return episodes.among(ids, View(filter=view.filter, order=view.order))
    if view.filter == EVERYTHING:
        return WholeList(ids)
    fitting = set(episodes.among(ids, View(filter=view.filter)).ids)
    return WholeList(array("q", (one for one in ids if one in fitting)))


def _both(chosen: EpisodeFilter, more: EpisodeFilter) -> EpisodeFilter:
    title = f"{chosen.title} {more.title}".strip()
    return replace(chosen, title=title, names=more.names, states=chosen.states | more.states, here=more.here)

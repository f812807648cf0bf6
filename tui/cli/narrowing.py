"""Which episodes --filter lets through, and the index of words, brought up to date before a command asks it."""

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from player.library import Library
from player.model.filters import EpisodeFilter, Order, State, View
from player.text.sentences import plural
from tui.cli.command import passing

if TYPE_CHECKING:
    from player.library.history.sessions import Session
    from player.library.search.query import Query
    from player.model.episode import EpisodeId
    from player.model.listening import Bookmark


Moment = TypeVar("Moment", "Bookmark", "Session")

_MANY = 5000
"""Episodes that take more than half a second to index."""


def catch_up(library: Library) -> None:
    """Indexes the episodes that are new since the last search."""
    left = library.search.left()
    if left > _MANY:
        passing(plural(left, "Indexing {n:,} episode…", "Indexing {n:,} episodes…"))
    library.search.catch_up()
    if left > _MANY:
        passing("")


ALL = 2**31
"""More episodes than there are."""


def found(library: Library, view: View, query: "Query", most: int) -> "array[int]":
    """At most `most` episodes of a view that fit, in the order of the query, else of the view. The view is everything,
    a podcast's episodes, or those in some state."""
    if (chosen := _both(view.filter, query.filter)) is None:
        return array("q")
    if chosen.needs_words:
        catch_up(library)
    order, most = query.order or view.order, min(most, query.limit or most)
    if order is Order.NEWEST:
        return library.search.ids(chosen, most)
    return library.search.in_order(chosen, order, most).ids


def fitting(library: Library, ids: "Sequence[EpisodeId] | array[int]", query: "Query | None") -> "array[int]":
    """Those of `ids` that fit, in their order unless the query has another. Without a query all of them."""
    ids = array("q", ids)
    if query is None:
        return ids
    chosen = library.episodes.with_podcasts(query.filter)
    if chosen is None:
        return array("q")
    if chosen.needs_words:
        catch_up(library)
        among = set(library.search.ids(chosen, ALL))
    else:
        among = set(library.episodes.among(ids, View(filter=chosen)).ids)
    kept = array("q", (one for one in ids if one in among))
    if query.order is not None:
        kept = library.episodes.among(kept, View(order=query.order)).ids
    return kept[: query.limit]


def about_fitting(library: Library, moments: Sequence[Moment], query: "Query | None") -> list[Moment]:
    """Those about episodes that fit, in their order. However many fit: the limit of the query is left to the caller."""
    if query is None:
        return list(moments)
    ids = [one.episode_id for one in moments if one.episode_id is not None]
    among = set(fitting(library, ids, replace(query, limit=None)))
    return [one for one in moments if one.episode_id in among]


def _both(one: EpisodeFilter, other: EpisodeFilter) -> EpisodeFilter | None:
    """None where no episode can fit both. `one` has podcasts and states alone."""
    podcasts = one.podcasts & other.podcasts if one.podcasts and other.podcasts else one.podcasts | other.podcasts
    if (one.podcasts and not podcasts) or {State.PLAYED, State.UNPLAYED} <= one.states | other.states:
        return None
    return replace(other, podcasts=podcasts, states=one.states | other.states)

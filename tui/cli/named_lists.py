"""The lists of the sidebar by name, the episodes of each as the app shows them, and which of them --filter lets
through; the index of words is brought up to date before a command asks it.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from player.errors import Ambiguous, NotFound
from player.library import Library, Listing, WholeList
from player.library.listening.lists import problems_of
from player.model.episode import EpisodeId
from player.model.filters import EVERYTHING, EpisodeFilter, Order, SavedList, State, View, ViewName, ViewSettings
from player.text.cleaning import clean_line, fold
from player.text.sentences import _, plural
from tui.cli.command import passing
from tui.drawing.labels import view_title

if TYPE_CHECKING:
    from player.library import Library
    from player.library.history.sessions import Session
    from player.library.search.query import Query
    from player.model.episode import EpisodeId
    from player.model.listening import Bookmark
    from player.model.segments import Segment


_BUILT_IN = (
    ViewName.NEW,
    ViewName.QUEUE,
    ViewName.IN_PROGRESS,
    ViewName.STARRED,
    ViewName.DOWNLOADS,
    ViewName.BOOKMARKS,
    ViewName.HISTORY,
    ViewName.ALL,
)
_SHOWN = 4


class NamedList(Struct, frozen=True):
    """`saved` is the smart list or playlist that it is; None: a built-in one. `settings` is how the listener wants it
    shown."""

    view: View
    settings: ViewSettings
    saved: SavedList | None = None

    @property
    def title(self) -> str:
        return view_title(self.view, None, self.saved)

    @property
    def name(self) -> str:
        """What scripts call it."""
        return self.view.name.value if self.saved is None else self.saved.title

    @property
    def shown(self) -> View:
        return self.view.shown(self.settings)

    @property
    def problems(self) -> tuple[str, ...]:
        """What of a smart list's search isn't understood."""
        return () if self.saved is None else problems_of(self.saved)


def named_lists(library: "Library", *, inbox: bool = True) -> list[NamedList]:
    """In the order of the sidebar; New only where there is an inbox."""
    settings = library.view_settings.get
    views = [View.of(name) for name in _BUILT_IN if inbox or name is not ViewName.NEW]
    built_in = [NamedList(view, settings(view.key)) for view in views]
    own = [(View.of_list(saved.id), saved) for saved in library.lists.all()]
    return [*built_in, *(NamedList(view, settings(view.key), saved) for view, saved in own)]


def find_list(library: "Library", text: str) -> NamedList:
    """By the name of a built-in list, or by ID, by title or a part of it. Raises NotFound or Ambiguous."""
    wanted = fold(text.strip())
    ranked = [(_rank(one, wanted), one) for one in named_lists(library) if wanted]
    best = min((rank for rank, _list in ranked if rank is not None), default=None)
    found = [one for rank, one in ranked if rank is not None and rank == best]
    shown = clean_line(text, 80)
    if not found:
        raise NotFound(_("No list matches “{text}”", text=shown), _("See `earmark lists`."))
    if len(found) > 1:
        titles = ", ".join(f"“{clean_line(one.title, 60)}”" for one in found[:_SHOWN])
        more = _(" and more") if len(found) > _SHOWN else ""
        raise Ambiguous(
            _("“{text}” matches several lists: {matches}{more}", text=shown, matches=titles, more=more),
            _("See `earmark lists`."),
        )
    return found[0]


def _rank(one: NamedList, wanted: str) -> int | None:
    """How well it fits, 0 best; None: not at all. A list of the listener's that is called like a built-in one goes by
    its ID."""
    title = fold(one.title)
    if one.saved is None and wanted in (one.name, one.name.replace("_", "-"), title):
        return 0
    if one.saved is not None and wanted == str(one.saved.id):
        return 0
    if wanted == title:
        return 1
    return 2 if title.startswith(wanted) else 3 if wanted in title else None


def listing_of(library: "Library", view: View) -> Listing:
    """Its episodes, each of them once: those of Bookmarks and History, too, in the order of the list."""
    ids = _moments(library, view)
    return library.listing(view) if ids is None else _fitting(library, ids, view)


def with_unplayed(library: "Library", view: View, heard: EpisodeId | None = None) -> tuple[Listing, Listing]:
    """All its episodes, and those that the sidebar counts: what isn't played; of the queue what is to come, played
    before or not, without the episode that is being `heard`."""
    if view.name is ViewName.QUEUE:
        return library.listing(view), WholeList(array("q", (one for one in library.queue.ids() if one != heard)))
    if (ids := _moments(library, view)) is None:
        return library.listing(view), library.listing(unplayed(view))
    return _fitting(library, ids, view), _fitting(library, ids, unplayed(view))


def _moments(library: "Library", view: View) -> "array[int] | None":
    """The episodes of a list of moments, which may take long to read; None: the view is a list of episodes."""
    match view.name:
        case ViewName.BOOKMARKS:
            ids = [int(one.episode_id) for one in library.bookmarks.all() if one.episode_id is not None]
        case ViewName.HISTORY:
            sessions = library.history.listing()
            ids = [one for one in sessions.page(0, len(sessions)) if one]
        case _:
            return None
    return array("q", dict.fromkeys(ids))


def _fitting(library: "Library", ids: "array[int]", view: View) -> Listing:
    """Those of them that the view's filter lets through."""
    if view.filter == EVERYTHING:
        return WholeList(ids)
    fitting = set(library.episodes.among(ids, View(filter=view.filter)).ids)
    return WholeList(array("q", (one for one in ids if one in fitting)))


def unplayed(view: View) -> View:
    """The same view without what is played."""
    return view.shown(ViewSettings(view.order, hide_played=True))


def needs_words(one: NamedList) -> bool:
    """Whether the index of words is asked for its episodes."""
    if one.saved is None or one.saved.query is None:
        return False
    from player.library.search.query import parse

    return parse(one.saved.query).filter.needs_words


Moment = TypeVar("Moment", "Bookmark", "Session", "Segment")

_MANY = 5000
"""Episodes that take more than half a second to index."""


def catch_up(library: Library, enough: Callable[[], bool] = lambda: False) -> None:
    """Indexes the episodes that are new since the last search, until `enough` stops it."""
    left = library.search.left()
    if left > _MANY:
        passing(plural(left, "Indexing {n:,} episode…", "Indexing {n:,} episodes…"))
    library.search.catch_up(enough)
    if left > _MANY:
        passing("")


ALL = 2**31
"""More episodes than there are."""


def found(
    library: Library, view: View, query: "Query", most: int, cancelled: Callable[[], bool] = lambda: False
) -> "array[int]":
    """At most `most` episodes of a view that fit, in the order of the query, else of the view. The view is everything,
    a podcast's episodes, or those in some state. Raises Interrupted soon after it is `cancelled`."""
    if (chosen := _both(view.filter, query.filter)) is None:
        return array("q")
    if chosen.needs_words:
        catch_up(library, cancelled)
    order, most = query.order or view.order, min(most, query.limit or most)
    if order is Order.NEWEST:
        return library.search.ids(chosen, most, cancelled=cancelled)
    return library.search.in_order(chosen, order, most, cancelled).ids


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


def sessions_of(library: Library, query: "Query | None") -> "Iterator[Session]":
    """The latest first, read as they are asked for. However many fit: the limit of the query is left to the caller."""
    before = None
    while True:
        some, before = library.history.sessions(before)
        yield from about_fitting(library, some, query)
        if before is None:
            return


def _both(one: EpisodeFilter, other: EpisodeFilter) -> EpisodeFilter | None:
    """None where no episode can fit both. `one` has podcasts and states alone."""
    podcasts = one.podcasts & other.podcasts if one.podcasts and other.podcasts else one.podcasts | other.podcasts
    if (one.podcasts and not podcasts) or {State.PLAYED, State.UNPLAYED} <= one.states | other.states:
        return None
    return replace(other, podcasts=podcasts, states=one.states | other.states)

"""`lists`: the lists that come with Earmark, smart lists and playlists, and what can be changed about each."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from player.errors import EarmarkError
from player.integrations.remote import heard
from player.library import Library, Listing
from player.model.filters import ListId, Order, SavedList, State, ViewName
from player.model.podcast_settings import MOST_NEWEST
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, translate
from tui.cli.command import Column, Command, Context, Row, Rows, complain, confirmed, report
from tui.cli.named_lists import NamedList, catch_up, find_list, named_lists, needs_words, with_unplayed
from tui.cli.printout import Printout
from tui.drawing.labels import order_words

ORDERS = ("default", Order.NEWEST.value, Order.OLDEST.value, Order.LONGEST.value, Order.SHORTEST.value)
CONTINUES = ("yes", "oldest", "newest", "no")
YES_OR_NO = ("yes", "no")
_SHOWN = {"yes": mark("Played episodes are hidden"), "no": mark("Played episodes are shown")}
_CONTINUES = {
    "no": mark("This list doesn't play on by itself"),
    "oldest": mark("After the queue this list plays on, oldest first"),
    "newest": mark("After the queue this list plays on, newest first"),
    "yes": mark("After the queue this list plays on, in its order"),
}


def change_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--new", metavar="NAME", help=_("make a smart list of --search QUERY; without it, a playlist"))
    parser.add_argument("--search", metavar="QUERY", help=_("what a smart list finds, as in `earmark search`"))
    parser.add_argument("--rename", metavar="NAME", help=_("rename LIST"))
    parser.add_argument(
        "--move", metavar="N", type=int, help=_("move LIST down N rows among your lists; if N is negative, up")
    )
    parser.add_argument(
        "--order",
        choices=ORDERS,
        metavar="ORDER",
        help=_("show LIST in this order: {orders}", orders=", ".join(ORDERS)),
    )
    parser.add_argument(
        "--hide-played", choices=YES_OR_NO, metavar="HOW", help=_("whether LIST hides played episodes: yes or no")
    )
    parser.add_argument(
        "--continue",
        dest="continues",
        choices=CONTINUES,
        metavar="HOW",
        help=_("whether LIST plays on after the queue: oldest, newest (first), or no; your own lists: yes or no"),
    )
    parser.add_argument("--delete", action="store_true", help=_("delete LIST; its episodes stay"))
    parser.add_argument("-y", "--yes", action="store_true", help=_("don't ask for confirmation"))


def misuse(options: Namespace) -> str:
    """What is wrong with the arguments; "" for nothing."""
    changes = (options.rename, options.move, options.order, options.hide_played, options.continues)
    changes_list = options.delete or any(one is not None for one in changes)
    if options.new is not None:
        others = options.list is not None or changes_list or options.download is not None
        return _("--new can only be combined with --search") if others else ""
    if options.list is None and (changes_list or options.search is not None):
        return _("LIST is missing")
    if options.delete and any(one is not None for one in (*changes, options.search, options.download)):
        return _("--delete can only be combined with --yes")
    return ""


def make(library: Library, title: str, query: str | None) -> NamedList:
    """Raises EarmarkError."""
    made = library.lists.add(title, None if query is None else _checked(query))
    return find_list(library, str(made.id))


def delete(library: Library, named: NamedList, options: Namespace) -> int:
    """Asks first. Raises EarmarkError without a terminal."""
    saved = _own(named)
    title = clean_line(saved.title)
    question = _("Delete the list “{title}”? Its episodes stay.", title=title)
    if not confirmed(options.yes, question, _("Nothing was deleted.")):
        return 0
    library.lists.remove(saved.id)
    return report(options, {"deleted": saved.id}, _("Deleted the list “{title}”.", title=title))


def change(library: Library, named: NamedList, options: Namespace) -> list[str]:
    """Makes all the changes that are asked for, or none; what came of them, in sentences. Raises EarmarkError."""
    new_name = None if options.rename is None and options.search is None else (options.rename, options.search)
    changes: tuple[tuple[Callable[[Library, NamedList, Any], str], Any], ...] = (
        (_renamed, new_name),
        (_moved, options.move),
        (_ordered, options.order),
        (_hidden, options.hide_played),
        (_continued, options.continues),
    )
    with library.transaction():
        return [made(library, named, wanted) for made, wanted in changes if wanted is not None]


def continues(library: Library, named: NamedList) -> str | None:
    """How it plays on after the queue: `yes`, `oldest` or `newest`; None: it doesn't."""
    match library.continued.newest_first(named.view):
        case None:
            return None
        case newest_first:
            return "yes" if named.saved else "newest" if newest_first else "oldest"


# -- inside ---------------------------------------------------------------------------------------------------


def _own(named: NamedList) -> SavedList:
    if named.saved is None:
        raise EarmarkError(
            _("“{title}” comes with Earmark", title=named.title),
            _("Only smart lists and playlists can be renamed, moved and deleted."),
        )
    return named.saved


def _checked(query: str) -> str:
    """The search of a smart list. Raises EarmarkError."""
    from player.library.search.query import parse

    query = query.strip()
    if not query:
        raise EarmarkError(_("The search is empty"), _("Type what the list should find, such as is:unplayed."))
    if problems := parse(f"{query} ").problems:
        raise EarmarkError(" ".join(problems))
    return query


def _renamed(library: Library, named: NamedList, wanted: tuple[str | None, str | None]) -> str:
    title, query = wanted
    saved = _own(named)
    if query is not None and saved.is_playlist:
        raise EarmarkError(
            _("“{title}” is a playlist, which has no search", title=saved.title),
            _("Add episodes with: earmark playlist add"),
        )
    title = saved.title if title is None else title
    query = saved.query if query is None else _checked(query)
    library.lists.change(saved.id, title, query)
    said = _("The list is now called “{title}”.", title=clean_line(title, 80))
    return said if query is None else f"{said} {_('It finds: {query}', query=clean_line(query))}"


def _moved(library: Library, named: NamedList, by: int) -> str:
    saved = _own(named)
    library.lists.move(saved.id, by)
    ids = [one.id for one in library.lists.all()]
    return _("It is now number {n:,} of your {total:,} lists.", n=ids.index(saved.id) + 1, total=len(ids))


def _ordered(library: Library, named: NamedList, order: str) -> str:
    match named.view.name:
        case ViewName.QUEUE:
            raise EarmarkError(_("The queue has an order of its own"), _("See: earmark queue sort"))
        case ViewName.HISTORY:
            raise EarmarkError(_("History is in the order you listened"))
        case ViewName.BOOKMARKS:
            raise EarmarkError(_("Episodes are in the order of their latest bookmark"))
    wanted = named.view.order if order == "default" else Order(order)
    settings = library.view_settings.get(named.view.key)
    kept = None if wanted is named.view.order else wanted
    library.view_settings.set(named.view.key, replace(settings, order=kept))
    return f"{order_words(wanted)}."


def _hidden(library: Library, named: NamedList, hidden: str) -> str:
    states = {State.IN_PROGRESS, State.QUEUED, State.NEW, State.PLAYED}
    if named.view.name in (ViewName.HISTORY, ViewName.BOOKMARKS) or named.view.filter.states & states:
        raise EarmarkError(_("“{title}” has no played episodes to hide", title=named.title))
    settings = library.view_settings.get(named.view.key)
    library.view_settings.set(named.view.key, replace(settings, hide_played=hidden == "yes"))
    return f"{translate(_SHOWN[hidden])}."


def _continued(library: Library, named: NamedList, how: str) -> str:
    if named.view.name in (ViewName.HISTORY, ViewName.BOOKMARKS, ViewName.QUEUE):
        raise EarmarkError(_("Only lists of episodes play on after the queue"))
    fitting = ("yes", "no") if named.saved else ("oldest", "newest", "no")
    if how not in fitting:
        raise EarmarkError(
            _("“{title}” can't play on that way", title=named.title),
            _("It can be one of {choices}.", choices=", ".join(fitting)),
        )
    library.continued.set(named.view, {"yes": False, "oldest": False, "newest": True, "no": None}[how])
    return f"{translate(_CONTINUES[how])}."


_KINDS = {"built-in": mark("built in"), "smart": mark("smart list"), "playlist": mark("playlist")}


def _number(count: str, more: str) -> Callable[[Row, Context], str]:
    return lambda row, _context: f"{row[count]:,}{'+' if row[more] else ''}"


_LISTS = Rows(
    "list[EpisodeList]",
    (
        Column(_("ID"), "{id}", right=True, spare=3),
        Column(_("NAME"), "{title}", flexible=True),
        Column(_("UNPLAYED"), _number("unplayed_count", "unplayed_more"), right=True),
        Column(_("EPISODES"), _number("episode_count", "more"), right=True, spare=1),
        Column(_("DOWNLOADED"), lambda row, _context: str(row["download"] or ""), right=True, optional=True),
        Column(_("KIND"), lambda row, _context: translate(_KINDS[row["kind"]]), spare=2),
        Column(_("SEARCH"), "{query}", flexible=True, spare=4, optional=True),
    ),
)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("list", metavar="LIST", nargs="?", help=_("only this list: its ID, or its name or part of it"))
    parser.add_argument(
        "--download",
        metavar="N",
        type=int,
        help=_("from now on, download the first N unplayed episodes of LIST while Earmark runs; 0: stop"),
    )
    change_arguments(parser)


def _lists(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _LISTS)
    held, _speed = heard(context.paths.socket)
    with context.library() as library:
        lists = named_lists(library, inbox=context.settings.inbox.enabled)
        said: list[str] = []
        if options.new is not None:
            lists = [make(library, options.new, options.search)]
            said = [_("Made the list “{title}”.", title=lists[0].title)]
        elif options.list is not None:
            lists = [find_list(library, options.list)]
            if options.delete:
                return delete(library, lists[0], options)
            said = change(library, lists[0], options)
            lists = [_again(library, lists[0])]
        if options.download is not None:
            _set_downloads(library, lists if options.list is not None else [], options.download)
        lists = list(printout.first(lists))
        downloads = library.downloads.facts.lists()
        if any(map(needs_words, lists)):
            catch_up(library)
        counted = [(one, with_unplayed(library, one.view, held.episode_id if held else None)) for one in lists]
        plays_on = {one.view.key: continues(library, one) for one in lists}
    for sentence in said if printout.is_table else ():
        print(sentence)
    rows = (
        {**list_json(one, *counts), "download": _download(one, downloads), "continues": plays_on[one.view.key]}
        for one, counts in counted
    )
    printout.print(rows)
    for one in lists if printout.is_table else ():
        for problem in one.problems:
            complain(f"{one.title}: {problem}")
    return 0


def _again(library: Library, one: NamedList) -> NamedList:
    """As it is after a change."""
    return next(now for now in named_lists(library) if now.view.key == one.view.key)


def list_json(one: NamedList, episodes: Listing, unplayed: Listing) -> dict[str, Any]:
    """`name` is what `earmark episodes --list` takes; `id` and `query` are null for built-in lists. `more`: there are
    more episodes than were counted; `unplayed_more` likewise. `unplayed_count` of the queue is what is to come, as in
    the sidebar: all but the episode that is being heard. `problem`: what of the query isn't understood."""
    return {
        "id": one.saved.id if one.saved else None,
        "name": one.name,
        "title": one.title,
        "kind": _kind(one),
        "query": one.saved.query if one.saved else None,
        "episode_count": len(episodes),
        "unplayed_count": len(unplayed),
        "more": episodes.more,
        "unplayed_more": unplayed.more,
        "order": one.shown.order.value,
        "hide_played": one.settings.hide_played,
        "problem": " ".join(one.problems) or None,
    }


def _kind(one: NamedList) -> str:
    return "built-in" if one.saved is None else "playlist" if one.saved.is_playlist else "smart"


def _set_downloads(library: Library, lists: list[NamedList], most: int) -> None:
    saved = lists[0].saved if lists else None
    if saved is None:
        raise EarmarkError(
            _("Only smart lists and playlists can be downloaded this way"),
            _("For the queue and New, see [downloads] in config.toml."),
        )
    if not 0 <= most <= MOST_NEWEST:
        raise EarmarkError(_("The number must be between 0 and {most}", most=MOST_NEWEST))
    library.downloads.facts.set_list(saved.id, most)


def _download(one: NamedList, downloads: dict[ListId, int]) -> int | None:
    """How many of its episodes rules download; None: of a built-in list."""
    return None if one.saved is None else downloads.get(one.saved.id, 0)


COMMANDS = {
    "lists": Command(
        summary=_("list all lists; make and change smart lists and playlists"),
        after="queue",
        about=_(
            "List all lists: those that come with Earmark, your smart lists and your playlists.\nFor the queue,"
            " UNPLAYED counts what is still to come: all but the episode that is playing.\n"
            "Your own lists are made, changed and deleted here; `earmark playlist` changes what is in a playlist."
        ),
        examples=(
            "earmark lists\nearmark lists --json | jq -r '.[].name'\nearmark lists Evening --download 5\n"
            'earmark episodes --list "in progress"\n'
            'earmark lists --new "Short ones" --search "is:unplayed duration:<20m"\n'
            'earmark lists "Short ones" --search "is:unplayed duration:<15m" --order oldest --continue yes\n'
            'earmark lists "Short ones" --rename Short\nearmark lists Short --delete'
        ),
        run=_lists,
        misuse=misuse,
        arguments=_arguments,
        prints={"": "list[EpisodeList]", "with --delete": "DeletedList"},
        lists=(_LISTS,),
    ),
}

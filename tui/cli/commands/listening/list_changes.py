"""What `lists` changes: a list's name, its search, its order, whether it continues; lists made, moved and deleted."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from msgspec.structs import replace

from player.errors import EarmarkError
from player.model.filters import Order, SavedList, State, ViewName
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, translate
from tui.cli.command import print_json
from tui.cli.named_lists import NamedList, find_list
from tui.drawing.labels import order_words
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.library import Library

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
    parser.add_argument("--rename", metavar="NAME", help=_("give LIST another name"))
    parser.add_argument("--move", metavar="N", type=int, help=_("move LIST N rows down among your lists; below 0: up"))
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
        return _("Only --search goes with --new") if others else ""
    if options.list is None and (changes_list or options.search is not None):
        return _("LIST is missing")
    if options.delete and any(one is not None for one in (*changes, options.search, options.download)):
        return _("Nothing goes with --delete but --yes")
    return ""


def make(library: "Library", title: str, query: str | None) -> NamedList:
    """Raises EarmarkError."""
    made = library.lists.add(title, None if query is None else _checked(query))
    return find_list(library, str(made.id))


def delete(library: "Library", named: NamedList, options: Namespace) -> int:
    """Asks first, on standard error, which is seen even when the output goes into a file."""
    saved = _own(named)
    title = clean_line(saved.title)
    if not options.yes:
        if not is_terminal(sys.stdin):
            raise EarmarkError(
                _("Deleting the list “{title}” needs to be confirmed", title=title),
                _("Without a terminal: earmark lists {id} --delete --yes", id=saved.id),
            )
        question = _("Delete the list “{title}”? Its episodes stay. [y/N] ", title=title)
        print(question, end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            print(_("Nothing was deleted."))
            return 0
    library.lists.remove(saved.id)
    if options.json:
        print_json({"deleted": saved.id})
    else:
        print(_("Deleted the list “{title}”.", title=title))
    return 0


def change(library: "Library", named: NamedList, options: Namespace) -> list[str]:
    """Makes all the changes that are asked for, or none; what came of them, in sentences. Raises EarmarkError."""
    with library.transaction():
        return [
            *_renamed(library, named, options.rename, options.search),
            *_moved(library, named, options.move),
            *_ordered(library, named, options.order),
            *_hidden(library, named, options.hide_played),
            *_continued(library, named, options.continues),
        ]


def continues(library: "Library", named: NamedList) -> str | None:
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


def _renamed(library: "Library", named: NamedList, title: str | None, query: str | None) -> list[str]:
    if title is None and query is None:
        return []
    saved = _own(named)
    if query is not None and saved.is_playlist:
        raise EarmarkError(
            _("“{title}” is a playlist, which has no search", title=saved.title),
            _("Add episodes with: earmark playlist add"),
        )
    title = saved.title if title is None else title
    query = saved.query if query is None else _checked(query)
    library.lists.change(saved.id, title, query)
    said = _("The list is called “{title}”.", title=clean_line(title, 80))
    return [said if query is None else f"{said} {_('It finds: {query}', query=clean_line(query))}"]


def _moved(library: "Library", named: NamedList, by: int | None) -> list[str]:
    if by is None:
        return []
    saved = _own(named)
    library.lists.move(saved.id, by)
    ids = [one.id for one in library.lists.all()]
    return [_("It is number {n:,} of your {total:,} lists.", n=ids.index(saved.id) + 1, total=len(ids))]


def _ordered(library: "Library", named: NamedList, order: str | None) -> list[str]:
    if order is None:
        return []
    match named.view.name:
        case ViewName.QUEUE:
            raise EarmarkError(_("The queue plays in the order in which it stands"), _("See: earmark queue sort"))
        case ViewName.HISTORY:
            raise EarmarkError(_("History is in the order you listened"))
        case ViewName.BOOKMARKS:
            raise EarmarkError(_("Episodes are in the order of their latest bookmark"))
    wanted = named.view.order if order == "default" else Order(order)
    settings = library.view_settings.get(named.view.key)
    kept = None if wanted is named.view.order else wanted
    library.view_settings.set(named.view.key, replace(settings, order=kept))
    return [f"{order_words(wanted)}."]


def _hidden(library: "Library", named: NamedList, hidden: str | None) -> list[str]:
    if hidden is None:
        return []
    states = {State.IN_PROGRESS, State.QUEUED, State.NEW, State.PLAYED}
    if named.view.name in (ViewName.HISTORY, ViewName.BOOKMARKS) or named.view.filter.states & states:
        raise EarmarkError(_("“{title}” has no played episodes to hide", title=named.title))
    settings = library.view_settings.get(named.view.key)
    library.view_settings.set(named.view.key, replace(settings, hide_played=hidden == "yes"))
    return [f"{translate(_SHOWN[hidden])}."]


def _continued(library: "Library", named: NamedList, how: str | None) -> list[str]:
    if how is None:
        return []
    if named.view.name in (ViewName.HISTORY, ViewName.BOOKMARKS, ViewName.QUEUE):
        raise EarmarkError(_("Only lists of episodes continue"))
    fitting = ("yes", "no") if named.saved else ("oldest", "newest", "no")
    if how not in fitting:
        raise EarmarkError(
            _("“{title}” doesn't continue that way", title=named.title),
            _("It can be one of {choices}.", choices=", ".join(fitting)),
        )
    library.continued.set(named.view, {"yes": False, "oldest": False, "newest": True, "no": None}[how])
    return [f"{translate(_CONTINUES[how])}."]

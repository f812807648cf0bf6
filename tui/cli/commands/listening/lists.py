"""`lists`: the lists that come with Earmark, smart lists and playlists, how many episodes each has, and changing them.
A running Earmark shows what has changed a moment later."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from player.errors import EarmarkError
from player.integrations.heard import heard
from player.model.filters import ListId
from player.model.podcast_settings import MOST_NEWEST
from player.text.sentences import _, mark, translate
from tui.cli.command import Command, Context, Lists, complain
from tui.cli.commands.listening.list_changes import change, change_arguments, continues, delete, make, misuse
from tui.cli.listing.printout import Printout
from tui.cli.named_lists import NamedList, find_list, named_lists, needs_words, with_unplayed

if TYPE_CHECKING:
    from player.library import Library, Listing

_KINDS = {"built-in": mark("built in"), "smart": mark("smart list"), "playlist": mark("playlist")}
Counts = tuple["Listing", "Listing"]
"""All that a list has, and what of it is unplayed, or still to come."""


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("list", metavar="LIST", nargs="?", help=_("one list alone: its ID, or its name or part of it"))
    parser.add_argument(
        "--download",
        metavar="N",
        type=int,
        help=_("download the first N unplayed episodes of LIST from now on, while Earmark runs; 0: no more"),
    )
    change_arguments(parser)


def _lists(context: Context, options: Namespace) -> int:
    if problem := misuse(options):
        complain(_("{problem}. See: {command} --help", problem=problem, command="earmark lists"))
        return 2
    printout = Printout(options, "lists", "list[EpisodeList]")
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
            from tui.cli.indexing import catch_up

            catch_up(library)
        counted = [(one, with_unplayed(library, one.view, held.episode_id if held else None)) for one in lists]
        plays_on = {one.view.key: continues(library, one) for one in lists}
    if not printout.is_table:
        printout.print(
            {
                **list_json(one, *counts),
                "download": _download(one, downloads),
                "continues": plays_on[one.view.key],
            }
            for one, counts in counted
        )
        return 0
    for sentence in said:
        print(sentence)
    _print(counted, downloads)
    for one in lists:
        for problem in one.problems:
            complain(f"{one.title}: {problem}")
    return 0


def _again(library: "Library", one: NamedList) -> NamedList:
    """As it is after a change."""
    return next(now for now in named_lists(library) if now.view.key == one.view.key)


def list_json(one: NamedList, episodes: "Listing", unplayed: "Listing") -> dict[str, Any]:
    """`name` is what `earmark episodes --list` takes; `id` and `query` are null for built-in lists. `more`: there are
    more episodes than were counted. `unplayed_count` of the queue is what is to come, as in the sidebar: all but the
    episode that is being heard. `problem`: what of the query isn't understood."""
    return {
        "id": one.saved.id if one.saved else None,
        "name": one.name,
        "title": one.title,
        "kind": _kind(one),
        "query": one.saved.query if one.saved else None,
        "episode_count": len(episodes),
        "unplayed_count": len(unplayed),
        "more": episodes.more,
        "order": one.shown.order.value,
        "hide_played": one.settings.hide_played,
        "problem": " ".join(one.problems) or None,
    }


def _kind(one: NamedList) -> str:
    return "built-in" if one.saved is None else "playlist" if one.saved.is_playlist else "smart"


def _set_downloads(library: "Library", lists: list[NamedList], most: int) -> None:
    saved = lists[0].saved if lists else None
    if saved is None:
        raise EarmarkError(
            _("Only smart lists and playlists can be downloaded this way"),
            _("For the queue and the inbox see [downloads] in config.toml."),
        )
    if not 0 <= most <= MOST_NEWEST:
        raise EarmarkError(_("The number must be between 0 and {most}", most=MOST_NEWEST))
    library.downloads.facts.set_list(saved.id, most)


def _download(one: NamedList, downloads: dict[ListId, int]) -> int | None:
    """How many of its episodes rules download; None: of a built-in list."""
    return None if one.saved is None else downloads.get(one.saved.id, 0)


def _print(counted: list[tuple[NamedList, Counts]], downloads: dict[ListId, int]) -> None:
    from tui.cli.table import Column, print_table

    columns = [
        Column(_("ID"), right=True, spare=3),
        Column(_("NAME"), flexible=True),
        Column(_("UNPLAYED"), right=True),
        Column(_("EPISODES"), right=True, spare=1),
        Column(_("KIND"), spare=2),
        Column(_("SEARCH"), flexible=True, spare=4),
    ]
    if not any(one.saved and one.saved.query for one, _counts in counted):
        columns.pop()
    rows = [_row(one, *counts)[: len(columns)] for one, counts in counted]
    if downloads:
        columns.insert(4, Column(_("DOWNLOADED"), right=True))
        rows = [
            (*row[:4], str(_download(one, downloads) or ""), *row[4:])
            for row, (one, _counts) in zip(rows, counted, strict=True)
        ]
    print_table(columns, rows)


def _row(one: NamedList, episodes: "Listing", unplayed: "Listing") -> tuple[str, ...]:
    saved = one.saved
    return (
        str(saved.id) if saved else "",
        one.title,
        _number(unplayed),
        _number(episodes),
        translate(_KINDS[_kind(one)]),
        saved.query or "" if saved else "",
    )


def _number(listing: "Listing") -> str:
    return f"{len(listing):,}{'+' if listing.more else ''}"


COMMANDS = {
    "lists": Command(
        about=_(
            "List all lists: those that come with Earmark, your smart lists and your playlists.\nOf the queue,"
            " UNPLAYED is what is still to come: all but the episode that is being heard.\n"
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
        arguments=_arguments,
        reports=True,
        prints={"": "list[EpisodeList]", "with --delete": "DeletedList"},
        lists=Lists(("list[EpisodeList]",)),
    ),
}

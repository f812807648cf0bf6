"""`playlist`: what is in a playlist. A running Earmark shows the change at once."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from player.errors import EarmarkError
from player.integrations.json_api import episode_json
from player.library import Library
from player.model.filters import SavedList
from player.text.cleaning import clean_line
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, Filters, Rows
from tui.cli.commands.episodes import EPISODE_COLUMNS
from tui.cli.episode_order import misuse, moved
from tui.cli.named_lists import find_list, fitting
from tui.cli.printout import Printout

_PLAYLIST = Rows("list[Episode]", EPISODE_COLUMNS, Filters.EPISODES)
_WHAT = ("new", "add", "remove", "move", "list")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", metavar="WHAT", choices=_WHAT, help=_("one of {what}", what=", ".join(_WHAT)))
    parser.add_argument("playlist", metavar="PLAYLIST", help=_("its ID, or its name or part of it; new: its name"))
    parser.add_argument(
        "rest",
        metavar="EPISODE",
        nargs="*",
        help=_("IDs, titles or parts of titles; move: one and its new rank (1 is the first)"),
    )


def _playlist(context: Context, options: Namespace) -> int:
    what, rest = options.what, options.rest
    printout = Printout(context, options, _PLAYLIST)
    with context.library() as library:
        if what == "new":
            saved, said = _make(library, options.playlist, rest)
        else:
            saved = _find(library, options.playlist)
            said = _change(library, saved, what, rest)
        ids = library.lists.episodes(saved.id)
        episodes = library.episodes.rows(fitting(library, ids, options.filter))
        ranks = library.queue.ranks()
    if said and printout.is_table:
        print(said)
        return 0
    empty = _("“{title}” is empty. Add an episode with: earmark playlist add", title=clean_line(saved.title))
    printout.print((episode_json(one, ranks) for one in episodes), _("No episodes match.") if ids else empty)
    return 0


def _find(library: Library, text: str) -> SavedList:
    """Raises NotFound, Ambiguous, or EarmarkError: that list isn't a playlist."""
    saved = find_list(library, text).saved
    if saved is None or not saved.is_playlist:
        raise EarmarkError(
            _("“{text}” isn't a playlist", text=clean_line(text, 80)), _("Make one with: earmark playlist new NAME")
        )
    return saved


def _make(library: Library, title: str, rest: Sequence[str]) -> tuple[SavedList, str]:
    ids = [library.episodes.find(text).id for text in rest]
    with library.transaction():
        saved = library.lists.add(title)
        added = library.lists.add_episodes(saved.id, ids)
    return saved, plural(
        len(added),
        "Made the playlist “{title}” with {n:,} episode.",
        "Made the playlist “{title}” with {n:,} episodes.",
        title=saved.title,
    )


def _change(library: Library, saved: SavedList, what: str, rest: Sequence[str]) -> str:
    """What came of it, in a sentence; "" where nothing was to be changed."""
    title = clean_line(saved.title)
    match what:
        case "add":
            added = library.lists.add_episodes(saved.id, [library.episodes.find(text).id for text in rest])
            if not added:
                return _("Already in “{title}”.", title=title)
            return plural(
                len(added),
                "{n:,} episode added to “{title}”.",
                "{n:,} episodes added to “{title}”.",
                title=title,
            )
        case "remove":
            there = set(library.lists.episodes(saved.id))
            gone = [one for one in dict.fromkeys(library.episodes.find(text).id for text in rest) if one in there]
            library.lists.take_out(saved.id, gone)
            return plural(
                len(gone),
                "{n:,} episode taken out of “{title}”.",
                "{n:,} episodes taken out of “{title}”.",
                title=title,
            )
        case "move":
            one = library.episodes.find(rest[0]).id
            return moved(
                lambda: library.lists.episodes(saved.id),
                one,
                rest,
                lambda by: library.lists.move_episodes(saved.id, [one], by),
                _("That episode isn't in “{title}”.", title=title),
            )
    return ""


COMMANDS = {
    "playlist": Command(
        summary=_("make a playlist, or change what is in one"),
        after="lists",
        about=_(
            "Make a playlist, or change what is in one: new, add, remove, move, list.\n"
            "`earmark lists` renames and deletes playlists; smart lists are made there, too."
        ),
        examples=(
            'earmark playlist new Evening 117 "Compiler collectives"\nearmark playlist add Evening 118\n'
            "earmark playlist move Evening 118 1\nearmark playlist remove Evening 117\nearmark playlist list Evening"
        ),
        run=_playlist,
        misuse=lambda options: misuse(options.what, options.rest),
        arguments=_arguments,
        lists=(_PLAYLIST,),
    )
}

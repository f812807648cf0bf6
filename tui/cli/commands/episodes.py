"""`episodes`."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from player.integrations.json_api import episode_json, extras_json
from player.model.episode import Episode
from player.model.filters import State, View, ViewName
from player.model.podcast import PodcastId
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, complain, print_json
from tui.cli.describe import day
from tui.cli.table import Marked
from tui.drawing.labels import length
from tui.look.glyphs import Glyphs, glyphs_for
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.library import Library, Listing

SCREENFUL = 50


def _episodes_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("podcast", metavar="PODCAST", nargs="?", help=_("only of this one: ID, URL or title"))
    parser.add_argument(
        "--limit",
        metavar="N",
        type=a_limit,
        help=_("at most N (0: all; default {number} in a terminal)", number=SCREENFUL),
    )
    parser.add_argument("--unplayed", action="store_true", help=_("only unplayed"))
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--starred", action="store_true", help=_("only starred"))
    only.add_argument("--in-progress", action="store_true", help=_("only started ones, last played first"))
    only.add_argument("--list", metavar="NAME", help=_("those of a list, as the app shows it; see: earmark lists"))


def a_limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ArgumentTypeError(_("“{text}” isn't a number of episodes", text=text[:20]))
    return int(text)


def _episodes(context: Context, options: Namespace) -> int:
    on_screen = is_terminal(sys.stdout) and not options.json
    limit = (SCREENFUL if on_screen else None) if options.limit is None else options.limit or None
    if options.list is not None and options.podcast:
        problem = _("PODCAST and --list don't go together")
        complain(_("{problem}. See: {command} --help", problem=problem, command="earmark episodes"))
        return 2
    problems: Sequence[str] = ()
    with context.library() as library:
        podcast = library.podcasts.find(options.podcast) if options.podcast else None
        if options.list is None:
            listing = library.episodes.listing(_view(options, podcast.id if podcast else None))
        else:
            listing, problems = _of_list(library, options)
        episodes = library.episodes.rows(listing.page(0, len(listing) if limit is None else limit))
        extras = library.extras.of([episode.id for episode in episodes]) if options.json else {}
        ranks = library.queue.ranks() if options.json else {}
    for problem in problems:
        complain(problem)
    if options.json:
        # An episode that was removed in between is left out.
        known = [one for one in episodes if one.id in extras]
        print_json([{**episode_json(one, ranks), **extras_json(extras[one.id])} for one in known])
    elif not episodes:
        print(_nothing(options))
    else:
        print_episodes(context, episodes, with_podcast=podcast is None)
        if options.limit is None and len(episodes) < len(listing):
            sentence = plural(
                len(listing),
                "{shown:,} of {n:,} episode. Show all: --limit 0",
                "{shown:,} of {n:,} episodes. Show all: --limit 0",
                shown=len(episodes),
            )
            print(sentence)
    return 1 if problems else 0


def _of_list(library: "Library", options: Namespace) -> tuple["Listing", Sequence[str]]:
    """The episodes of a list, and what of its search isn't understood."""
    from tui.cli.indexing import catch_up
    from tui.cli.named_lists import find_list, listing_of, needs_words, unplayed

    found = find_list(library, options.list)
    if needs_words(found):
        catch_up(library)
    return listing_of(library, unplayed(found.shown) if options.unplayed else found.shown), found.problems


def _view(options: Namespace, podcast_id: PodcastId | None) -> View:
    if options.starred:
        name = ViewName.STARRED
    elif options.in_progress:
        name = ViewName.IN_PROGRESS
    else:
        name = ViewName.ALL if podcast_id is None else ViewName.PODCAST
    return View.of(name, podcast_id, states=[State.UNPLAYED] if options.unplayed else [])


def _nothing(options: Namespace) -> str:
    if options.starred:
        return _("Nothing is starred here.")
    if options.in_progress:
        return _("Nothing is in progress here.")
    if options.unplayed:
        return _("Nothing unplayed here.")
    if options.list is not None:
        return _("This list is empty.")
    return _("No episodes here yet. Check for new ones with: earmark refresh")


def print_episodes(
    context: Context, episodes: Sequence[Episode], *, with_podcast: bool, marked: Marked | None = None
) -> None:
    from tui.cli.table import Column, print_table

    glyphs = glyphs_for(context.settings.appearance.ascii, sys.stdout.encoding)
    columns = [Column(_("ID"), right=True), Column(""), Column(_("TITLE"), flexible=True)]
    if with_podcast:
        columns.append(Column(_("PODCAST"), flexible=True, spare=3))
    columns += [Column(_("DATE"), spare=2), Column(_("LENGTH"), right=True, spare=1)]
    rows = []
    for episode in episodes:
        names = (episode.title, episode.podcast) if with_podcast else (episode.title,)
        rows.append(
            (str(episode.id), marks(episode, glyphs), *names, day(episode.published), length(episode, glyphs.minus))
        )
    print_table(columns, rows, marked)


def marks(episode: Episode, glyphs: Glyphs) -> str:
    """Unplayed, started or played, and the star."""
    heard = glyphs.played if episode.played else glyphs.started if episode.in_progress else glyphs.new
    return heard + (glyphs.star if episode.starred else " ")


COMMANDS = {
    "episodes": Command(
        about=_("List episodes, newest first, of all podcasts or of one; or those of a list, in its order."),
        examples=(
            "earmark episodes\nearmark episodes changelog --unplayed --limit 10\n"
            "earmark episodes --in-progress --json | jq -r '.[].title'\nearmark episodes --list queue"
        ),
        run=_episodes,
        arguments=_episodes_arguments,
        reports=True,
    ),
}

"""`episodes`."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence

from player.integrations.json_api import episode_json, extras_json
from player.model.episode import Episode
from player.model.filters import State, View, ViewName
from player.model.podcast import PodcastId
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, print_json
from tui.cli.describe import day
from tui.cli.table import Marked
from tui.drawing.labels import length
from tui.look.glyphs import Glyphs, glyphs_for
from tui.terminal.capabilities import is_terminal

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


def a_limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ArgumentTypeError(_("“{text}” isn't a number of episodes", text=text[:20]))
    return int(text)


def _episodes(context: Context, options: Namespace) -> int:
    on_screen = is_terminal(sys.stdout) and not options.json
    limit = (SCREENFUL if on_screen else None) if options.limit is None else options.limit or None
    with context.library() as library:
        podcast = library.podcasts.find(options.podcast) if options.podcast else None
        listing = library.episodes.listing(_view(options, podcast.id if podcast else None))
        episodes = library.episodes.rows(listing.page(0, len(listing) if limit is None else limit))
        extras = library.extras.of([episode.id for episode in episodes]) if options.json else {}
    if options.json:
        # An episode that was removed in between is left out.
        print_json([{**episode_json(one), **extras_json(extras[one.id])} for one in episodes if one.id in extras])
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
    return 0


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
        about=_("List episodes, newest first, of all podcasts or of one."),
        examples=(
            "earmark episodes\nearmark episodes changelog --unplayed --limit 10\n"
            "earmark episodes --in-progress --json | jq -r '.[].title'"
        ),
        run=_episodes,
        arguments=_episodes_arguments,
        reports=True,
    ),
}

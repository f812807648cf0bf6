"""`episodes`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from player.integrations.json_api import episode_json, extras_json
from player.model.episode import Episode
from player.model.filters import State, View, ViewName
from player.model.podcast import PodcastId
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, Filters, Lists, complain
from tui.cli.describe import day
from tui.cli.listing import Printout
from tui.cli.table import Marked
from tui.drawing.labels import length
from tui.look.glyphs import Glyphs, glyphs_for

if TYPE_CHECKING:
    from player.library import Library, Listing, WholeList

_AT_ONCE = 500
_EXTRAS = frozenset({"season", "episode_number", "kind", "people", "funding", "transcript_languages", "download_path"})
"""What isn't in an episode's row."""


def _episodes_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("podcast", metavar="PODCAST", nargs="?", help=_("only of this one: ID, URL or title"))
    parser.add_argument("--unplayed", action="store_true", help=_("only unplayed"))
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--starred", action="store_true", help=_("only starred"))
    only.add_argument("--in-progress", action="store_true", help=_("only started ones, last played first"))
    only.add_argument("--list", metavar="NAME", help=_("those of a list, as the app shows it; see: earmark lists"))


def _episodes(context: Context, options: Namespace) -> int:
    printout = Printout(options, "episodes", "list[ListedEpisode]", screenful=True)
    if options.list is not None and options.podcast:
        problem = _("PODCAST and --list don't go together")
        complain(_("{problem}. See: {command} --help", problem=problem, command="earmark episodes"))
        return 2
    problems: Sequence[str] = ()
    with context.library() as library:
        podcast = library.podcasts.find(options.podcast) if options.podcast else None
        found: Listing
        if options.list is not None:
            found, problems = _of_list(library, options)
        else:
            view = _view(options, podcast.id if podcast else None)
            found = (
                library.episodes.listing(view) if options.filter is None else _fitting(library, view, options, printout)
            )
        for problem in problems:
            complain(problem)
        if not printout.is_table:
            printout.print(_rows(library, printout, found))
            return 1 if problems else 0
        episodes = library.episodes.rows(found.page(0, len(found) if printout.most is None else printout.most))
    if not episodes:
        print(_nothing(options))
        return 1 if problems else 0
    print_episodes(context, episodes, with_podcast=podcast is None)
    if options.limit is None and len(episodes) < len(found):
        print(_more(len(episodes), None if options.filter else len(found)))
    return 1 if problems else 0


def _fitting(library: "Library", view: View, options: Namespace, printout: Printout) -> "WholeList":
    """One more than is listed, to know whether there are more."""
    from player.library import WholeList
    from tui.cli.narrowing import ALL, found

    return WholeList(found(library, view, options.filter, ALL if printout.most is None else printout.most + 1))


def _rows(library: "Library", printout: Printout, found: "Listing") -> "Iterator[dict[str, Any]]":
    """Read in pieces, so that a reader that needs only the first of many needn't wait for the rest. An episode that is
    removed in between is left out."""
    with_extras = printout.fields is None or printout.fields & _EXTRAS
    ranks = library.queue.ranks()
    ids = found.page(0, len(found) if printout.most is None else printout.most)
    for start in range(0, len(ids), _AT_ONCE):
        episodes = library.episodes.rows(ids[start : start + _AT_ONCE])
        extras = library.extras.of([one.id for one in episodes]) if with_extras else {}
        for one in episodes:
            if not with_extras:
                yield {**episode_json(one, ranks)}
            elif one.id in extras:
                yield {**episode_json(one, ranks), **extras_json(extras[one.id])}


def _more(shown: int, count: int | None) -> str:
    """`count`: all that there are, where that is known."""
    if count is None:
        return plural(
            shown, "The first {n:,} episode. Show all: --limit 0", "The first {n:,} episodes. Show all: --limit 0"
        )
    return plural(
        count,
        "{shown:,} of {n:,} episode. Show all: --limit 0",
        "{shown:,} of {n:,} episodes. Show all: --limit 0",
        shown=shown,
    )


def _of_list(library: "Library", options: Namespace) -> tuple["Listing", Sequence[str]]:
    """The episodes of a list, and what of its search isn't understood."""
    from player.library import WholeList
    from tui.cli.named_lists import find_list, listing_of, needs_words, unplayed
    from tui.cli.narrowing import catch_up

    found = find_list(library, options.list)
    if needs_words(found):
        catch_up(library)
    listed = listing_of(library, unplayed(found.shown) if options.unplayed else found.shown)
    if options.filter is not None:
        from tui.cli.narrowing import fitting

        listed = WholeList(fitting(library, listed.page(0, len(listed)), options.filter))
    return listed, found.problems


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
    if options.filter is not None:
        return _("No episodes fit.")
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
            "earmark episodes --in-progress --json | jq -r '.[].title'\nearmark episodes --list queue\n"
            "earmark episodes --filter 'is:unplayed duration:<20m tag:work sort:shortest'\n"
            "earmark episodes --unplayed --limit 20 --format '{id} {title:.60} {duration:>8}'"
        ),
        run=_episodes,
        arguments=_episodes_arguments,
        reports=True,
        prints={"": "list[ListedEpisode]"},
        lists=Lists(("list[ListedEpisode]",), Filters.EPISODES, screenful=True),
    ),
}

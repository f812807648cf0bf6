"""`episodes`."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from player.integrations.json_api import episode_json, extras_json
from player.library import Library, Listing, WholeList
from player.model.filters import State, View, ViewName
from player.model.podcast import PodcastId
from player.text.sentences import _, plural
from tui.cli import named_lists
from tui.cli.command import Column, Command, Context, Filters, Misuse, Row, Rows, complain
from tui.cli.named_lists import find_list, listing_of, needs_words, unplayed
from tui.cli.printout import Printout
from tui.drawing.labels import length_words

_AT_ONCE = 500


def _marks(row: Row, context: Context) -> str:
    """Unplayed, started or played, and the star."""
    glyphs = context.glyphs
    heard = glyphs.played if row["played"] else glyphs.started if row["position_ms"] > 0 else glyphs.new
    return heard + (glyphs.star if row["starred"] else " ")


def _length(row: Row, context: Context) -> str:
    if row["live"] in ("pending", "live"):
        return _("live") if row["live"] == "live" else _("live soon")
    duration_ms, started = row["duration_ms"], row["position_ms"] > 0 and not row["played"]
    left = max(0, duration_ms - row["position_ms"]) if started and duration_ms is not None else None
    return length_words(duration_ms, left, context.glyphs.minus)


EPISODE_COLUMNS = (
    Column(_("ID"), "{id}", right=True),
    Column("", _marks),
    Column(_("TITLE"), "{title}", flexible=True),
    Column(_("PODCAST"), "{podcast}", flexible=True, spare=3),
    Column(_("DATE"), "{published_day}", spare=2),
    Column(_("LENGTH"), _length, right=True, spare=1),
)
_EPISODES = Rows("list[ListedEpisode]", EPISODE_COLUMNS, Filters.EPISODES, screenful=True)
_OF_PODCAST = replace(_EPISODES, columns=tuple(one for one in EPISODE_COLUMNS if one.cell != "{podcast}"))
_EXTRAS = frozenset({
    "season", "episode_number", "kind", "people", "funding", "transcript_languages", "download_path", "comments",
    "chat",
})  # fmt: skip
"""What isn't in an episode's row."""


def _episodes_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "podcast", metavar="PODCAST", nargs="?", help=_("only those of this podcast: its ID, URL or title")
    )
    parser.add_argument("--unplayed", action="store_true", help=_("only unplayed"))
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--starred", action="store_true", help=_("only starred"))
    only.add_argument("--in-progress", action="store_true", help=_("only those in progress, last played first"))
    only.add_argument("--list", metavar="NAME", help=_("those of a list, as the app shows it; see: earmark lists"))


def _episodes(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _OF_PODCAST if options.podcast else _EPISODES)
    if options.list is not None and options.podcast:
        raise Misuse(_("PODCAST and --list can't be combined"))
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
        shown = printout.print(_rows(library, printout, found), _nothing(options))
    if shown and options.limit is None and len(shown) < len(found):
        print(more_words(len(shown), None if options.filter else len(found)))
    return 1 if problems else 0


def _fitting(library: Library, view: View, options: Namespace, printout: Printout) -> WholeList:
    """One more than is listed, to know whether there are more."""
    most = named_lists.ALL if printout.most is None else printout.most + 1
    return WholeList(named_lists.found(library, view, options.filter, most))


def _rows(library: Library, printout: Printout, found: Listing) -> "Iterator[dict[str, Any]]":
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


def more_words(shown: int, count: int | None = None) -> str:
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


def _of_list(library: Library, options: Namespace) -> tuple[Listing, Sequence[str]]:
    """The episodes of a list, and what of its search isn't understood."""
    found = find_list(library, options.list)
    if needs_words(found):
        named_lists.catch_up(library)
    listed = listing_of(library, unplayed(found.shown) if options.unplayed else found.shown)
    if options.filter is not None:
        listed = WholeList(named_lists.fitting(library, listed.page(0, len(listed)), options.filter))
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
        return _("No episodes match.")
    if options.unplayed:
        return _("Nothing unplayed here.")
    if options.list is not None:
        return _("This list is empty.")
    return _("No episodes here yet. Check for new ones with: earmark refresh")


COMMANDS = {
    "episodes": Command(
        summary=_("list episodes, newest first"),
        after="export",
        heading=_("Episodes"),
        about=_("List episodes, newest first, of all podcasts or of one; or those of a list, in its order."),
        examples=(
            "earmark episodes\nearmark episodes changelog --unplayed --limit 10\n"
            "earmark episodes --in-progress --json | jq -r '.[].title'\nearmark episodes --list queue\n"
            "earmark episodes --filter 'is:unplayed duration:<20m tag:work sort:shortest'\n"
            "earmark episodes --unplayed --limit 20 --format '{id} {title:.60} {duration:>8}'"
        ),
        run=_episodes,
        arguments=_episodes_arguments,
        lists=(_EPISODES,),
    ),
}

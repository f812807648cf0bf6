"""`search`."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from player.integrations.json_api import Ranks, episode_json
from player.library.search.search import Found, Passage
from player.model.episode import Episode
from player.text.durations import clock
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, Lists, complain
from tui.cli.commands.episodes import print_episodes
from tui.cli.listing import Printout
from tui.cli.narrowing import catch_up

if TYPE_CHECKING:
    from player.integrations.documents import library

_EXCERPT = 160
_ALL = 2**31


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "words", metavar="QUERY", nargs="+", help=_("words of titles, notes and transcripts, and filters")
    )
    parser.add_argument("--best", action="store_true", help=_("sort by relevance"))


def _search(context: Context, options: Namespace) -> int:
    printout = Printout(options, "search", "list[FoundEpisode]", screenful=True)
    limit = _ALL if printout.most is None else printout.most
    with context.library() as library:
        catch_up(library)
        found = library.search.find(" ".join(options.words), limit, best=options.best)
        episodes = library.episodes.rows(found.ids)
        with_transcripts = library.search.with_transcripts(found.ids)
        excerpted = [one for one in episodes if one.id in with_transcripts] if printout.is_table else episodes
        passages = library.search.passages(excerpted, found, _EXCERPT)
        for problem in found.problems:
            complain(problem)
        if not printout.is_table:
            ranks = library.queue.ranks()
            printout.print(_json(*each, ranks) for each in zip(episodes, passages, strict=True))
    if printout.is_table:
        _print(context, episodes, found)
        _print_passages([each for each in zip(excerpted, passages, strict=True) if each[1].at_ms is not None])
    return 1 if found.problems else 0


def _json(episode: Episode, passage: Passage, ranks: Ranks) -> "library.FoundEpisode":
    return {**episode_json(episode, ranks), "excerpt": passage.text, "at_ms": passage.at_ms}


def _print(context: Context, episodes: Sequence[Episode], found: Found) -> None:
    from player.library.search.words import hits

    if not episodes:
        print(_("No results."))
        return
    print_episodes(context, episodes, with_podcast=True, marked=lambda line: hits(line, found.terms))
    if found.more:
        sentence = plural(
            len(episodes),
            "The first {n:,} episode. Show all: --limit 0",
            "The first {n:,} episodes. Show all: --limit 0",
        )
        print(sentence)


def _print_passages(found: Sequence[tuple[Episode, Passage]]) -> None:
    """The passages in transcripts, with their times."""
    from tui.cli.table import Column, print_table

    if found:
        print()
        columns = [Column(_("ID"), right=True), Column(_("TIME"), right=True), Column(_("TEXT"), flexible=True)]
        print_table(columns, [(str(one.id), clock(passage.at_ms or 0), passage.text) for one, passage in found])
        print(_("Play it: earmark play ID --at TIME"))


COMMANDS = {
    "search": Command(
        about=_(
            "Search the titles and notes of all episodes, and the transcripts that are available. All words must\n"
            "occur, in any order; case and accents don't matter, and the last word may be incomplete. Newest first.\n\n"
            '  "two words"    exact phrase           podcast:NAME   in podcasts with NAME in their title\n'
            "  word*          words beginning so     after:DATE     published on that day or later\n"
            "  -word          without this word      before:DATE    published before that day\n"
            "  title:TEXT     TEXT in the title      longer:TIME    that long or longer\n"
            "  in:transcript  only in transcripts    shorter:TIME   shorter than that\n"
            "  podcast-id:ID  in that podcast        duration:<20m  shorter than 20 minutes (or >20m)\n"
            "  tag:TAG        in podcasts so tagged  age:<7d        of the last 7 days (or >7d; d, w, m, y)\n"
            "  is:MARK        unplayed, played, starred, in-progress, downloaded, queued or new\n"
            "  sort:ORDER     newest, oldest, longest or shortest first\n"
            "  limit:N        only the first N\n\n"
            "DATE is 2026, 2026-03 or 2026-03-14; TIME is 45m, 1h30m or 1:30:00."
        ),
        examples=(
            "earmark search cuda graphs\nearmark search '\"garbage collection\" podcast:python after:2025 -trailer'\n"
            "earmark search --json --limit 5 'compil* is:unplayed' | jq -r '.[].title'"
        ),
        run=_search,
        arguments=_arguments,
        reports=True,
        prints={"": "list[FoundEpisode]"},
        lists=Lists(("list[FoundEpisode]",), screenful=True),
        exits={1: _("a part of the query wasn't understood; the rest was searched")},
    ),
}

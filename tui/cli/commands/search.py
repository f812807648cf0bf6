"""`search`."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from player.integrations.json_api import Ranks, episode_json
from player.library.search.search import Passage
from player.model.episode import Episode
from player.text.sentences import _
from tui.cli.command import Column, Command, Context, Rows, complain
from tui.cli.commands.episodes import EPISODE_COLUMNS, more_words
from tui.cli.named_lists import catch_up
from tui.cli.printout import Printout, print_in_table

if TYPE_CHECKING:
    from player.integrations.documents import library

_EXCERPT = 160
_ALL = 2**31
_FOUND = Rows("list[FoundEpisode]", EPISODE_COLUMNS, screenful=True)
_PASSAGES = Rows(
    "list[FoundEpisode]",
    (
        Column(_("ID"), "{id}", right=True),
        Column(_("TIME"), "{at}", right=True),
        Column(_("TEXT"), "{excerpt}", flexible=True),
    ),
)
"""What was said in transcripts, with its times."""


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "words", metavar="QUERY", nargs="+", help=_("words of titles, notes and transcripts, and filters")
    )
    parser.add_argument("--best", action="store_true", help=_("sort by relevance"))


def _search(context: Context, options: Namespace) -> int:
    from player.library.search.words import hits

    printout = Printout(context, options, _FOUND)
    limit = _ALL if printout.most is None else printout.most
    with context.library() as library:
        catch_up(library)
        found = library.search.find(" ".join(options.words), limit, best=options.best)
        episodes = library.episodes.rows(found.ids)
        with_transcripts = library.search.with_transcripts(found.ids)
        excerpted = [one for one in episodes if one.id in with_transcripts] if printout.is_table else episodes
        passages = library.search.passages(excerpted, found, _EXCERPT)
        ranks = library.queue.ranks()
    for problem in found.problems:
        complain(problem)
    excerpts = {one.id: passage for one, passage in zip(excerpted, passages, strict=True)}
    rows = (_json(one, excerpts.get(one.id), ranks) for one in episodes)
    shown = printout.print(rows, _("No results."), marked=lambda line: hits(line, found.terms))
    if shown and found.more:
        print(more_words(len(shown)))
    if spoken := [row for row in shown if row["at_ms"] is not None]:
        print()
        print_in_table(_PASSAGES, spoken, context)
        print(_("Play it: earmark play ID --at TIME"))
    return 1 if found.problems else 0


def _json(episode: Episode, passage: Passage | None, ranks: Ranks) -> "library.FoundEpisode":
    text, at_ms = (passage.text, passage.at_ms) if passage else ("", None)
    return {**episode_json(episode, ranks), "excerpt": text, "at_ms": at_ms}


COMMANDS = {
    "search": Command(
        summary=_("search titles, notes and transcripts"),
        after="episodes",
        about=_(
            "Search the titles and notes of all episodes, and the transcripts that are available. All words must\n"
            "occur, in any order; case and accents don't matter, and the last word may be incomplete. Newest first.\n\n"
            '  "two words"    exact phrase           podcast:NAME   in podcasts with NAME in their title\n'
            "  word*          words that start so    after:DATE     published on that day or later\n"
            "  -word          without this word      before:DATE    published before that day\n"
            "  title:TEXT     TEXT in the title      longer:TIME    that long or longer\n"
            "  in:transcript  only in transcripts    shorter:TIME   shorter than that\n"
            "  podcast-id:ID  in that podcast        duration:<20m  shorter than 20 minutes (or >20m)\n"
            "  tag:TAG        in podcasts tagged so age:<7d        of the last 7 days (or >7d; d, w, m, y)\n"
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
        lists=(_FOUND,),
        exits={1: _("a part of the query wasn't understood; the rest was searched")},
    ),
}

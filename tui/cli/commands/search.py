"""`search`."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from player.integrations.json_api import Ranks, episode_json
from player.library.search.search import Passage
from player.library.search.spoken_hits import MOST, SpokenHit, link_to
from player.model.episode import Episode
from player.model.filters import Term
from player.text.durations import clock
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, Row, Rows, complain
from tui.cli.commands.episodes import EPISODE_COLUMNS, more_words
from tui.cli.named_lists import catch_up
from tui.cli.printout import Printout

if TYPE_CHECKING:
    from player.integrations.documents import library

_EXCERPT = 160
_ALL = 2**31
_MOST_HITS, _MOST_PRINTED = 10, 3
"""The most hits of an episode in JSON, and below the table."""
_FOUND = Rows("list[FoundEpisode]", EPISODE_COLUMNS, screenful=True)


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
        search = library.search
        found = search.find(" ".join(options.words), limit, best=options.best)
        episodes = library.episodes.rows(found.ids)
        with_transcripts = search.with_transcripts(found.ids)
        excerpted = [one for one in episodes if one.id in with_transcripts] if printout.is_table else episodes
        passages = dict(zip((one.id for one in excerpted), search.passages(excerpted, found, _EXCERPT), strict=True))
        spoken = {one: search.spoken_hits(one, found) for one, passage in passages.items() if passage.hit}
        ranks = library.queue.ranks()
    for problem in found.problems:
        complain(problem)
    rows = (_json(one, passages.get(one.id), spoken.get(one.id, ()), ranks) for one in episodes)
    shown = printout.print(rows, _("No results."), marked=lambda line: hits(line, found.terms))
    if shown and found.more:
        print(more_words(len(shown)))
    if said := [row for row in shown if row["hits"]]:
        _print_hits(said, found.terms)
        print(_("Play it: earmark play ID --at TIME"))
    return 1 if found.problems else 0


def _json(episode: Episode, passage: Passage | None, hits: Sequence[SpokenHit], ranks: Ranks) -> "library.FoundEpisode":
    return {
        **episode_json(episode, ranks),
        "excerpt": passage.text if passage else "",
        "at_ms": passage.at_ms if passage else None,
        "hits": [
            {
                "text": one.text,
                "before": one.before,
                "after": one.after,
                "at_ms": one.at_ms,
                "speaker": one.speaker,
                "link": link_to(one, episode),
            }
            for one in hits[:_MOST_HITS]
        ],
        "hit_count": len(hits),
    }


def _print_hits(rows: Iterable[Row], terms: Sequence[Term]) -> None:
    """What is said in each episode, with the sentences before and after."""
    from player.library.search.words import hits
    from tui.cli.text_table import in_bold, terminal_width
    from tui.drawing.runs import Run, wrap

    width = terminal_width()
    for row in rows:
        print(f"\n{row['id']}  {row['title']}")
        times = ["" if one["at_ms"] is None else f"{clock(one['at_ms'])}  " for one in row["hits"][:_MOST_PRINTED]]
        column = max(map(len, times))
        for time, one in zip(times, row["hits"], strict=False):
            speaker = one["speaker"] and f"{one['speaker']} ·"
            text = " ".join(filter(None, (speaker, one["before"], one["text"], one["after"])))
            lines = wrap([Run(text)], width - column - 2) if width else [[Run(text)]]
            for number, line in enumerate("".join(run.text for run in runs) for runs in lines):
                print(f"  {'' if number else time:>{column}}{in_bold(line, hits(line, terms))}")
        if more := row["hit_count"] - len(times):
            print(f"  {_more(more, row['hit_count'])}")


def _more(number: int, of: int) -> str:
    if of >= MOST:
        return _("{n:,}+ more", n=number)
    return plural(number, "{n:,} more", "{n:,} more")


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
            "  said:WORDS     said in the transcript shorter:TIME   shorter than that\n"
            "  speaker:NAME   said by that person    duration:<20m  shorter than 20 minutes (or >20m)\n"
            "  in:transcript  all the words are said age:<7d        of the last 7 days (or >7d; d, w, m, y)\n"
            "  tag:TAG        in podcasts tagged so  podcast-id:ID  in that podcast\n"
            "  is:MARK        unplayed, played, starred, in-progress, downloaded, queued or new\n"
            "  sort:ORDER     newest, oldest, longest or shortest first\n"
            "  limit:N        only the first N\n\n"
            "DATE is 2026, 2026-03 or 2026-03-14; TIME is 45m, 1h30m or 1:30:00. Of an episode found by its\n"
            "transcript, the sentences with the words are printed too, each with those before and after it."
        ),
        examples=(
            "earmark search cuda graphs\nearmark search '\"garbage collection\" podcast:python after:2025 -trailer'\n"
            "earmark search 'said:\"garbage collector\" speaker:guido'\n"
            "earmark search --json --limit 5 'compil* is:unplayed' | jq -r '.[].title'"
        ),
        run=_search,
        arguments=_arguments,
        lists=(_FOUND,),
        exits={1: _("a part of the query wasn't understood; the rest was searched")},
    ),
}

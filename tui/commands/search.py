"""`search`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from player.library import Library
from player.library.search import Found, Passage
from player.model import Episode
from player.remote.jsonable import episode_json
from player.times import clock
from tui.commands.command import Command, Context, complain, print_json
from tui.commands.episodes import SCREENFUL, a_limit, print_episodes
from tui.facts import count
from tui.terminal import is_terminal

_MANY = 5000
"""Episodes that take more than half a second to be made findable."""
_EXCERPT = 160
_ALL = 2**31


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("words", metavar="QUERY", nargs="+", help="words of titles, notes and transcripts, and filters")
    parser.add_argument(
        "--limit",
        metavar="N",
        type=a_limit,
        help=f"no more than N; 0: all. A terminal is shown {SCREENFUL} unless told otherwise",
    )
    parser.add_argument("--best", action="store_true", help="the best first, not the newest")


def _search(context: Context, options: Namespace) -> int:
    on_screen = is_terminal(sys.stdout) and not options.json
    limit = (SCREENFUL if on_screen else _ALL) if options.limit is None else options.limit or _ALL
    with context.library() as library:
        _catch_up(library)
        found = library.search.find(" ".join(options.words), limit, best=options.best)
        episodes = library.episodes.rows(found.ids)
        spoken = library.search.with_transcripts(found.ids)
        looked_into = episodes if options.json else [one for one in episodes if one.id in spoken]
        passages = library.search.passages(looked_into, found, _EXCERPT)
        for problem in found.problems:
            complain(problem)
        if options.json:
            print_json([_json(*each) for each in zip(episodes, passages, strict=True)])
    if not options.json:
        _print(context, episodes, found)
        _print_said([each for each in zip(looked_into, passages, strict=True) if each[1].at_ms is not None])
    return 1 if found.problems else 0


def _catch_up(library: Library) -> None:
    """What came since the last search is made findable first."""
    left = library.search.left()
    tell = left > _MANY and is_terminal(sys.stderr)
    if tell:
        print(f"Reading the words of {count(left, 'episode', 'episodes')} ...", end="", file=sys.stderr, flush=True)
    library.search.catch_up()
    if tell:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _json(episode: Episode, passage: Passage) -> dict[str, object]:
    return {**episode_json(episode), "excerpt": passage.text, "at_ms": passage.at_ms}


def _print(context: Context, episodes: Sequence[Episode], found: Found) -> None:
    from player.library.searching import hits

    if not episodes:
        print("Nothing found.")
        return
    print_episodes(context, episodes, with_podcast=True, marked=lambda line: hits(line, found.terms))
    if found.more:
        print(f"The first {count(len(episodes), 'episode', 'episodes')}. All of them: --limit 0")


def _print_said(said: Sequence[tuple[Episode, Passage]]) -> None:
    """What is said, and when, below the episodes."""
    from tui.commands.table import Column, print_table

    if said:
        print()
        columns = [Column("ID", right=True), Column("AT", right=True), Column("SAID", flexible=True)]
        print_table(columns, [(str(one.id), clock(passage.at_ms or 0), passage.text) for one, passage in said])
        print("To hear it: earmark play ID --at AT")


COMMANDS = {
    "search": Command(
        about=(
            "Searches the titles and notes of all episodes, and what is said in those whose transcripts are here: all\n"
            "words must be there, in any order; case and accents don't count, and the last word may be a beginning.\n"
            "The newest come first.\n\n"
            '  "two words"    side by side           podcast:NAME   of podcasts with NAME in their title\n'
            "  word*          a beginning            after:DATE     published on that day, or later\n"
            "  -word          must not be there      before:DATE    published before that day\n"
            "  is:MARK        unplayed, played, starred, in-progress or downloaded\n"
            "  in:transcript  only what is said\n\n"
            "DATE is 2026, 2026-03 or 2026-03-14."
        ),
        examples=(
            "earmark search cuda graphs\nearmark search '\"garbage collection\" podcast:python after:2025 -trailer'\n"
            "earmark search --json --limit 5 'compil* is:unplayed' | jq -r '.[].title'"
        ),
        run=_search,
        arguments=_arguments,
        reports=True,
    ),
}

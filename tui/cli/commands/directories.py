"""`find`, and the older `top`: podcasts and single episodes in the public directories."""

import os
import re
import shutil
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from textwrap import fill
from threading import Lock
from typing import TYPE_CHECKING, Any

from player.directory.adapters import adapters, by_trust
from player.directory.directory_errors import listed
from player.errors import EarmarkError
from player.integrations.json_api import found_episode_json, found_json
from player.settings import section_of
from player.text.sentences import _, plural, translate
from tui.cli.command import Column, Command, Context, Row, Rows, complain, typed_login
from tui.cli.completing import offer
from tui.cli.printout import Printout, cells_of, grouped
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.directory.directories import Directories
    from player.directory.directory import FoundEpisode, FoundPodcast, Item
    from player.directory.searching import OnChange, Search, SearchState
    from player.library import Library


_FOUND, _TOP, _MOST_FOUND, _MOST_TOP = 20, 25, 100, 50
"""Podcasts or episodes that are shown by default, and at most."""
_CONNECT_S, _SILENCE_S = 10.0, 20.0
_WIDTH = 104
"""Columns of the text in --help."""


def _standing(row: Row, _context: Context) -> str:
    if row["podcast_id"] is not None:
        return _("subscribed")
    return "" if row["url"] else _("no feed")


_PODCASTS = Rows(
    "list[FoundPodcast]",
    (
        Column(_("TITLE"), "{title}", flexible=True, optional=True),
        Column(_("AUTHOR"), "{author}", flexible=True, spare=3, optional=True),
        Column(_("EPISODES"), grouped("episode_count"), right=True, spare=2, optional=True),
        Column(_("NEWEST"), "{newest_day}", spare=1, optional=True),
        Column(_("LANGUAGE"), "{language}", spare=4, optional=True),
        Column("", _standing, optional=True),
        Column(_("FEED"), "{url}", optional=True),
    ),
    limited=False,
)


_EPISODES = Rows(
    "list[DirectoryEpisode]",
    (
        Column(_("TITLE"), "{title}", flexible=True),
        Column(_("PODCAST"), "{podcast}", flexible=True, spare=3, optional=True),
        Column(_("DATE"), "{published_day}", spare=2, optional=True),
        Column(_("LENGTH"), "{duration}", right=True, spare=1, optional=True),
        Column("", lambda row, _context: "" if row["feed_url"] else _("no feed"), optional=True),
        Column(_("FEED"), "{feed_url}", optional=True),
    ),
    limited=False,
)


def _find_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("words", metavar="WORDS", nargs="*", help=_("words of a title or an author"))
    parser.add_argument(
        "--episodes",
        action="store_true",
        help=_("find single episodes instead, by words of their titles and descriptions, or by a person"),
    )
    parser.add_argument(
        "--queue",
        metavar="N",
        type=_number,
        help=_("with --episodes: add the episode in row N to the queue, without subscribing to its podcast"),
    )
    parser.add_argument("--popular", action="store_true", help=_("show popular podcasts, from the charts named above"))
    _chart_arguments(parser)
    _limit_argument(parser, _FOUND, _MOST_FOUND)
    parser.add_argument(
        "--sign-in",
        action="store_true",
        help=_("save your API key of {directories} and its secret", directories=listed(_titles(keyed=True))),
    )


def _find_misuse(options: Namespace) -> str:
    if options.popular:
        if options.episodes:
            return _("Choose either --popular or --episodes")
        return _("Popular podcasts can't be searched; leave out the words or --popular") if options.words else ""
    if options.queue is not None and not options.episodes:
        return _("--queue needs --episodes")
    if options.country or options.topic:
        return _("--country and --topic need --popular")
    return "" if options.sign_in or " ".join(options.words).strip() else _("WORDS are missing")


def _find(context: Context, options: Namespace) -> int:
    if options.popular:
        return _top(context, options)
    printout = Printout(context, options, _EPISODES if options.episodes else _PODCASTS)
    if options.sign_in:
        return _sign_in(context)
    words = " ".join(options.words)
    if options.episodes:
        return _find_episodes(context, printout, words, options.queue)
    return _run(context, printout, lambda directories, tell: directories.search(words, tell, limit=_MOST_FOUND))


def _find_episodes(context: Context, printout: Printout, words: str, number: int | None) -> int:
    with context.library() as library:
        state = _asked(context, library, lambda one, tell: one.episodes(words, tell, limit=_MOST_FOUND))
        if number is not None:
            if state.failed:
                return 1
            if not state.found:
                raise EarmarkError(_("No episodes found"), _("Try fewer or other words."))
            if number > len(state.found):
                found = plural(len(state.found), "Only {n:,} episode was found", "Only {n:,} episodes were found")
                raise EarmarkError(found, _("Choose one of its rows."))
            return _queue_found(context, library, state.found[number - 1])
    rows = [found_episode_json(one) for one in printout.first(state.found)]
    if printout.is_table:
        _print(context, rows, state, _EPISODES, _("No episodes found."))
    else:
        printout.print(rows)
    return 1 if state.failed else 0


def _queue_found(context: Context, library: "Library", found: "FoundEpisode") -> int:
    from player.events import Bus
    from player.jobs.runner import JobRunner
    from player.new_podcasts import NewPodcasts

    if not found.feed_url:
        raise EarmarkError(_("No directory knows the feed of “{title}”. Its web page may.", title=found.title))
    jobs = JobRunner(context.paths, Bus(), uses_inbox=context.settings.inbox.enabled)
    try:
        opened = NewPodcasts(library, Bus(), lambda: jobs).opening(found)()
    finally:
        jobs.close()
    if opened.problem:
        complain(opened.problem)
    episode = opened.episode
    context.acts(library, lambda acts: acts.queue_last([episode.id]).result())
    print(_("“{title}” is in the queue. Its ID: {id}", title=episode.title, id=episode.id))
    return 0


def _sign_in(context: Context) -> int:
    """Asks for the key and the secret on a terminal: in arguments they would stand in the shell's history."""
    keyed = [(one, one.key) for one in adapters() if one.key is not None]
    if not is_terminal(sys.stdin):
        names = listed([name for _one, key in keyed for name in (key.key, key.secret)])
        raise EarmarkError(
            _("Signing in needs a terminal, where you enter your API key"),
            _("Without one, set {settings} in config.toml.", settings=names),
        )
    for adapter, _key in keyed:
        if len(keyed) > 1:
            print(adapter.title, file=sys.stderr)
        key, secret = typed_login(_("API key: "), _("Secret (not shown): "))
        if not (key and secret.strip()):
            print(_("Nothing was saved."))
            continue
        server = adapter.server(section_of(context.settings, "directories"))
        context.credentials.remember(server, key, secret.strip())
        print(_("Saved. From now on {directory} is asked too.", directory=adapter.title))
    return 0


def _top_arguments(parser: ArgumentParser) -> None:
    _chart_arguments(parser)
    _limit_argument(parser, _TOP, _MOST_TOP)


def _chart_arguments(parser: ArgumentParser) -> None:
    country = _("the charts of this country, like US or DE (default: yours)")
    parser.add_argument("--country", metavar="CC", type=_country, help=country)
    topic = parser.add_argument("--topic", metavar="T", type=_topic, help=_("one of those above (default: all)"))
    offer(topic, _topic_names)


def _top(context: Context, options: Namespace) -> int:
    printout = Printout(context, options, _PODCASTS)

    def begin(directories: "Directories", tell: "OnChange[FoundPodcast]") -> "Search[FoundPodcast]":
        country, topic = options.country or "", options.topic or ""
        limit = min(options.limit or _MOST_TOP, _MOST_TOP)
        return directories.charts(tell, country=country, topic=topic, limit=limit)

    return _run(context, printout, begin)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise ArgumentTypeError(_("“{text}” isn't the number of a row", text=text[:20]))
    return int(text[:9])


def _limit_argument(parser: ArgumentParser, default: int, most: int) -> None:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            raise ArgumentTypeError(_("“{text}” isn't a number of podcasts", text=text[:20]))
        return min(int(text), most)

    text = _("at most N (0: all, up to {most}; default {number})", number=default, most=most)
    parser.add_argument("--limit", metavar="N", type=number, default=default, help=text)


def _country(text: str) -> str:
    if not re.fullmatch("[A-Za-z]{2}", text):
        raise ArgumentTypeError(_("“{text}” isn't a country code of two letters, like US or DE", text=text[:20]))
    return text.upper()


def _topic(text: str) -> str:
    from player.directory.directory import TOPICS, topic_of
    from player.text.typed_names import suggestion

    if topic := topic_of(text):
        return topic.id
    near = suggestion(text.lower(), [topic.id for topic in TOPICS])
    raise ArgumentTypeError(_("there is no topic “{text}”.", text=text[:40]) + near)


def _run(
    context: Context,
    printout: Printout,
    begin: "Callable[[Directories, OnChange[FoundPodcast]], Search[FoundPodcast]]",
) -> int:
    with context.library() as library:
        state = _asked(context, library, begin)
    rows = [found_json(one) for one in printout.first(state.found)]
    if printout.is_table:
        _print(context, rows, state, _PODCASTS, _("No podcasts found."))
    else:
        printout.print(rows)
    return 1 if state.failed else 0


def _asked(
    context: Context, library: "Library", begin: "Callable[[Directories, OnChange[Item]], Search[Item]]"
) -> "SearchState[Item]":
    """Waits for all directories, a few seconds at most, and says which of them have failed."""
    with _directories(context, library) as directories:
        waiting = _Waiting()
        search = begin(directories, waiting)
        with waiting.until_over(search.state):
            state = search.wait()
    for problem in state.problems:
        complain(problem)
    return state


class _Waiting:
    """On a terminal, says at once who is asked, then who is slow, in a line that goes when all have answered."""

    def __init__(self) -> None:
        self._quiet = not is_terminal(sys.stderr) or os.environ.get("TERM") == "dumb"
        self._lock = Lock()
        self._text = ""

    @contextmanager
    def until_over(self, state: "SearchState[Any]") -> "Iterator[None]":
        self(state)
        try:
            yield
        finally:
            with self._lock:
                self._quiet, quiet = True, self._quiet
                if not quiet:
                    self._show("")

    def __call__(self, state: "SearchState[Any]") -> None:
        slow = [one.name for one in state.directories if one.condition == "slow"]
        asked = slow or [one.name for one in state.directories if not one.done]
        if not asked:
            return
        names = listed(asked)
        with self._lock:
            if not self._quiet and slow:
                self._show(_("Waiting for {directories}…", directories=names))
            elif not self._quiet:
                self._show(_("Asking {directories}…", directories=names))

    def _show(self, text: str) -> None:
        from tui.drawing.cells import cut

        text = cut(text, max(0, shutil.get_terminal_size().columns - 1))
        if text != self._text:
            self._text = text
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


@contextmanager
def _directories(context: Context, library: "Library") -> "Iterator[Directories]":
    from player.directory.directories import Directories
    from player.library.subscriptions import subscriptions
    from player.net.loop import NetworkLoop

    network = NetworkLoop(_CONNECT_S, _SILENCE_S)
    login, known = context.credentials.find, lambda: subscriptions(library.podcasts)
    directories = Directories(context.settings.directories, known, login, network)
    try:
        yield directories
    finally:
        directories.close()
        network.close()


def _print(context: Context, rows: Sequence[Row], state: "SearchState[Any]", kind: Rows, nothing: str) -> None:
    if not rows:
        if not state.directories:
            print(_("No directory is asked. See [directories] in config.toml."))
        elif not state.failed:
            print(nothing)
        return
    _print_table(context, rows, kind)
    if left := len(state.found) - len(rows):
        print(plural(left, "And {n:,} more. Show all: --limit 0", "And {n:,} more. Show all: --limit 0"))


def _print_table(context: Context, rows: Sequence[Row], kind: Rows) -> None:
    """On a terminal each feed's address has a line of its own: `earmark add` needs the whole of it."""
    from tui.cli.text_table import print_table, terminal_width

    cells = cells_of(kind, rows, context)
    if terminal_width() is None:
        print_table(kind.columns, cells)
    else:
        print_table(kind.columns[:-1], [one[:-1] for one in cells], below=[one[-1] for one in cells])


def _titles(*, keyed: bool) -> list[str]:
    """The directories that need an API key, or those that don't."""
    return [one.title for one in adapters() if (one.key is not None) is keyed]


def _directory_names() -> str:
    keyless, keyed = _titles(keyed=False), _titles(keyed=True)
    if not keyed:
        return listed(keyless)
    return _(
        "{directories} and, with an API key of your own, {others}", directories=", ".join(keyless), others=listed(keyed)
    )


def _with_episodes() -> str:
    titles = [one.title for one in adapters() if one.finds_episodes]
    return listed(titles) if titles else _("none of them")


def _wrapped(text: str) -> str:
    return fill(text, _WIDTH, break_on_hyphens=False)


def _topic_names() -> list[str]:
    from player.directory.directory import TOPICS

    return [topic.id for topic in TOPICS]


def _charts() -> str:
    """Where they come from, and their topics."""
    words = _(
        "Popular podcasts are those that many people listen to, in a country and on a topic: {charts}. Topics:",
        charts=", ".join(translate(one.charts) for one in by_trust() if one.charts),
    )
    names = _topic_names()
    return "\n".join(
        [_wrapped(words), *("  " + " ".join(names[start : start + 8]) for start in range(0, len(names), 8))]
    )


COMMANDS = {
    "find": Command(
        summary=_("find podcasts or episodes in the public directories, or show popular podcasts"),
        after="add",
        about=_wrapped(
            _(
                "Find podcasts in the public directories: {directories}. Your words are sent to all of them at once."
                " Subscribe with: earmark add FEED",
                directories=_directory_names(),
            )
        )
        + "\n\n"
        + _wrapped(
            _(
                "Single episodes come from {directories}. Subscribe to an episode's podcast with `earmark add FEED`, or"
                " add the episode to the queue with --queue, without a subscription.",
                directories=_with_episodes(),
            )
        )
        + f"\n\n{_charts()}",
        examples=(
            "earmark find pytorch\nearmark find compiler internals --limit 5\n"
            "earmark find --episodes ada lovelace\nearmark find --episodes ada lovelace --queue 1\n"
            "earmark find --popular --country DE --topic technology\n"
            "earmark find --json software engineering | jq -r '.[].url'\n"
            "earmark find pytorch --format '{title:40.40} {url}'"
        ),
        run=_find,
        misuse=_find_misuse,
        arguments=_find_arguments,
        prints={"": "list[FoundPodcast]", "with --episodes": "list[DirectoryEpisode]"},
        lists=(_PODCASTS, _EPISODES),
    ),
    "top": Command(
        summary=_("show popular podcasts"),
        about=_charts(),
        examples="earmark top\nearmark top --country DE --topic technology\nearmark top --topic science --json",
        former="find --popular",
        run=_top,
        arguments=_top_arguments,
        lists=(_PODCASTS,),
    ),
}

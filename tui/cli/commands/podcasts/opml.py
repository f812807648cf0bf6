"""`import`."""

import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from player.text.sentences import _, plural
from tui.cli.command import Command, Context, complain, print_json

if TYPE_CHECKING:
    from player.events import Bus, RefreshProgress
    from player.feeds.opml import Outline
    from player.feeds.opml_import import Subscribed
    from player.feeds.parsing.parser_pool import ParserPool
    from player.feeds.refresh_summary import RefreshSummary
    from player.jobs.runner import Follower
    from player.library import Library

_INDEXED_AT_ONCE = 4_000
"""Episodes that take 0.03 s to index."""


def _import_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help=_("OPML file, or text file with one URL per line (-: stdin)"))


def _import(context: Context, options: Namespace) -> int:
    from player.feeds.parsing.parser_pool import ParserPool

    with closing(ParserPool()) as parsers:
        parsers.start(1)  # first of all: it takes as long to load as all else
        outlines = _outlines(options.file)
        parsers.start(len(outlines))
        return _subscribe(outlines, parsers, context, options)


def _subscribe(outlines: "list[Outline]", parsers: "ParserPool", context: Context, options: Namespace) -> int:
    from player.events import Bus, RefreshProgress
    from player.feeds.opml_import import import_report, subscribe_all

    with context.library() as library:
        subscribed = subscribe_all(library, outlines)
        titles = {one.id: one.title for one in library.podcasts.all()}
        done = 0

        def count_done(progress: RefreshProgress) -> None:
            nonlocal done
            done = max(done, progress.done)

        bus = Bus()
        bus.subscribe(RefreshProgress, count_done)
        try:
            summary = _refresh_added(context, library, bus, subscribed, parsers)
        except KeyboardInterrupt:
            complain(import_report(subscribed, 0, len(subscribed.added) + len(subscribed.unread) - done))
            raise
    failed = [*subscribed.refused, *((titles.get(one, str(one)), sentence) for one, sentence in summary.failed)]
    if options.json:
        print_json(
            {
                "added": len(subscribed.added),
                "known": subscribed.known,
                "new": summary.new,
                "tags": sorted(subscribed.tags),
                "failed": [{"title": title, "error": sentence} for title, sentence in failed],
            }
        )
    else:
        words = import_report(subscribed, len(summary.failed), 0)
        episodes = plural(summary.new, "{n:,} episode.", "{n:,} episodes.")
        print(f"{words} {episodes}" if summary.new else words, flush=True)
    for title, sentence in failed:
        complain(f"{title}: {sentence}")
    return 1 if failed else 0


def _outlines(file: str) -> "list[Outline]":
    from player.feeds.opml import load_opml, read_opml

    if file == "-":
        return read_opml(sys.stdin.buffer.read(), _("Standard input"))
    return load_opml(Path(file).expanduser())


def _refresh_added(
    context: Context, library: "Library", bus: "Bus", subscribed: "Subscribed", parsers: "ParserPool"
) -> "RefreshSummary":
    """Reads the added feeds and indexes their episodes."""
    from player.events import RefreshProgress
    from player.feeds.refresh import Refresher
    from player.feeds.refresh_summary import RefreshSummary
    from player.jobs.runner import Follower
    from player.net.credentials import Credentials
    from tui.cli.commands.podcasts.refresh import cancelled_by_interrupt, progress_shown

    if not (subscribed.added or subscribed.unread):
        return RefreshSummary()
    refresher = Refresher(library, bus, credentials=Credentials(context.paths.logins).find, readers=lambda: parsers)
    with closing(Follower(context.paths)) as follower, progress_shown(bus), cancelled_by_interrupt(refresher.cancel):
        bus.subscribe(RefreshProgress, _Indexing(follower).go_on)
        summary = refresher.refresh([*subscribed.added, *subscribed.unread])
        follower.finish()
    library.search.catch_up()
    return summary


class _Indexing:
    """Indexes new episodes in batches during the import, while this process waits for the disk and the parsers."""

    def __init__(self, follower: "Follower") -> None:
        self._follower = follower
        self._reached = 0

    def go_on(self, progress: "RefreshProgress") -> None:
        if progress.new - self._reached >= _INDEXED_AT_ONCE:
            self._reached = progress.new
            self._follower.more()


COMMANDS = {
    "import": Command(
        about=_(
            "Subscribe to all podcasts in a list that another player exported (OPML), and read their feeds.\n"
            "Titles are kept, folders and categories become tags, and feeds that can't be read are reported.\n"
            "If interrupted, run it again to continue."
        ),
        examples="earmark import podcasts.opml\ncat addresses.txt | earmark import -",
        run=_import,
        arguments=_import_arguments,
        reports=True,
    ),
}

"""`import`: what another app knew of podcasts and episodes, or an export of everything."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.structs import asdict, replace

from player.errors import TransferError
from player.events import Bus, RefreshProgress
from player.feeds.opml import Subscribed, import_report
from player.feeds.refresh_summary import RefreshSummary
from player.library import Library
from player.links.addresses import with_home
from player.text.sentences import _, plural
from player.transfer.earmark import Report, recognises, restore, sentences
from tui.cli.command import Command, Context, complain, complain_of, print_json, report, titled

if TYPE_CHECKING:
    from player.feeds.parsing.parser_pool import ParserPool
    from player.jobs.runner import Follower
    from player.model.foreign import ForeignLibrary
    from player.transfer.bring import Arrived


def _restore(path: Path, parsers: "ParserPool", context: Context, options: Namespace) -> int:
    """Puts the export back, and reads the feeds that were never read; with --dry-run it only says what would change."""
    with context.library() as library:
        done = restore(path, library, dry_run=options.dry_run)
        subscribed = Subscribed(done.restored.added, done.restored.known, done.restored.unread)
        if options.dry_run:
            failed, new = [], 0
        else:
            if not options.json:
                print(" ".join(sentences(done)), flush=True)
            summary = refresh_added(context, library, Bus(), subscribed, parsers)
            library.search.catch_up()
            failed, new = titled(library, summary.failed), summary.new
    if options.json:
        print_json(_restored(done, failed, new))
    elif options.dry_run:
        print(_("This is what would change:"), " ".join(sentences(done)))
    elif new:
        print(plural(new, "{n:,} more episode from the feeds.", "{n:,} more episodes from the feeds."))
    complain_of(failed)
    return 1 if failed or done.ends_early else 0


def _restored(done: Report, failed: list[tuple[str, str]], new: int) -> dict[str, Any]:
    restored = done.restored
    return {
        "app": "Earmark",
        "added": len(restored.added),
        "known": restored.known,
        "new": new,
        "lists": restored.lists,
        **to_builtins(restored.counts),
        "not_understood": done.odd,
        "later_version": done.later,
        "ends_early": done.ends_early,
        "failed": [{"title": title, "error": sentence} for title, sentence in failed],
    }


_INDEXED_AT_ONCE = 4_000
"""Episodes that take 0.03 s to index."""


def _import_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help=_("another app's file: a list (OPML or text), an export or a database (-: stdin)")
    )
    parser.add_argument("--dry-run", action="store_true", help=_("only show what would be imported, and what can't be"))


def _import(context: Context, options: Namespace) -> int:
    from player.feeds.parsing.parser_pool import ParserPool
    from player.transfer.load import load

    with closing(ParserPool()) as parsers, _named(options.file) as path:
        if recognises(path):
            return _restore(path, parsers, context, options)
        if options.dry_run:
            return _show(context, load(path), options)
        parsers.start(1)  # first of all: it takes as long to load as all else
        read = load(path)
        parsers.start(len(read.podcasts))
        return _bring(read, parsers, context, options)


@contextmanager
def _named(file: str) -> Iterator[Path]:
    """The file; for `-` one with what comes through the pipe. Raises TransferError."""
    if file != "-":
        yield with_home(file)
        return
    with TemporaryDirectory(prefix="earmark-") as folder:
        path = Path(folder) / "import"
        path.write_bytes(sys.stdin.buffer.read())
        try:
            yield path
        except TransferError as error:
            raise TransferError(error.what.replace(str(path), _("Standard input")), error.advice) from error


def _show(context: Context, read: "ForeignLibrary", options: Namespace) -> int:
    from player.transfer.bring import preview

    with context.library() as library:
        found = preview(library, read)
    first = f"{found.app}: {found.summary}." if found.app else f"{found.summary}."
    return report(options, asdict(found), first, *found.left_out)


def _bring(read: "ForeignLibrary", parsers: "ParserPool", context: Context, options: Namespace) -> int:
    from player.transfer.bring import bring, episodes_report, fill

    with context.library() as library:
        arrived = bring(library, read, context.credentials)
        subscribed = arrived.subscribed
        done = 0

        def count_done(progress: RefreshProgress) -> None:
            nonlocal done
            done = max(done, progress.done)

        bus = Bus()
        bus.subscribe(RefreshProgress, count_done)
        try:
            summary = refresh_added(context, library, bus, subscribed, parsers)
        except KeyboardInterrupt:
            complain(import_report(subscribed, 0, len(arrived.to_read) - done))
            raise
        waiting = library.incoming.waiting(arrived.episodes.act_id)
        unlisted = fill(library, arrived.playlists)
        arrived = replace(arrived, subscribed=subscribed.read(library))
        failed = [*subscribed.refused, *titled(library, summary.failed)]
    if options.json:
        print_json(_document(arrived, summary, failed, read, waiting, unlisted))
    else:
        words = import_report(arrived.subscribed, len(summary.failed), 0)
        episodes = plural(summary.new, "{n:,} episode.", "{n:,} episodes.") if summary.new else ""
        print(" ".join(filter(None, (words, episodes, episodes_report(arrived, waiting, unlisted)))), flush=True)
        for sentence in read.left_out:
            print(sentence, flush=True)
    complain_of(failed)
    return 1 if failed else 0


def _document(
    arrived: "Arrived",
    summary: RefreshSummary,
    failed: "list[tuple[str, str]]",
    read: "ForeignLibrary",
    waiting: int,
    unlisted: int,
) -> "dict[str, Any]":
    brought = arrived.episodes
    return {
        "added": len(arrived.subscribed.added),
        "known": arrived.subscribed.known,
        "new": summary.new,
        "tags": sorted(arrived.subscribed.tags),
        "failed": [{"title": title, "error": sentence} for title, sentence in failed],
        "app": read.app,
        "version": read.version,
        "episodes": arrived.came(waiting),
        "imported_before": brought.before,
        "waiting": waiting,
        "bookmarks": arrived.bookmarks,
        "lists": arrived.lists,
        "not_listed": unlisted,
        "left_out": list(read.left_out),
    }


def refresh_added(
    context: Context, library: Library, bus: Bus, subscribed: Subscribed, parsers: "ParserPool"
) -> RefreshSummary:
    """Reads the added feeds and indexes their episodes."""
    from player.feeds.refresh import Refresher
    from player.jobs.runner import Follower
    from player.sources import all_sources
    from tui.cli.commands.refresh import cancelled_by_interrupt, progress_shown

    if not (subscribed.added or subscribed.unread):
        return RefreshSummary()
    credentials = context.credentials
    sources = all_sources(context.paths.cache, credentials)
    refresher = Refresher(library, bus, credentials=credentials.find, readers=lambda: parsers, sources=sources)
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

    def go_on(self, progress: RefreshProgress) -> None:
        if progress.new - self._reached >= _INDEXED_AT_ONCE:
            self._reached = progress.new
            self._follower.more()


COMMANDS = {
    "import": Command(
        summary=_("import podcasts, positions and marks from another app"),
        after="refresh",
        about=_(
            "Import podcasts from another app: from a list (OPML, or one URL per line), or with all that it knows\n"
            "from the database of AntennaPod, gPodder, castero, Kasts, GNOME Podcasts, Apple Podcasts\n"
            "(MTLibrary.sqlite) or newsboat (urls or cache.db), Podcast Addict's backup, Overcast's “All data” or a\n"
            "PortCast document.\n"
            "A file is recognised by its contents. Subscriptions come with titles, speeds, and folders as tags;\n"
            "episodes with played marks, positions, stars, the queue and the history, also when their feeds bring\n"
            "them only later. Nothing newer in Earmark is overwritten, and importing twice changes nothing. If\n"
            "interrupted, run it again.\n\n"
            "A file of `earmark export --all` is added to the library, which loses nothing."
        ),
        examples=(
            "earmark import podcasts.opml\nearmark import --dry-run ~/gPodder/Database\n"
            "earmark import AntennaPodBackup.db\nearmark import earmark.json\ncat addresses.txt | earmark import -"
        ),
        run=_import,
        arguments=_import_arguments,
        prints={"": "Imported", "with --dry-run": "Preview", "an export of Earmark": "Restored"},
        exits={1: _("a part couldn't be read; the rest was imported")},
    ),
}

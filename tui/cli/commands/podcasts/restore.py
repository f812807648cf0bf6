"""What `import` does with an export of everything."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from player.exports.restore import Report, restore, sentences
from player.feeds.opml_import import Subscribed
from player.text.sentences import _, plural
from tui.cli.command import Context, complain, print_json

if TYPE_CHECKING:
    from player.feeds.refresh_summary import RefreshSummary
    from player.library import Library

Refresh = Callable[["Library", Subscribed], "RefreshSummary"]


def restore_all(path: Path, context: Context, options: Namespace, refresh: Refresh) -> int:
    """Puts the export back, and reads the feeds that were never read; with --dry-run it only says what would change."""
    with context.library() as library:
        report = restore(path, library, dry_run=options.dry_run)
        subscribed = Subscribed(report.restored.added, report.restored.known, report.restored.unread)
        if options.dry_run:
            failed, new = [], 0
        else:
            if not options.json:
                print(" ".join(sentences(report)), flush=True)
            summary = refresh(library, subscribed)
            library.search.catch_up()
            titles = {one.id: one.title for one in library.podcasts.all()}
            failed = [(titles.get(one, str(one)), sentence) for one, sentence in summary.failed]
            new = summary.new
    if options.json:
        print_json(_document(report, failed, new))
    elif options.dry_run:
        print(_("This is what would change:"), " ".join(sentences(report)))
    elif new:
        print(plural(new, "{n:,} more episode from the feeds.", "{n:,} more episodes from the feeds."))
    for title, sentence in failed:
        complain(f"{title}: {sentence}")
    return 1 if failed or report.ends_early else 0


def _document(report: Report, failed: list[tuple[str, str]], new: int) -> dict[str, Any]:
    restored = report.restored
    return {
        "app": "Earmark",
        "added": len(restored.added),
        "known": restored.known,
        "new": new,
        "lists": restored.lists,
        **to_builtins(restored.counts),
        "not_understood": report.odd + restored.odd_settings,
        "later_version": report.later,
        "ends_early": report.ends_early,
        "failed": [{"title": title, "error": sentence} for title, sentence in failed],
    }

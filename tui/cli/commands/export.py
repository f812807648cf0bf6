"""`export`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from player.library import Library
from player.links.addresses import with_home
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, complain


def _arguments(parser: ArgumentParser) -> None:
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--opml", action="store_true", help=_("the list of podcasts, for other players (default)"))
    kinds.add_argument(
        "--all",
        action="store_true",
        help=_("everything of yours as JSON, for `earmark import` on another computer"),
    )
    kinds.add_argument(
        "--markdown",
        action="store_true",
        help=_("a document to read: podcasts, starred episodes, bookmarks and what you heard"),
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help=_("output file (default: stdout)"))


def _export(context: Context, options: Namespace) -> int:
    with context.library() as library:
        if options.file is None or options.file == "-":
            sys.stdout.flush()
            sys.stdout.writelines(_pieces(library, options))
        else:
            print(_save(library, with_home(options.file), options))
    if options.all:
        complain(_("Names and passwords of private feeds, config.toml and downloaded files aren't in the export."))
    return 0


def _pieces(library: Library, options: Namespace) -> Iterable[str]:
    now = datetime.now(UTC)
    if options.all:
        from player.exports.archive import Exported, archive

        with library.personal.reading() as reader:
            yield from (piece.decode() for piece in archive(reader, now, Exported()))
    elif options.markdown:
        from player.exports.markdown import document

        yield from (f"{line}\n" for line in document(library, now))
    else:
        from player.feeds.opml import write_opml

        yield write_opml(library.podcasts.all(), now)


def _save(library: Library, path: Path, options: Namespace) -> str:
    """Writes the file, and says what was written."""
    now = datetime.now(UTC)
    if options.all:
        from player.exports.archive import save_archive

        counts = save_archive(path, library, now)
        podcasts = plural(counts.podcasts, "{n:,} podcast", "{n:,} podcasts")
        episodes = plural(counts.episodes, "{n:,} episode", "{n:,} episodes")
        return _("{podcasts} and {episodes} written to {file}.", podcasts=podcasts, episodes=episodes, file=path)
    if options.markdown:
        from player.exports.markdown import save_document

        save_document(path, library, now)
        return _("Document written to {file}.", file=path)
    from player.feeds.opml import save_opml

    written = save_opml(path, library.podcasts.all(), now)
    return plural(written, "{n:,} podcast written to {file}.", "{n:,} podcasts written to {file}.", file=path)


COMMANDS = {
    "export": Command(
        summary=_("export your podcasts, everything of yours, or a document to read"),
        after="import",
        about=_(
            "Export your podcasts as a list that other players can import (OPML), without usernames and passwords.\n"
            "A podcast with tags is in a folder named after its first tag; `category` lists all of them.\n\n"
            "--all writes everything of yours, for another computer or to keep: podcasts with their settings, marks,\n"
            "positions, queue, lists, bookmarks and history. Only you can read that file."
        ),
        examples=(
            "earmark export podcasts.opml\nearmark export | less\nearmark export --all earmark.json\n"
            "earmark export --markdown podcasts.md"
        ),
        run=_export,
        arguments=_arguments,
    ),
}

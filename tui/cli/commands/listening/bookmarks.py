"""`bookmarks`."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from player.errors import NotFound
from player.text.durations import clock
from player.text.sentences import _
from tui.cli.command import Command, Context, print_json
from tui.cli.describe import day

if TYPE_CHECKING:
    from player.library import Library
    from player.model.bookmark import Bookmark


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode", metavar="EPISODE", nargs="?", help=_("its ID, or its title or part of it (default: all episodes)")
    )
    parser.add_argument(
        "--markdown", action="store_true", help=_("print Markdown, by the template in config.toml, the oldest first")
    )


def _bookmarks(context: Context, options: Namespace) -> int:
    with context.library() as library:
        found = _of(library, options.episode) if options.episode else library.bookmarks.all()
    if options.json:
        print_json([_json(one) for one in found])
    elif options.markdown:
        from player.bookmarks.markdown import markdown

        template = context.settings.bookmarks.template
        print(*(markdown(one, template) for one in sorted(found, key=lambda one: one.id)), sep="", end="")
    elif not found:
        print(_("No bookmarks in this episode.") if options.episode else _("No bookmarks yet."))
    else:
        _print(found)
    return 0


def _of(library: "Library", name: str) -> "list[Bookmark]":
    """Of one episode; of those that are gone, of all by that name."""
    try:
        return library.bookmarks.of_episode(library.episodes.find(name).id)
    except NotFound:
        from player.text.cleaning import fold

        found = [one for one in library.bookmarks.all() if fold(name) in fold(one.episode)]
        if not found:
            raise
        return found


def _json(bookmark: "Bookmark") -> dict[str, Any]:
    from player.bookmarks.markdown import link_at

    return {
        "id": bookmark.id,
        "episode_id": bookmark.episode_id,
        "episode": bookmark.episode,
        "podcast": bookmark.podcast,
        "position_ms": bookmark.position_ms,
        "chapter": bookmark.chapter,
        "line": bookmark.line,
        "note": bookmark.note,
        "created": bookmark.created_at.isoformat(),
        "link": link_at(bookmark.link, bookmark.position_ms),
    }


def _print(bookmarks: "Sequence[Bookmark]") -> None:
    from tui.cli.table import Column, print_table

    columns = [
        Column(_("TIME"), right=True),
        Column(_("EPISODE"), flexible=True),
        Column(_("PODCAST"), flexible=True, spare=2),
        Column(_("MADE"), spare=1),
        Column(_("NOTE"), flexible=True),
    ]
    rows = [(clock(one.position_ms), one.episode, one.podcast, day(one.created_at), one.text) for one in bookmarks]
    print_table(columns, rows)


COMMANDS = {
    "bookmarks": Command(
        about=_(
            "List your bookmarks: all of them, the latest first, or those of one episode in its order. They stay when\n"
            "their podcast goes."
        ),
        examples="earmark bookmarks\nearmark bookmarks 12 --json\nearmark bookmarks --markdown > bookmarks.md",
        run=_bookmarks,
        arguments=_arguments,
        reports=True,
    ),
}

"""`bookmark`, and the older `bookmarks`: makes, lists and deletes them. A running Earmark shows the change at once."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from player.errors import EarmarkError, NotFound
from player.library import Library
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _, plural
from tui.cli.command import Column, Command, Context, Filters, Rows, report
from tui.cli.commands.steer import a_position
from tui.cli.named_lists import about_fitting
from tui.cli.printout import Printout, list_option

if TYPE_CHECKING:
    from player.bookmarks import Here
    from player.integrations.documents import commands
    from player.model.listening import Bookmark


# -- making one -----------------------------------------------------------------------------------------------


def _making_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode",
        metavar="EPISODE",
        nargs="?",
        help=_(
            "its ID, or its title or part of it (default: what the running Earmark plays, else the last one played;"
            " with “list”: all episodes)"
        ),
    )
    parser.add_argument(
        "--at",
        metavar="TIME",
        type=a_position,
        help=_("90, 12:34, 1:02:03 or 1h2m3s (default: the current position)"),
    )
    parser.add_argument("--note", metavar="TEXT", default="", help=_("a note to keep with it"))
    parser.add_argument("--list", action="store_true", help=_("list bookmarks; `earmark bookmark list` for short"))
    _other_arguments(parser)


def _misuse(options: Namespace) -> str:
    lists = options.list or options.markdown
    if (lists or options.delete) and (options.note or options.at is not None):
        return _("--at and --note are for a new bookmark")
    if not lists and (option := list_option(options)):
        return _("{option} needs “list”", option=option)
    return ""


def _bookmark(context: Context, options: Namespace) -> int:
    if options.list or options.markdown or options.delete:
        return _bookmarks(context, options)
    with context.library() as library:
        here = _here(context, library, options.episode, options.at)
        with context.bookmarks(library) as bookmarks:
            put = bookmarks.add(here, options.note).result()
    made = put.bookmark
    words = {"time": clock(made.position_ms), "title": clean_line(made.episode)}
    if put.before is None:
        said = _("Bookmarked {time} in “{title}”.", **words)
    else:
        said = _("Moved the bookmark to {time} in “{title}”.", **words)
    return report(options, bookmark_json(made), said, *filter(None, [clean_line(made.text)]))


def _here(context: Context, library: Library, name: str | None, at_ms: int | None) -> "Here":
    """Where to bookmark. Raises NotFound, Ambiguous, or EarmarkError: there is no such position."""
    from player.bookmarks import Here
    from tui.cli.commands.play import chosen

    status = context.status() or {"episode": None}
    playing = status["episode"]["id"] if status["episode"] is not None else None
    episode = library.episodes.get(playing) if name is None and playing is not None else chosen(library, name)
    is_playing = episode.id == playing
    if is_playing and status.get("live"):
        raise EarmarkError(_("A live stream has no positions to bookmark"))
    length = episode.duration_ms
    if at_ms is not None and length and at_ms >= length:
        raise EarmarkError(_("This episode is only {length} long", length=clock(length)), _("Choose an earlier time."))
    now_ms = status["position_ms"] if is_playing else episode.position_ms
    return Here(episode, now_ms if at_ms is None else at_ms)


# -- listing and deleting -------------------------------------------------------------------------------------


_BOOKMARKS = Rows(
    "list[Bookmark]",
    (
        Column(_("ID"), "{id}", right=True),
        Column(_("TIME"), "{position}", right=True),
        Column(
            _("LENGTH"),
            lambda row, _context: clock(row["length_ms"]) if row["length_ms"] else "",
            right=True,
            optional=True,
        ),
        Column(_("EPISODE"), "{episode}", flexible=True),
        Column(_("PODCAST"), "{podcast}", flexible=True, spare=2),
        Column(_("MADE"), "{created_day}", spare=1),
        Column(_("NOTE"), lambda row, _context: row["note"] or row["line"] or row["chapter"], flexible=True),
    ),
    Filters.MOMENTS,
)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode", metavar="EPISODE", nargs="?", help=_("its ID, or its title or part of it (default: all episodes)")
    )
    _other_arguments(parser)


def _other_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--markdown", action="store_true", help=_("print Markdown by the template in config.toml, oldest first")
    )
    parser.add_argument("--delete", metavar="ID", nargs="+", type=int, help=_("delete the bookmarks with these IDs"))


def _bookmarks(context: Context, options: Namespace) -> int:
    if options.delete:
        return _delete(context, options)
    printout = Printout(context, options, _BOOKMARKS)
    with context.library() as library:
        found = _of(library, options.episode) if options.episode else library.bookmarks.all()
        if options.filter is not None:
            found = about_fitting(library, found, options.filter)[: options.filter.limit]
    if options.markdown and printout.is_table:
        from player.bookmarks import markdown

        template, found = context.settings.bookmarks.template, list(printout.first(found))
        print(*(markdown(one, template) for one in sorted(found, key=lambda one: one.id)), sep="", end="")
        return 0
    nothing = _("No bookmarks in this episode.") if options.episode else _("No bookmarks yet.")
    printout.print(map(bookmark_json, found), nothing if options.filter is None else _("No episodes match."))
    return 0


def _delete(context: Context, options: Namespace) -> int:
    """All of them, or none. Raises NotFound."""
    from player.model.listening import BookmarkId

    ids = [BookmarkId(one) for one in dict.fromkeys(options.delete)]
    with context.library() as library:
        known = {one.id for one in library.bookmarks.all()}
        for one in ids:
            if one not in known:
                raise NotFound(_("No bookmark has the ID {id}", id=one), _("See `earmark bookmark list`."))
        with context.bookmarks(library) as bookmarks:
            deleted = bookmarks.delete(ids).result()
    words = plural(len(deleted), "Deleted {n:,} bookmark.", "Deleted {n:,} bookmarks.")
    return report(options, {"deleted": list(deleted)}, f"{words} {_('To undo this: earmark undo')}")


def _of(library: Library, name: str) -> "list[Bookmark]":
    """Of one episode; of those that are gone, of all by that name."""
    try:
        return library.bookmarks.of_episode(library.episodes.find(name).id)
    except NotFound:
        from player.text.cleaning import fold

        found = [one for one in library.bookmarks.all() if fold(name) in fold(one.episode)]
        if not found:
            raise
        return found


def bookmark_json(bookmark: "Bookmark") -> "commands.Bookmark":
    from player.links.urls import link_at

    return {
        "id": bookmark.id,
        "episode_id": bookmark.episode_id,
        "episode": bookmark.episode,
        "podcast": bookmark.podcast,
        "position_ms": bookmark.position_ms,
        "length_ms": bookmark.length_ms,
        "chapter": bookmark.chapter,
        "line": bookmark.line,
        "note": bookmark.note,
        "created": bookmark.created_at.isoformat(),
        "link": link_at(bookmark.link, bookmark.position_ms),
    }


COMMANDS = {
    "bookmark": Command(
        summary=_("bookmark what is playing, or a moment of an episode; list or delete bookmarks"),
        after="mark",
        about=_(
            "Bookmark a moment of what is playing, or of an episode, with its chapter and what is said there.\nA"
            " bookmark within two seconds of it moves there and keeps its note, unless you give a new one. `earmark"
            " undo` takes it back.\n`earmark bookmark list` lists all bookmarks, the latest first, or those of one"
            " episode in its order. They stay when their podcast is removed."
        ),
        examples=(
            'earmark bookmark\nearmark bookmark --note "look this up"\n'
            'earmark bookmark "Compiler collectives" --at 12:34\nearmark bookmark list\n'
            "earmark bookmark list 12 --json\nearmark bookmark list --markdown > bookmarks.md\n"
            "earmark bookmark list --filter tag:work --format '{position} {episode} {note}'\n"
            "earmark bookmark --delete 3"
        ),
        run=_bookmark,
        misuse=_misuse,
        arguments=_making_arguments,
        prints={"": "Bookmark", "with list": "list[Bookmark]", "with --delete": "Deleted"},
        lists=(_BOOKMARKS,),
        bare=("list",),
    ),
    "bookmarks": Command(
        summary=_("list or delete your bookmarks"),
        about=_(
            "List your bookmarks: all of them, the latest first, or those of one episode in its order; or delete some."
            "\nThey stay when their podcast is removed."
        ),
        examples=(
            "earmark bookmarks\nearmark bookmarks 12 --json\nearmark bookmarks --markdown > bookmarks.md\n"
            "earmark bookmarks --delete 3\nearmark bookmarks --filter tag:work --format '{position} {episode} {note}'"
        ),
        former="bookmark list",
        run=_bookmarks,
        arguments=_arguments,
        prints={"": "list[Bookmark]", "with --delete": "Deleted"},
        lists=(_BOOKMARKS,),
    ),
}

"""`chapters`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from player.errors import AttachmentError, NotFound
from player.model.episode import Chapter, Chapters, Episode
from player.text.durations import clock
from player.text.sentences import _
from tui.cli.attachments import attachments_of
from tui.cli.command import Command, Context, Lists
from tui.cli.listing import Printout
from tui.look.glyphs import glyphs_for

if TYPE_CHECKING:
    from player.integrations.documents import commands


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode",
        metavar="EPISODE",
        nargs="?",
        help=_("its ID, or its title or part of it (default: the last one played)"),
    )


def _chapters(context: Context, options: Namespace) -> int:
    from player.library import AttachmentKind

    printout = Printout(options, "chapters", "list[EpisodeChapter]")
    with context.library() as library:
        if options.episode:
            episode = library.episodes.find(options.episode)
        elif (last := library.progress.last()) is not None:
            episode = library.episodes.get(last)
        else:
            raise NotFound(_("Nothing has been played yet"), _("Name an episode: earmark chapters EPISODE"))
        with attachments_of(context, library) as attachments:
            trouble = attachments.fetch(episode.id, AttachmentKind.CHAPTERS)
            chapters = attachments.chapters(episode)
    if trouble and not chapters.listed:
        raise AttachmentError(trouble)
    current = chapters.at(episode.position_ms) if episode.in_progress else None
    if not printout.is_table:
        printout.print(_json(chapters, one, episode, current) for one in chapters.items)
    elif not chapters.listed:
        print(_("“{title}” has no chapters.", title=episode.title))
    else:
        _print(context, chapters, printout.first(chapters.listed), current)
    return 0


def _json(chapters: Chapters, chapter: Chapter, episode: Episode, current: Chapter | None) -> "commands.EpisodeChapter":
    return {
        "title": chapter.title,
        "start_ms": chapter.start_ms,
        "end_ms": chapters.end_of(chapter, episode.duration_ms),
        "url": chapter.url,
        "image_url": chapter.image_url,
        "hidden": chapter.hidden,
        "current": chapter is current,
        "source": chapters.source.value if chapters.source else None,
    }


def _print(context: Context, chapters: Chapters, listed: Sequence[Chapter], current: Chapter | None) -> None:
    from tui.cli.table import Column, print_table

    sign = glyphs_for(context.settings.appearance.ascii, sys.stdout.encoding).playing
    columns = [Column(""), Column(_("START"), right=True), Column(_("TITLE"), flexible=True)]
    linked = any(one.url for one in chapters.listed)
    columns += [Column(_("LINK"), flexible=True, spare=1)] if linked else []
    rows = []
    for one in listed:
        row = (sign if one is current else " ", clock(one.start_ms), one.title)
        rows.append((*row, one.url) if linked else row)
    print_table(columns, rows)


COMMANDS = {
    "chapters": Command(
        about=_(
            "List the chapters of an episode, marking where you stopped. They come from the feed, the audio file or\n"
            "timestamps in the notes."
        ),
        examples=(
            "earmark chapters\nearmark chapters 12\n"
            "earmark chapters 12 --json | jq -r '.[] | select(.hidden | not).title'"
        ),
        run=_chapters,
        arguments=_arguments,
        reports=True,
        prints={"": "list[EpisodeChapter]"},
        lists=Lists(("list[EpisodeChapter]",)),
    ),
}

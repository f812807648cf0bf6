"""`chapters`."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from player.errors import AttachmentError
from player.model.episode import Chapter, Chapters, Episode
from player.text.sentences import _
from tui.cli.command import Column, Command, Context, Rows
from tui.cli.commands.play import chosen
from tui.cli.printout import Printout

if TYPE_CHECKING:
    from player.integrations.documents import commands


_CHAPTERS = Rows(
    "list[EpisodeChapter]",
    (
        Column("", lambda row, context: context.glyphs.playing if row["current"] else " "),
        Column(_("START"), "{start}", right=True),
        Column(_("TITLE"), "{title}", flexible=True),
        Column(_("LINK"), "{url}", flexible=True, spare=1, optional=True),
    ),
)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode",
        metavar="EPISODE",
        nargs="?",
        help=_("its ID, or its title or part of it (default: the last one played)"),
    )


def _chapters(context: Context, options: Namespace) -> int:
    from player.library import AttachmentKind

    printout = Printout(context, options, _CHAPTERS)
    with context.library() as library:
        episode = chosen(library, options.episode or None, _("Name an episode: earmark chapters EPISODE"))
        with context.attachments(library) as attachments:
            trouble = attachments.fetch(episode.id, AttachmentKind.CHAPTERS)
            chapters = attachments.chapters(episode)
    if trouble and not chapters.listed:
        raise AttachmentError(trouble)
    current = chapters.at(episode.position_ms) if episode.in_progress else None
    shown = chapters.listed if printout.is_table else chapters.items
    nothing = _("“{title}” has no chapters.", title=episode.title)
    if printout.is_table and chapters.made_by:
        print(_("made here by {program}", program=chapters.made_by), file=sys.stderr)
    printout.print((_json(chapters, one, episode, current) for one in shown), nothing)
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


COMMANDS = {
    "chapters": Command(
        summary=_("list the chapters of an episode"),
        after="show",
        about=_(
            "List the chapters of an episode, marking where you stopped. They come from the feed, the audio file or\n"
            "timestamps in the notes; where there are none, from `earmark summarise`."
        ),
        examples=(
            "earmark chapters\nearmark chapters 12\n"
            "earmark chapters 12 --json | jq -r '.[] | select(.hidden | not).title'"
        ),
        run=_chapters,
        arguments=_arguments,
        lists=(_CHAPTERS,),
    ),
}

"""`summarise`."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from player.model.episode import Chapter, Episode, Summary
from player.processes.threads import CancelToken
from player.text.durations import clock
from player.text.sentences import _
from tui.cli.command import Command, Context, passing, print_json, report
from tui.cli.commands.refresh import cancelled_by_interrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from player.integrations.documents import commands


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episode", metavar="EPISODE", help=_("its ID, or its title or part of it"))
    parser.add_argument("--again", action="store_true", help=_("make it again, even if it was made before"))
    parser.add_argument("--remove", action="store_true", help=_("forget what was made"))


def _misuse(options: Namespace) -> str:
    return _("--again and --remove can't be combined") if options.again and options.remove else ""


def _summarise(context: Context, options: Namespace) -> int:
    from player.events import Bus
    from player.summaries import Summaries

    stop = CancelToken()
    with context.library() as library, context.attachments(library) as attachments:
        episode = library.episodes.find(options.episode)
        summaries = Summaries(library, attachments, Bus(), context.settings.summarise)
        summary, chapters = summaries.stored(episode.id), summaries.own_chapters(episode.id)
        if options.remove:
            summaries.remove(episode.id)
            removed = summary is not None or bool(chapters)
            forgotten = _("Forgot what was made of “{title}”.", title=episode.title)
            nothing = _("Nothing was made of “{title}”.", title=episode.title)
            return report(options, {"removed": removed}, forgotten if removed else nothing)
        if options.again or not (summary or chapters):
            passing(_("Summarising “{title}” …", title=episode.title))
            with cancelled_by_interrupt(stop.set):
                try:
                    summaries.make(episode, stop)
                finally:
                    passing("")
            summary, chapters = summaries.stored(episode.id), summaries.own_chapters(episode.id)
    if options.json:
        print_json(_json(episode, summary, chapters))
    else:
        _print(summary, chapters)
    return 0


def _print(summary: Summary | None, chapters: "Sequence[Chapter]") -> None:
    if summary is not None:
        print(_("made here by {program}", program=summary.made_by), file=sys.stderr)
        print(summary.text)
    if summary is not None and chapters:
        print()
    column = max((len(clock(one.start_ms)) for one in chapters), default=0)
    for one in chapters:
        print(f"{clock(one.start_ms):>{column}}  {one.title}")


def _json(episode: Episode, summary: Summary | None, chapters: "Sequence[Chapter]") -> "commands.Summary":
    return {
        "id": episode.id,
        "title": episode.title,
        "summary": summary.text if summary else None,
        "made_by": summary.made_by if summary else None,
        "chapters": [{"start_ms": one.start_ms, "title": one.title} for one in chapters],
    }


COMMANDS = {
    "summarise": Command(
        summary=_("have a program of yours summarise an episode"),
        after="transcribe",
        about=_(
            "Print a summary of an episode, or chapters, that a program of yours makes of its transcript, as\n"
            "[summarise] of config.toml says. It is made once and kept; the app shows it in a tab, and such chapters\n"
            "where the podcast has none."
        ),
        examples="earmark summarise 42\nearmark summarise 42 --again\nearmark summarise 42 --json | jq -r .summary",
        run=_summarise,
        arguments=_arguments,
        misuse=_misuse,
        prints={"": "Summary", "with --remove": "RemovedSummary"},
    ),
}

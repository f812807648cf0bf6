"""`transcribe`."""

import threading
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from player.errors import ControlError, EarmarkError, NotRunning, TranscriptionError
from player.library import Library
from player.model.downloads import Progress
from player.model.episode import Episode, EpisodeId
from player.processes.threads import CancelToken
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.cli.command import Command, Context, complain, passing, print_json, tell
from tui.cli.commands.download import find_episodes, interrupt, progress_words
from tui.cli.commands.refresh import cancelled_by_interrupt
from tui.cli.named_lists import find_list, listing_of
from tui.drawing.phrases import pace, speed

if TYPE_CHECKING:
    from player.transcribing.transcriber import EpisodeTranscriber

_ASK_S = 0.4
_LONGEST = 60


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episodes", metavar="EPISODE", nargs="*", help=_("IDs, titles or parts of titles"))
    parser.add_argument("--list", metavar="NAME", help=_("the episodes of a list: queue, starred, one of your own"))
    parser.add_argument(
        "--setup", action="store_true", help=_("find a program, model or server on this computer, try it and save it")
    )
    parser.add_argument("--url", help=_("with --setup: a server of the OpenAI form; its key is asked for"))
    parser.add_argument("--model", metavar="NAME", default="", help=_("with --url: the model to ask it for"))


def _misuse(options: Namespace) -> str:
    if options.setup:
        return _("--setup takes no episodes") if options.episodes or options.list else ""
    if options.url or options.model:
        return _("--url and --model need --setup")
    return "" if options.episodes or options.list else _("No episode is named")


def _transcribe(context: Context, options: Namespace) -> int:
    if options.setup:
        from tui.cli.commands.transcribe_setup import set_up

        return set_up(context, options)
    with context.library() as library:
        wanted, failed = find_episodes(library, options.episodes)
        if options.list:
            wanted += _listed(library, options.list)
        wanted = list({episode.id: episode for episode in wanted}.values())
        stop = CancelToken()
        with cancelled_by_interrupt(stop.set):
            try:
                done = _handed_over(context, wanted, options, stop)
            except NotRunning:
                done = _made_here(context, library, wanted, options, stop)
            except ControlError as error:
                complain(str(error))
                done = []
    if options.json:
        print_json({"transcribed": done})
    return 1 if failed or len(done) < len(wanted) else 0


def _listed(library: Library, name: str) -> list[Episode]:
    """Raises NotFound or Ambiguous."""
    listing = listing_of(library, find_list(library, name).shown)
    return list(library.episodes.rows(listing.page(0, len(listing))))


def _handed_over(context: Context, wanted: Sequence[Episode], options: Namespace, stop: CancelToken) -> list[EpisodeId]:
    """Lets the running Earmark transcribe them; answers with those that are done. Raises ControlError: none is running
    (NotRunning), or it ends meanwhile."""
    done: list[EpisodeId] = []
    left = {episode.id: clean_line(episode.title, _LONGEST) for episode in wanted}
    said = ""
    if left:
        context.ask("transcribe", episodes=list(left))
    while left and not stop.is_set:
        asked = context.ask("downloads", episodes=list(left))["downloads"]
        entries = {entry["id"]: entry for entry in asked["entries"]}
        for one, title in list(left.items()):
            entry: Any = entries.get(one)
            if trouble := _trouble(entry, title):
                interrupt(trouble)
            elif entry["state"] == "done":
                done.append(one)
                _say_done(options, title)
            else:
                continue
            del left[one]
        if (wait := asked["transcripts_wait"]) and wait != said:
            said = wait
            interrupt(wait)
        if running := next((entries[one] for one in left if entries[one]["state"] == "running"), None):
            progress = Progress(running["done"], running["total"], running["per_second"], running["seconds_left"])
            passing(progress_words(running["title"], progress, pace if _is_transcript(running) else speed))
        if left:
            time.sleep(_ASK_S)
    passing("")
    if left:
        complain(_("The running Earmark goes on transcribing."))
    return done


def _trouble(entry: Any, title: str) -> str:
    """Why the running Earmark, whose `entry` of the queue this is, won't transcribe it; "" if it may."""
    state = entry["state"] if entry else ""
    if state == "failed":
        return f"{title}: {entry['problem']}"
    if state == "paused":
        return _("The transcript of “{title}” is paused in the running Earmark", title=title)
    if not entry or (state == "done" and not _is_transcript(entry)):
        return _("The transcript of “{title}” was cancelled", title=title)
    return ""


def _is_transcript(entry: Any) -> bool:
    return bool(entry["work"] == "transcript")


def _made_here(
    context: Context, library: Library, wanted: Sequence[Episode], options: Namespace, stop: CancelToken
) -> list[EpisodeId]:
    """Transcribes them in this process; answers with those that are done."""
    done: list[EpisodeId] = []
    with _transcriber(context, library) as transcriber:
        for episode in wanted:
            if stop.is_set:
                break
            title = clean_line(episode.title, _LONGEST)
            try:
                _watch(transcriber, episode, stop)
            except EarmarkError as error:
                interrupt(_("What is done of “{title}” is kept.", title=title) if stop.is_set else f"{title}: {error}")
                if isinstance(error, TranscriptionError) and error.lasting:
                    break
            else:
                done.append(episode.id)
                _say_done(options, title)
    return done


@contextmanager
def _transcriber(context: Context, library: Library) -> "Iterator[EpisodeTranscriber]":
    from player.events import Bus
    from player.transcribing.engines import engine_for
    from player.transcribing.transcriber import EpisodeTranscriber

    store = context.store(library, downloaded=lambda episode: library.downloads.get(episode.id))
    transcriber = EpisodeTranscriber(
        library,
        store,
        Bus(),
        replace(context.settings.transcribe, on_battery=True),
        lambda: None,
        lambda chosen: engine_for(chosen, store.network, context.credentials.find),
    )
    try:
        yield transcriber
    finally:
        transcriber.close()
        store.close()


def _watch(transcriber: "EpisodeTranscriber", episode: Episode, stop: CancelToken) -> None:
    """Says how far it is until it is transcribed. Raises EarmarkError."""
    from player.downloads.attempt import in_words

    over = threading.Event()
    attempt = transcriber.attempt(episode, lambda _attempt: over.set())
    with stop.ending(attempt.stop):
        attempt.start()
        while not over.wait(_ASK_S):
            passing(progress_words(episode.title, attempt.look(), pace))
    passing("")
    if attempt.error is not None:
        raise in_words(attempt.error)


def _say_done(options: Namespace, title: str) -> None:
    passing("")
    tell(options, _("Transcribed {title}", title=title))


COMMANDS = {
    "transcribe": Command(
        summary=_("make transcripts of your own"),
        after="transcript",
        about=_(
            "Make transcripts with a program, a server or a model of your own, as [transcribe] of config.toml says.\n"
            "--setup finds what there is on this computer and tries it. What is said can then be read, followed and\n"
            "searched like any transcript.\n\n"
            "Each piece is kept as it is done, so it can be interrupted (ctrl+c) and continued any time. A running\n"
            "Earmark does the work: `earmark download --queue` lists it, and --pause, --resume, --retry and --cancel\n"
            "of that command change it."
        ),
        examples=(
            "earmark transcribe --setup\nearmark transcribe --setup --url https://api.openai.com --model whisper-1\n"
            'earmark transcribe 42 43\nearmark transcribe "Press play"\n'
            "earmark transcribe --list queue"
        ),
        run=_transcribe,
        misuse=_misuse,
        arguments=_arguments,
        prints={"": "Transcribed", "with --setup": "TranscribeSetup"},
        exits={1: _("at least one isn't transcribed; the others are")},
    ),
}

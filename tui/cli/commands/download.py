"""`download`."""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from threading import Event, Thread
from typing import TYPE_CHECKING

from player.errors import ControlError, EarmarkError, NotRunning
from player.integrations.json_api import episode_json
from player.model.episode import Episode
from player.text.sentences import _
from tui.cli.command import Command, Context, complain, print_json
from tui.cli.commands.refresh import cancelled_by_interrupt
from tui.cli.handed_over import clear_progress, show_progress
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.attachments.attachments import Attachments
    from player.downloads.making import Fetched, FileMaker
    from player.library import Library
    from player.net.cancel import CancelToken

_LOOK_S = 0.2


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episodes", metavar="EPISODE", nargs="+", help=_("its ID, or its title or part of it"))


def _download(context: Context, options: Namespace) -> int:
    with context.library() as library:
        found, failed = _find(library, options.episodes)
        done = _handed_over(context, library, found, options)
        if done is None:
            with context.attachments(library) as attachments:
                done = _made_here(context, library, attachments, found, options)
                for episode in done:
                    attachments.fetch(episode.id)
        ranks = library.queue.ranks()
        episodes = library.episodes.rows([episode.id for episode in done])
    if options.json:
        print_json([episode_json(episode, ranks) for episode in episodes])
    return 1 if failed or len(done) < len(found) else 0


def _find(library: "Library", names: Sequence[str]) -> tuple[list[Episode], bool]:
    """The episodes of these names, and whether any isn't found."""
    found, failed = [], False
    for name in names:
        try:
            found.append(library.episodes.find(name))
        except EarmarkError as error:
            complain(str(error))
            failed = True
    return found, failed


def _handed_over(
    context: Context, library: "Library", wanted: Sequence[Episode], options: Namespace
) -> list[Episode] | None:
    """Lets the running Earmark download them; answers with those that are downloaded now. None: none is running."""
    from player.net.cancel import CancelToken
    from tui.cli.handed_over import HandedOver

    stop = CancelToken()
    running = HandedOver(
        context.paths.socket,
        library,
        live=is_terminal(sys.stderr),
        given_up=lambda: stop.is_set,
        output=sys.stderr if options.json else sys.stdout,
    )
    with cancelled_by_interrupt(stop.set):
        try:
            return running.download(wanted)
        except NotRunning:
            return None
        except ControlError as error:
            complain(str(error))
            return []


def _made_here(
    context: Context, library: "Library", attachments: "Attachments", wanted: Sequence[Episode], options: Namespace
) -> list[Episode]:
    """Downloads them in this process; answers with those that are downloaded now."""
    from player.net.cancel import CancelToken

    maker, stop = _maker(context, library, attachments), CancelToken()
    done = []
    with cancelled_by_interrupt(stop.set):
        for episode in wanted:
            if stop.is_set:
                break
            try:
                _fetch(library, maker, episode, stop, options)
                done.append(episode)
            except EarmarkError as error:
                complain(str(error))
    return done


def _maker(context: Context, library: "Library", attachments: "Attachments") -> "FileMaker":
    from player.attachments.fetch_queue import Fetcher
    from player.downloads.files import folder_of, kept_episodes
    from player.downloads.making import FileMaker, FileRules
    from player.downloads.tagging.tagger import ProcessTagger
    from player.media import MediaStore
    from player.net.credentials import Credentials
    from player.sources.youtube.videos import Videos
    from player.text.sizes import parse_size

    settings, login = context.settings, Credentials(context.paths.logins).find
    store = MediaStore(
        context.paths,
        parse_size(settings.media.cache_limit),
        protected=lambda: kept_episodes(library),
        login=login,
        feed=lambda episode: library.podcasts.get(episode.podcast_id).url,
        pages=Videos(),
    )
    tagger = ProcessTagger(library, attachments.fetched_chapters, lambda: Fetcher(store.network, login))
    rules = FileRules(folder_of(settings.media.downloads, context.paths.data), settings.downloads.name)
    return FileMaker(library, store, rules, tagger if settings.downloads.tags else None)


def _fetch(library: "Library", maker: "FileMaker", episode: Episode, stop: "CancelToken", options: Namespace) -> None:
    output = sys.stderr if options.json else sys.stdout
    path = library.downloads.path(episode.id)
    if path and path.exists():
        print(_("Already downloaded: {file}", file=path), file=output, flush=True)
        return
    live = is_terminal(sys.stderr)
    watcher = _Watcher(episode, live)
    try:
        path = maker.make(episode, stop, watch=watcher.start)
    finally:
        watcher.stop()
    print(_("Downloaded {title}: {file}", title=episode.title, file=path), file=output, flush=True)


class _Watcher:
    """Says on standard error how far a download is, and why it waits."""

    def __init__(self, episode: Episode, live: bool) -> None:
        self._episode = episode
        self._live = live
        self._over = Event()
        self._thread: Thread | None = None
        self._media: Fetched | None = None

    def start(self, media: "Fetched") -> None:
        self._media = media
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="earmark-progress", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()
        clear_progress(self._live)

    def _watch(self) -> None:
        from player.downloads.attempt import Meter

        meter, waiting = Meter(), ""
        while (media := self._media) and not self._over.wait(_LOOK_S):
            if self._live:
                show_progress(self._episode.title, meter.update(*media.amount, time.monotonic()))
            trouble = str(media.trouble or "")
            if trouble and trouble != waiting:
                clear_progress(self._live)
                complain(_("{problem} The download resumes automatically.", problem=trouble))
            waiting = trouble


COMMANDS = {
    "download": Command(
        summary=_("download episodes"),
        after="search",
        about=_(
            "Download episodes, with their chapters and transcripts. Reuses cached audio and waits out network\n"
            "problems. If interrupted (ctrl+c), run it again to continue. A running Earmark does the downloading."
        ),
        examples='earmark download 42 43\nearmark download "Press play"',
        run=_download,
        arguments=_arguments,
        prints={"": "list[Episode]"},
        exits={1: _("at least one isn't downloaded; the others are")},
    )
}

"""`download`."""

import sys
import time
from argparse import ArgumentParser, Namespace
from threading import Event, Thread
from typing import TYPE_CHECKING

from player.errors import EarmarkError
from player.integrations.json_api import episode_json
from player.model.downloads.download import Progress
from player.model.episode import Episode
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from player.text.sizes import size_label
from tui.cli.attachments import attachments_of
from tui.cli.command import Command, Context, complain, print_json
from tui.cli.commands.podcasts.refresh import cancelled_by_interrupt
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from player.downloads.making import FileMaker
    from player.library import Library
    from player.media.fetching.fetched_media import FetchedMedia
    from player.net.cancel import CancelToken

_LOOK_S = 0.2


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episodes", metavar="EPISODE", nargs="+", help=_("its ID, or its title or part of it"))


def _download(context: Context, options: Namespace) -> int:
    from player.downloads.files import folder_of
    from player.downloads.kept import kept_episodes
    from player.downloads.making import FileMaker, FileRules
    from player.media import MediaStore
    from player.net.cancel import CancelToken
    from player.net.credentials import Credentials
    from player.text.sizes import parse_size

    settings = context.settings.media
    rules = FileRules(folder_of(settings.downloads, context.paths.data), context.settings.downloads.name)
    done: list[Episode] = []
    failed = False
    with context.library() as library:
        store = MediaStore(
            context.paths,
            parse_size(settings.cache_limit),
            protected=lambda: kept_episodes(library),
            login=Credentials(context.paths.logins).find,
            feed=lambda episode: library.podcasts.get(episode.podcast_id).url,
        )
        stop = CancelToken()
        with cancelled_by_interrupt(stop.set):
            for name in options.episodes:
                if stop.is_set:
                    break
                try:
                    episode = library.episodes.find(name)
                    _fetch(library, FileMaker(library, store, rules), episode, stop, options)
                except EarmarkError as error:
                    failed = True
                    complain(str(error))
                else:
                    done.append(library.episodes.get(episode.id))
        with attachments_of(context, library) as attachments:
            for episode in done:
                attachments.fetch(episode.id)
        ranks = library.queue.ranks()
    if options.json:
        print_json([episode_json(episode, ranks) for episode in done])
    return 1 if failed else 0


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

    def start(self, media: "FetchedMedia") -> None:
        self._thread = Thread(target=self._watch, args=(media,), name="earmark-progress", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()
        _clear(self._live)

    def _watch(self, media: "FetchedMedia") -> None:
        from player.downloads.meter import Meter

        meter, waiting = Meter(), ""
        while not self._over.wait(_LOOK_S):
            if self._live:
                shown = shown_progress(meter.update(*media.amount, time.monotonic()))
                title = clean_line(self._episode.title, 60)
                print(f"\r\x1b[K{title}{shown}", end="", file=sys.stderr, flush=True)
            trouble = str(media.trouble or "")
            if trouble and trouble != waiting:
                _clear(self._live)
                complain(_("{problem} The download resumes automatically.", problem=trouble))
            waiting = trouble


def shown_progress(progress: Progress) -> str:
    """`  45%  1.2 MB/s  0:35 left`, as far as it is known."""
    parts = []
    if progress.part is not None:
        parts.append(f"{progress.part:.0%}")
    if progress.per_second:
        parts.append(_("{size}/s", size=size_label(progress.per_second)))
    if progress.seconds_left is not None:
        parts.append(_("{time} left", time=clock(int(progress.seconds_left * 1000))))
    return "".join(f"  {part}" for part in parts)


def _clear(live: bool) -> None:
    if live:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


COMMANDS = {
    "download": Command(
        about=_(
            "Download episodes, with their chapters and transcripts. Reuses cached audio and waits out network\n"
            "problems. If interrupted (ctrl+c), run it again to continue."
        ),
        examples='earmark download 42 43\nearmark download "Press play"',
        run=_download,
        arguments=_arguments,
        reports=True,
    )
}

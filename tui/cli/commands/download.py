"""`download`."""

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
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
    from player.attachments.attachments import Attachments
    from player.downloads.making import FileMaker
    from player.library import Library
    from player.media.fetching.fetched_media import FetchedMedia
    from player.net.cancel import CancelToken

_LOOK_S = 0.2


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episodes", metavar="EPISODE", nargs="+", help=_("its ID, or its title or part of it"))


def _download(context: Context, options: Namespace) -> int:
    with context.library() as library:
        found, failed = _find(library, options.episodes)
        with attachments_of(context, library) as attachments:
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
    from player.attachments.fetch import Fetcher
    from player.downloads.files import folder_of
    from player.downloads.kept import kept_episodes
    from player.downloads.making import FileMaker, FileRules
    from player.downloads.tagging.tagger import ProcessTagger
    from player.media import MediaStore
    from player.net.credentials import Credentials
    from player.text.sizes import parse_size

    settings, login = context.settings, Credentials(context.paths.logins).find
    store = MediaStore(
        context.paths,
        parse_size(settings.media.cache_limit),
        protected=lambda: kept_episodes(library),
        login=login,
        feed=lambda episode: library.podcasts.get(episode.podcast_id).url,
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

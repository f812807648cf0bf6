"""`download`."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from player.errors import EarmarkError, MediaError
from player.integrations.json_api import episode_json
from player.model.episode import Episode
from player.text.sentences import _
from tui.cli.attachments import attachments_of
from tui.cli.command import Command, Context, complain, print_json
from tui.cli.commands.podcasts.refresh import cancelled_by_interrupt
from tui.terminal.capabilities import is_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from player.library import Library
    from player.media import MediaStore
    from player.net.cancel import CancelToken


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episodes", metavar="EPISODE", nargs="+", help=_("its ID, or its title or part of it"))


def _download(context: Context, options: Namespace) -> int:
    from player.downloads.queue import begun_lately, folder_of
    from player.media import MediaStore
    from player.net.cancel import CancelToken
    from player.net.credentials import Credentials
    from player.text.sizes import parse_size

    settings = context.settings.media
    folder = folder_of(settings.downloads, context.paths.data)
    done: list[Episode] = []
    failed = False
    with context.library() as library:
        store = MediaStore(
            context.paths,
            parse_size(settings.cache_limit),
            protected=lambda: begun_lately(library),
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
                    _fetch(library, store, episode, folder, stop, options)
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


def _fetch(
    library: "Library", store: "MediaStore", episode: Episode, folder: "Path", stop: "CancelToken", options: Namespace
) -> None:
    output = sys.stderr if options.json else sys.stdout
    path = library.downloads.path(episode.id)
    if path and path.exists():
        print(_("Already downloaded: {file}", file=path), file=output, flush=True)
        return
    waiting: MediaError | None = None
    live = is_terminal(sys.stderr)

    def on_progress(part: float | None, trouble: MediaError | None) -> None:
        nonlocal waiting
        if live:
            shown = "" if part is None else f" {part:.0%}"
            print(f"\r\x1b[K{episode.title}{shown}", end="", file=sys.stderr, flush=True)
        if trouble and str(trouble) != str(waiting):
            _clear(live)
            complain(_("{problem} The download resumes automatically.", problem=trouble))
        waiting = trouble

    def record(path: "Path") -> None:
        library.downloads.put(episode.id, path)
        _clear(live)
        print(_("Downloaded {title}: {file}", title=episode.title, file=path), file=output, flush=True)

    try:
        store.download(episode, folder, record, on_progress, stop)
    finally:
        _clear(live)


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

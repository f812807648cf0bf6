"""How `download` downloads: by the running Earmark, else in this process."""

import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from player.errors import ControlError, EarmarkError, NotRunning
from player.integrations.json_api import episode_json
from player.library import Library
from player.model.downloads import Progress
from player.model.episode import Episode, EpisodeId
from player.processes.threads import CancelToken
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from tui.cli.command import Context, complain, passing, print_json, tell
from tui.cli.commands.refresh import cancelled_by_interrupt
from tui.drawing.phrases import speed

if TYPE_CHECKING:
    from player.attachments.attachments import Attachments
    from player.downloads.making import Fetched, FileMaker
_LOOK_S = 0.2
_ASK_S = 0.4
_LONGEST = 60
"""Cells of a title."""


def download(context: Context, options: Namespace) -> int:
    """The episodes that are named. Returns the exit code: 1 if one of them isn't downloaded."""
    with context.library() as library:
        found, failed = find_episodes(library, options.episodes)
        done = _handed_over(context, library, found, options)
        if done is None:
            with context.attachments(library) as attachments:
                done = _made_here(context, library, attachments, found, options)
                for episode in done:
                    attachments.fetch(episode.id)
                    _write_transcript(context, library, attachments, episode)
        ranks = library.queue.ranks()
        episodes = library.episodes.rows([episode.id for episode in done])
    if options.json:
        print_json([episode_json(episode, ranks) for episode in episodes])
    return 1 if failed or len(done) < len(found) else 0


def find_episodes(library: Library, names: Sequence[str]) -> tuple[list[Episode], bool]:
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
    context: Context, library: Library, wanted: Sequence[Episode], options: Namespace
) -> list[Episode] | None:
    """Lets the running Earmark download them; answers with those that are downloaded now. None: none is running."""
    stop = CancelToken()
    with cancelled_by_interrupt(stop.set):
        try:
            return _HandedOver(context, library, options, stop).download(wanted)
        except NotRunning:
            return None
        except ControlError as error:
            complain(str(error))
            return []


def _made_here(
    context: Context, library: Library, attachments: "Attachments", wanted: Sequence[Episode], options: Namespace
) -> list[Episode]:
    """Downloads them in this process; answers with those that are downloaded now."""
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


def _maker(context: Context, library: Library, attachments: "Attachments") -> "FileMaker":
    from player.attachments.fetch_queue import Fetcher
    from player.downloads.files import folder_of, kept_episodes
    from player.downloads.making import FileMaker, FileRules
    from player.downloads.tagger import ProcessTagger
    from player.text.sizes import parse_size

    settings, login = context.settings, context.credentials.find
    limit = parse_size(settings.media.cache_limit)
    store = context.store(library, limit=limit, protected=lambda: kept_episodes(library))
    tagger = ProcessTagger(library, attachments.fetched_chapters, lambda: Fetcher(store.network, login))
    rules = FileRules(folder_of(settings.media.downloads, context.paths.data), settings.downloads.name)
    return FileMaker(library, store, rules, tagger if settings.downloads.tags else None)


def _write_transcript(context: Context, library: Library, attachments: "Attachments", episode: Episode) -> None:
    """Writes it beside the download, if the settings say so."""
    from player.downloads.transcript_files import write_beside

    path = library.downloads.path(episode.id) if context.settings.downloads.transcripts else None
    if path is not None:
        try:
            write_beside(episode.id, path, attachments.transcript(episode.id))
        except OSError as error:
            complain(_("{file}: the transcript can't be written: {reason}", file=path, reason=error.strerror))


def _fetch(library: Library, maker: "FileMaker", episode: Episode, stop: CancelToken, options: Namespace) -> None:
    path = library.downloads.path(episode.id)
    if path and path.exists():
        tell(options, _("Already downloaded: {file}", file=path))
        return
    watcher = _Watcher(episode)
    try:
        path = maker.make(episode, stop, watch=watcher.start)
    finally:
        watcher.stop()
    tell(options, _("Downloaded {title}: {file}", title=episode.title, file=path))


class _Watcher:
    """Says on standard error how far a download is, and why it waits."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
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
        passing("")

    def _watch(self) -> None:
        from player.downloads.attempt import Meter

        meter, waiting = Meter(), ""
        while (media := self._media) and not self._over.wait(_LOOK_S):
            passing(progress_words(self._episode.title, meter.update(*media.amount, time.monotonic())))
            trouble = str(media.trouble or "")
            if trouble and trouble != waiting:
                interrupt(_("{problem} The download resumes automatically.", problem=trouble))
            waiting = trouble


class _HandedOver:
    """Asks the running Earmark for downloads, and says what comes of them.

    Once `stop` is set the listener waits no longer; Earmark downloads on.
    """

    def __init__(self, context: Context, library: Library, options: Namespace, stop: CancelToken) -> None:
        self._context, self._library, self._options, self._stop = context, library, options, stop
        self._said: dict[EpisodeId, str] = {}

    def download(self, wanted: Sequence[Episode]) -> list[Episode]:
        """Answers with those that are downloaded when it returns. Raises ControlError: no Earmark is running
        (NotRunning), or it ends meanwhile."""
        done: list[Episode] = []
        left = {episode.id: episode for episode in wanted}
        self._take_done(left, done, already=True)
        if left:
            self._context.ask("download", episodes=list(left))
        while left and not self._stop.is_set:
            asked = self._context.ask("downloads", episodes=list(left))["downloads"]
            self._take_done(left, done)
            entries = {entry["id"]: entry for entry in asked["entries"]}
            for one in list(left):
                if self._is_over(left[one], entries.get(one)):
                    del left[one]
            if left:
                self._show(asked, [entries[one] for one in left if one in entries])
                time.sleep(_ASK_S)
        passing("")
        if left:
            complain(_("The running Earmark keeps downloading."))
        return done

    def _take_done(self, left: dict[EpisodeId, Episode], done: list[Episode], *, already: bool = False) -> None:
        for one, episode in list(left.items()):
            path = self._library.downloads.path(one)
            if path is not None and path.exists():
                passing("")
                here = _("Already downloaded: {file}", file=path)
                said = here if already else _("Downloaded {title}: {file}", title=episode.title, file=path)
                tell(self._options, said)
                done.append(left.pop(one))

    def _is_over(self, episode: Episode, entry: dict[str, Any] | None) -> bool:
        """Whether it won't be downloaded; says why."""
        title = clean_line(episode.title, _LONGEST)
        if entry is None:
            # It may have been finished since the library was looked at.
            if self._library.downloads.path(episode.id) is not None:
                return False
            interrupt(_("The download of “{title}” was cancelled", title=title))
            return True
        problem = str(entry["problem"] or "")
        if entry["state"] == "failed":
            interrupt(problem)
            return True
        if entry["state"] == "paused":
            interrupt(_("The download of “{title}” is paused in the running Earmark", title=title))
            return True
        if problem and self._said.get(episode.id) != problem:
            self._said[episode.id] = problem
            interrupt(_("{problem} The download resumes automatically.", problem=problem))
        return False

    def _show(self, asked: dict[str, Any], entries: Sequence[dict[str, Any]]) -> None:
        waits = ""
        if asked["paused"]:
            waits = _("Downloads are paused in the running Earmark. They continue when you resume them there.")
        elif asked["held"]:
            waits = _("The running Earmark is offline. Downloads continue when it is online: earmark offline off")
        if waits and self._said.get(EpisodeId(0)) != waits:
            self._said[EpisodeId(0)] = waits
            interrupt(waits)
        running = [entry for entry in entries if entry["state"] == "running"]
        if running:
            entry = running[0]
            progress = Progress(entry["done"], entry["total"], entry["per_second"], entry["seconds_left"])
            passing(progress_words(entry["title"], progress))


def interrupt(sentence: str) -> None:
    """Complains in the place of the progress."""
    passing("")
    complain(sentence)


def progress_words(title: str, progress: Progress, speed: Callable[[float], str] = speed) -> str:
    """`Title  45%  1.2 MB/s  0:35 left`, as far as it is known."""
    parts = [clean_line(title, _LONGEST)]
    if progress.part is not None:
        parts.append(f"{progress.part:.0%}")
    if progress.per_second:
        parts.append(speed(progress.per_second))
    if progress.seconds_left is not None:
        parts.append(_("{time} left", time=clock(int(progress.seconds_left * 1000))))
    return "  ".join(parts)

"""Downloads in the background: a few at a time, however long the network takes."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from player.errors import LibraryError, MediaError
from player.events import Bus, Cause, EpisodesChanged, Event, Notice
from player.library import Library
from player.media import MediaStore
from player.media.export import delete
from player.model.downloads.events import (
    DownloadCancelled,
    DownloadDeleted,
    DownloadFailed,
    DownloadFinished,
    DownloadProgress,
)
from player.model.episode import Episode, EpisodeId
from player.model.playback import Severity
from player.net.cancel import CancelToken
from player.processes.threads import DaemonThreads
from player.text.cleaning import clean_line
from player.text.sentences import _

log = logging.getLogger(__name__)

_AT_ONCE = 2
_BEGUN_LATELY = timedelta(days=7)


class Downloader:
    """Publishes each download's result on the bus. Any thread. After a restart, `download` resumes one."""

    def __init__(
        self,
        library: Library,
        store: MediaStore,
        bus: Bus,
        folder: Path,
        *,
        downloaded: Callable[[EpisodeId], None] = lambda _episode_id: None,
    ) -> None:
        """`downloaded` is called, on a thread of the pool, with each episode whose download is complete."""
        self._library = library
        self._store = store
        self._bus = bus
        self._folder = folder
        self._downloaded = downloaded
        self._lock = threading.Lock()
        self._cancels: dict[EpisodeId, CancelToken] = {}
        self._threads = DaemonThreads(_AT_ONCE, "earmark-download")

    def is_downloading(self, episode_id: EpisodeId) -> bool:
        return episode_id in self._cancels

    def download(self, episode_id: EpisodeId, *, cause: Cause = Cause.PERSON) -> Future[None] | None:
        """None if it is being downloaded already."""
        cancel = CancelToken()
        with self._lock:
            if episode_id in self._cancels:
                return None
            self._cancels[episode_id] = cancel
        return self._threads.submit(self._work, episode_id, cancel, cause)

    def cancel(self, episode_id: EpisodeId) -> None:
        """What has been fetched stays cached for a while: the next attempt resumes there."""
        with self._lock:
            cancel = self._cancels.get(episode_id)
        if cancel:
            cancel.set()

    def delete(self, episode_id: EpisodeId, *, cause: Cause = Cause.PERSON) -> None:
        """Raises LibraryError, or MediaError where the file can't be deleted."""
        path = self._library.downloads.path(episode_id)
        if path is not None:
            try:
                delete(path)
            except OSError as error:
                raise MediaError(_("{file} can't be deleted: {reason}", file=path, reason=error.strerror)) from error
        self._library.downloads.remove(episode_id)
        self._bus.publish(EpisodesChanged((episode_id,)))
        self._bus.publish(DownloadDeleted(episode_id, cause))

    def close(self) -> None:
        with self._lock:
            cancels = tuple(self._cancels.values())
        for cancel in cancels:
            cancel.set()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _work(self, episode_id: EpisodeId, cancel: CancelToken, cause: Cause) -> None:
        ended: Event | None = None
        try:
            episode = self._library.episodes.get(episode_id)
            if not episode.downloaded and not cancel.is_set:
                self._fetch(episode, cancel, cause)
                ended = DownloadFinished(episode_id, cause)
        except (LibraryError, MediaError) as error:
            if not cancel.is_set:
                ended = self._failed(episode_id, str(error), cause)
        except Exception:
            log.exception("a download failed")
            ended = self._failed(episode_id, _("Something went wrong inside Earmark. See the log."), cause)
        finally:
            with self._lock:
                del self._cancels[episode_id]
        if ended is None and cancel.is_set:
            ended = DownloadCancelled(episode_id, Cause.PERSON)
        if ended is not None:
            self._bus.publish(ended)

    def _failed(self, episode_id: EpisodeId, sentence: str, cause: Cause) -> DownloadFailed:
        self._bus.publish(Notice(sentence, Severity.ERROR))
        return DownloadFailed(episode_id, sentence, cause)

    def _fetch(self, episode: Episode, cancel: CancelToken, cause: Cause) -> None:
        def record(path: Path) -> None:
            self._library.downloads.put(episode.id, path)

        progress = _Progress(self._bus, episode.id, cause)
        try:
            self._store.download(episode, self._folder, record, progress.report, cancel)
        finally:
            progress.end()
        self._bus.publish(EpisodesChanged((episode.id,)))
        self._downloaded(episode.id)
        self._bus.publish(Notice(_("Downloaded “{title}”", title=clean_line(episode.title, 60)), Severity.INFORMATION))


class _Progress:
    """Publishes how far one download is, and the first trouble it meets, until `end`."""

    def __init__(self, bus: Bus, episode_id: EpisodeId, cause: Cause) -> None:
        self._bus = bus
        self._episode_id = episode_id
        self._cause = cause
        self._lock = threading.Lock()
        self._percent: int | None = None
        self._troubled = self._over = False
        bus.publish(DownloadProgress(episode_id, None, cause))

    def report(self, part: float | None, trouble: MediaError | None) -> None:
        with self._lock:  # nothing is published after `end`
            if self._over:
                return
            if part is not None and self._percent != int(100 * part):
                self._percent = int(100 * part)
                self._bus.publish(DownloadProgress(self._episode_id, part, self._cause))
            if trouble is not None and not self._troubled:
                self._troubled = True
                waits = _("Download waiting. {trouble} It resumes automatically.", trouble=trouble)
                self._bus.publish(Notice(waits, Severity.WARNING))

    def end(self) -> None:
        with self._lock:
            self._over = True


def begun_lately(library: Library) -> list[Episode]:
    """The episodes whose bytes stay cached, whatever the cache's limit."""
    return library.episodes.in_progress_since(datetime.now(UTC) - _BEGUN_LATELY)


def folder_of(setting: str, data: Path) -> Path:
    """The downloads folder: the one in the settings, or `episodes` in the data folder."""
    return Path(setting).expanduser() if setting else data / "episodes"


def delete_files(paths: list[Path]) -> None:
    """Deletes the files, except those that can't be deleted."""
    for path in paths:
        with suppress(OSError):
            delete(path)

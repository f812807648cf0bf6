"""The podcasts whose episodes are transcribed by themselves."""

import logging

from player.downloads.downloader import Downloader
from player.errors import LibraryError
from player.events import Bus, Cause, LibraryChanged, PodcastRefreshed, QueueChanged
from player.library import Library
from player.model.downloads import DownloadFinished
from player.model.episode import EpisodeId
from player.processes.scheduler import SHARED

log = logging.getLogger(__name__)

_QUIET_S, _AT_MOST_S = 1.0, 30.0


class AutomaticTranscripts:
    """Follows the bus from `start` until `close`. An episode is asked for once: if the listener cancels it, that
    holds."""

    def __init__(self, library: Library, bus: Bus, downloads: Downloader) -> None:
        self._library = library
        self._bus = bus
        self._downloads = downloads
        self._asked: set[EpisodeId] = set()
        self._task = SHARED.task(self._look, "transcripts-wanted")

    def start(self) -> None:
        for kind in (DownloadFinished, QueueChanged, PodcastRefreshed, LibraryChanged):
            self._bus.subscribe(kind, lambda _event: self.look())
        self.look()

    def look(self) -> None:
        """Episodes may be wanted that weren't before. Returns at once."""
        self._task.soon(_QUIET_S, _AT_MOST_S)

    def close(self) -> None:
        self._task.close(timeout_s=0)

    def _look(self) -> None:
        try:
            wanted = [one for one in self._library.downloads.queue.to_transcribe() if one not in self._asked]
        except LibraryError as error:
            log.warning("which episodes are to be transcribed can't be read: %s", error)
            return
        if wanted:
            self._asked.update(wanted)
            self._downloads.transcribe(wanted, cause=Cause.RULE)

"""The queue of downloads while no Earmark runs: changed in the library, for the next one that does."""

from collections.abc import Sequence

from player.downloads.files import part_of
from player.downloads.rows import Rows
from player.library import Library
from player.model.downloads import DownloadSnapshot, DownloadState
from player.model.episode import EpisodeId

PAUSED = "downloads_paused"
"""The key in the library's state that says \"1\" while all downloads are paused."""


class QueueAtRest:
    """The commands of the downloader. Each is on the disk when it returns, and raises LibraryError."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def snapshot(self) -> DownloadSnapshot:
        queued, rows = self._library.downloads.queue.all(), Rows()
        episodes = {one.id: one for one in self._library.episodes.rows([row.episode_id for row in queued])}
        rows.renew(queued, episodes)
        return rows.snapshot(paused=self._library.state.get(PAUSED) == "1", held=False)

    def pause(self, ids: Sequence[EpisodeId] | None = None) -> None:
        """These, or everything (None), until `resume`."""
        if ids is None:
            self._library.state.set(PAUSED, "1")
        else:
            self._library.downloads.queue.pause(ids)

    def resume(self, ids: Sequence[EpisodeId] | None = None) -> None:
        """These, or everything that is paused (None)."""
        if ids is not None:
            self._library.downloads.queue.wait(ids)
            return
        queue = self._library.downloads.queue
        queue.wait([one.episode_id for one in queue.all() if one.state is DownloadState.PAUSED])
        self._library.state.set(PAUSED, "")

    def retry(self, ids: Sequence[EpisodeId] | None = None) -> None:
        """With all attempts: these, or everything (None) that has failed or waits for another attempt."""
        queue = self._library.downloads.queue
        queue.wait([one.episode_id for one in queue.all() if one.problem] if ids is None else ids)

    def cancel(self, ids: Sequence[EpisodeId]) -> None:
        """Takes them out of the queue."""
        paths = {one.episode_id: one.path for one in self._library.downloads.queue.all()}
        for one in self._library.downloads.queue.remove(ids):
            if path := paths.get(one):
                part_of(path, one).unlink(missing_ok=True)

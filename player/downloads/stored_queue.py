"""The queue of downloads and transcripts as stored in the library, and the commands that change it there."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from player.downloads.attempt import Attempt, together, wait_s
from player.downloads.files import part_of
from player.events import Cause
from player.library import Library
from player.model.downloads import MANUAL, DownloadEntry, DownloadSnapshot, DownloadState, Progress, QueuedDownload
from player.model.episode import Episode, EpisodeId

_PAUSED = "downloads_paused"
"""The key in the library's state that says \"1\" while all downloads are paused."""


class Row:
    """An episode in the queue. `needs` is the number of bytes for which there was no room."""

    def __init__(self, queued: QueuedDownload, episode: Episode) -> None:
        self.queued = queued
        self.episode = episode
        self.cause = Cause.PERSON if queued.why == MANUAL else Cause.RULE
        self.attempt: Attempt | None = None
        self.progress = Progress()
        self.needs = 0
        self.warned = self.out_of_room = False
        """Whether this has been said already."""

    @property
    def state(self) -> DownloadState:
        return DownloadState.RUNNING if self.attempt is not None else self.queued.state

    def is_due(self, now: datetime) -> bool:
        waiting = self.attempt is None and self.queued.state is DownloadState.WAITING
        return waiting and not wait_s(self.queued.retry_at, now)

    @property
    def problem(self) -> str:
        """Why no bytes arrive at the moment, or why the last attempt failed."""
        attempt = self.attempt
        trouble = attempt.trouble if attempt is not None else None
        return str(trouble) if trouble else self.queued.sentence

    @property
    def expected(self) -> Progress:
        """Its progress; if the size isn't known, with the size from the feed."""
        if self.progress.total is None and self.episode.size and self.queued.downloads:
            return replace(self.progress, total=max(self.episode.size, self.progress.done))
        return self.progress

    def entry(self) -> DownloadEntry:
        queued = self.queued
        return DownloadEntry(
            queued.episode_id,
            self.episode.title,
            self.episode.podcast,
            self.state,
            queued.why,
            queued.asked_at,
            self.progress,
            queued.attempts,
            queued.retry_at,
            self.problem,
            self.queued.work,
        )


Rows = Mapping[EpisodeId, Row]
"""In the order of the queue."""


def progress_of(rows: Iterable[Row]) -> Progress:
    """The progress of all downloads that run or wait, as far as the sizes are known or claimed."""
    wanted = (DownloadState.RUNNING, DownloadState.WAITING)
    return together([row.expected for row in rows if row.queued.downloads and row.state in wanted])


class QueueAtRest:
    """The queue in the library, which is all of it while no Earmark runs. A command is on the disk when it returns.
    Every method raises LibraryError."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._queue = library.downloads.queue

    @property
    def paused(self) -> bool:
        """Whether the listener has paused the whole queue."""
        return self._library.state.get(_PAUSED) == "1"

    def rows(self, known: Rows) -> dict[EpisodeId, Row]:
        """All rows. `known` rows stay the same objects, updated from the library."""
        queued = self._queue.all()
        episodes = {one.id: one for one in self._library.episodes.rows([row.episode_id for row in queued])}
        rows: dict[EpisodeId, Row] = {}
        for one in queued:
            if (episode := episodes.get(one.episode_id)) is not None:
                row = rows[one.episode_id] = known.get(one.episode_id) or Row(one, episode)
                row.queued, row.episode = one, episode
        return rows

    def snapshot(self) -> DownloadSnapshot:
        rows = self.rows({}).values()
        return DownloadSnapshot(tuple(row.entry() for row in rows), progress_of(rows), self.paused)

    def pause(self, ids: Sequence[EpisodeId] | None = None) -> None:
        """Pauses these, or everything (None), until `resume`."""
        if ids is None:
            self._library.state.set(_PAUSED, "1")
        else:
            self._queue.pause(ids)

    def resume(self, ids: Sequence[EpisodeId] | None = None) -> None:
        """Resumes these, or everything that is paused (None)."""
        if ids is not None:
            self._queue.wait(ids)
            return
        self._queue.wait([one.episode_id for one in self._queue.all() if one.state is DownloadState.PAUSED])
        self._library.state.set(_PAUSED, "")

    def retry(self, ids: Sequence[EpisodeId] | None = None) -> None:
        """Retries with all attempts: these, or everything (None) that has failed or waits for another attempt."""
        self._queue.wait([one.episode_id for one in self._queue.all() if one.problem] if ids is None else ids)

    def cancel(self, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
        """Removes episodes from the queue; returns those that were in it."""
        paths = {one.episode_id: one.path for one in self._queue.all()}
        removed = self._queue.remove(ids)
        for one in removed:
            if path := paths.get(one):
                part_of(path, one).unlink(missing_ok=True)
        return removed

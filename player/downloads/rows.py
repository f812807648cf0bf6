"""The queue of downloads in memory: the library's rows, and what is under way of them."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec.structs import replace

from player.downloads.attempt import Attempt, together
from player.downloads.retries import wait_s
from player.events import Cause
from player.model.downloads import MANUAL, DownloadEntry, DownloadSnapshot, DownloadState, Progress, QueuedDownload
from player.model.episode import Episode, EpisodeId

_MOST_FINISHED = 100


class Row:
    """An episode in the queue. `needs` are the bytes for which there was no room."""

    def __init__(self, queued: QueuedDownload, episode: Episode) -> None:
        self.queued = queued
        self.episode = episode
        self.cause = Cause.PERSON if queued.why == MANUAL else Cause.RULE
        self.attempt: Attempt | None = None
        self.progress = Progress()
        self.needs = 0
        self.warned = self.out_of_room = False
        """What was said already."""

    @property
    def state(self) -> DownloadState:
        return DownloadState.RUNNING if self.attempt is not None else self.queued.state

    def is_due(self, now: datetime) -> bool:
        waiting = self.attempt is None and self.queued.state is DownloadState.WAITING
        return waiting and not wait_s(self.queued.retry_at, now)

    @property
    def problem(self) -> str:
        """Why nothing comes just now, or what went wrong last."""
        attempt = self.attempt
        trouble = attempt.trouble if attempt is not None else None
        return str(trouble) if trouble else self.queued.sentence

    @property
    def expected(self) -> Progress:
        """Its progress; where nobody knows the size, with what the feed says of it."""
        if self.progress.total is None and self.episode.size:
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
        )


class Rows:
    """All of it, in order, and what was finished since the start. Whoever uses it holds the downloader's lock."""

    def __init__(self) -> None:
        self._rows: dict[EpisodeId, Row] = {}
        self._finished: dict[EpisodeId, DownloadEntry] = {}

    def __iter__(self) -> Iterator[Row]:
        return iter(list(self._rows.values()))

    def get(self, episode_id: EpisodeId) -> Row | None:
        return self._rows.get(episode_id)

    @property
    def running(self) -> list[Row]:
        return [row for row in self._rows.values() if row.attempt is not None]

    def renew(self, queued: Iterable[QueuedDownload], episodes: dict[EpisodeId, Episode]) -> tuple[bool, list[Row]]:
        """Takes over the library's rows. Answers whether anything is other than before, and with the rows that left
        the queue or were paused while they ran."""
        before = {one: row.queued for one, row in self._rows.items()}
        new: dict[EpisodeId, Row] = {}
        for one in queued:
            if (episode := episodes.get(one.episode_id)) is None:
                continue
            row = self._rows.get(one.episode_id) or Row(one, episode)
            row.queued, row.episode = one, episode
            new[one.episode_id] = row
            self._finished.pop(one.episode_id, None)
        ended = [
            row
            for one, row in self._rows.items()
            if row.attempt is not None and (one not in new or row.queued.state is not DownloadState.WAITING)
        ]
        self._rows = new
        after = {one: row.queued for one, row in new.items()}
        return before != after or list(before) != list(after), ended

    def finished(self, row: Row) -> None:
        if self._rows.get(row.queued.episode_id) is row:
            del self._rows[row.queued.episode_id]
        size = row.progress.total or row.progress.done
        entry = replace(row.entry(), state=DownloadState.DONE, progress=Progress(size, size), problem="", retry_at=None)
        self._finished[entry.episode_id] = entry
        while len(self._finished) > _MOST_FINISHED:
            self._finished.pop(next(iter(self._finished)))

    def clear_finished(self) -> bool:
        had, self._finished = bool(self._finished), {}
        return had

    def why(self, episode_id: EpisodeId) -> str | None:
        row, entry = self._rows.get(episode_id), self._finished.get(episode_id)
        return row.queued.why if row else entry.why if entry else None

    def progress(self) -> Progress:
        """Of all that runs or waits, as far as their sizes are known or claimed."""
        wanted = (DownloadState.RUNNING, DownloadState.WAITING)
        return together([row.expected for row in self._rows.values() if row.state in wanted])

    def snapshot(self, *, paused: bool, held: bool) -> DownloadSnapshot:
        entries = (*(row.entry() for row in self._rows.values()), *self._finished.values())
        return DownloadSnapshot(entries, self.progress(), paused, held)

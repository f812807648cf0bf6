"""Refreshing feeds: several are fetched and read at once, and written one after the other. A failure is a value."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from player.addresses import without_secrets
from player.errors import FeedError, NotFound
from player.events import Bus, PodcastRefreshed, RefreshProgress
from player.feeds.abort import Abort
from player.feeds.fetch import Connections
from player.feeds.library import FeedLibrary
from player.feeds.merge import decide
from player.feeds.reader import read_feed
from player.model import Feed, FeedState, PodcastId

log = logging.getLogger(__name__)

_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class RefreshSummary:
    """What a refresh came to. `failed` are podcasts with the sentence that stands on their row now."""

    refreshed: int = 0
    new: int = 0
    failed: tuple[tuple[PodcastId, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Of one feed: read (`feed`), nothing new (neither), or failed (`error`)."""

    podcast_id: PodcastId
    state: FeedState = field(default_factory=FeedState)
    feed: Feed | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class _Job:
    podcast_id: PodcastId
    url: str
    state: FeedState


class Refresher:
    """Refreshes podcasts of a library and tells the bus. May be used from several threads."""

    def __init__(self, library: FeedLibrary, bus: Bus) -> None:
        self._library = library
        self._bus = bus
        self._lock = threading.Lock()
        self._runs: set[_Run] = set()

    def refresh(self, podcast_ids: Sequence[PodcastId] | None = None) -> RefreshSummary:
        """Refreshes these podcasts, or all. Returns when all are done, or at once after `cancel`.

        What another call is refreshing already is left to it. Raises LibraryError, never FeedError.
        """
        podcasts = self._library.podcasts
        wanted = dict.fromkeys(podcast_ids if podcast_ids is not None else (one.id for one in podcasts.all()))
        with self._lock:
            busy = {one for run in self._runs for one in run.podcast_ids}
            run = _Run(self._library, self._bus, tuple(one for one in wanted if one not in busy))
            self._runs.add(run)
        try:
            return run.work()
        finally:
            with self._lock:
                self._runs.discard(run)

    def cancel(self) -> None:
        """Ends what is under way. After it has returned, nothing of it is written any more."""
        with self._lock:
            runs = tuple(self._runs)
        for run in runs:
            run.cancel()


class _Run:
    """One refresh: threads that fetch and read, and the caller's thread, which alone writes."""

    def __init__(self, library: FeedLibrary, bus: Bus, podcast_ids: tuple[PodcastId, ...]) -> None:
        self.podcast_ids = podcast_ids
        self._podcasts = library.podcasts
        self._bus = bus
        self._abort = Abort()
        self._writing = threading.Lock()
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._outcomes: SimpleQueue[_Outcome | None] = SimpleQueue()

    def cancel(self) -> None:
        self._abort.set()
        self._outcomes.put(None)
        with self._writing:  # what is being written now is written whole
            pass

    def work(self) -> RefreshSummary:
        total = self._line_up()
        done = new = 0
        failed: list[tuple[PodcastId, str]] = []
        self._bus.publish(RefreshProgress(0, total))
        connections = Connections()
        try:
            self._start_threads(min(_AT_ONCE, total), connections)
            while done < total and (outcome := self._outcomes.get()) is not None:
                event = self._write(outcome)
                done += 1
                if event is not None:
                    new += len(event.new)
                    failed += [(event.podcast_id, event.error)] if event.error is not None else []
                    self._bus.publish(event)
                self._bus.publish(RefreshProgress(done, total, new, len(failed)))
        finally:
            self._abort.set()
            connections.close()
            if done < total:
                self._bus.publish(RefreshProgress(done, done, new, len(failed)))
        return RefreshSummary(done - len(failed), new, tuple(failed))

    def _line_up(self) -> int:
        count = 0
        for podcast_id in self.podcast_ids:
            try:
                podcast = self._podcasts.get(podcast_id)
                self._jobs.put(_Job(podcast_id, podcast.url, self._podcasts.feed_state(podcast_id)))
            except NotFound:
                continue
            count += 1
        return count

    def _start_threads(self, count: int, connections: Connections) -> None:
        for number in range(count):
            # Daemons: looking up a name can't be let go of, and mustn't keep Earmark from quitting.
            name = f"earmark-feed-{number}"
            threading.Thread(target=self._fetch_jobs, args=(connections,), name=name, daemon=True).start()

    def _fetch_jobs(self, connections: Connections) -> None:
        while not self._abort.is_set:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return
            self._outcomes.put(_outcome(job, connections, self._abort))

    def _write(self, outcome: _Outcome) -> PodcastRefreshed | None:
        """None when the podcast was removed meanwhile, or the refresh cancelled."""
        with self._writing:
            if self._abort.is_set:
                return None
            try:
                return self._apply(outcome)
            except NotFound:
                return None

    def _apply(self, outcome: _Outcome) -> PodcastRefreshed:
        podcast_id = outcome.podcast_id
        if outcome.error is not None:
            self._podcasts.refresh_failed(podcast_id, outcome.error)
            return PodcastRefreshed(podcast_id, error=outcome.error)
        if outcome.feed is None:
            self._podcasts.unchanged(podcast_id, outcome.state)
            return PodcastRefreshed(podcast_id)
        applied = self._podcasts.apply(podcast_id, outcome.feed, outcome.state, decide)
        return PodcastRefreshed(podcast_id, tuple(applied.new), applied.changed)


def _outcome(job: _Job, connections: Connections, abort: Abort) -> _Outcome:
    """What comes of one feed; never raises."""
    try:
        fetched = connections.fetch(job.url, job.state, abort=abort)
        if fetched.status == "not_modified":
            return _Outcome(job.podcast_id, fetched.state)
        feed = read_feed(fetched.body, fetched.content_type, fetched.url)
        return _Outcome(job.podcast_id, fetched.state, feed)
    except FeedError as error:
        return _Outcome(job.podcast_id, error=str(error))
    except Exception:
        if not abort.is_set:
            log.exception("refreshing %s failed", without_secrets(job.url))
        return _Outcome(job.podcast_id, error="Earmark tripped over this feed. The log tells more.")

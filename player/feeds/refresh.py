"""Refreshes feeds: many are fetched at once, parsed meanwhile, and written a few at a time. A failure is a value."""

import asyncio
import concurrent.futures
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from queue import Empty, SimpleQueue
from urllib.parse import urlsplit

from msgspec.structs import replace

from player.errors import NotFound
from player.events import Bus, Cause, InboxChanged, PodcastRefreshed, PodcastRemoved, QueueChanged, RefreshProgress
from player.feeds.check import FeedChecker, decide
from player.feeds.feed_fetch import Connections, Credentials
from player.feeds.parsing.parser_pool import ParserPool
from player.feeds.refresh_summary import RefreshSummary
from player.feeds.schedule import after_failure, after_success, may_ask
from player.feeds.source import NO_SOURCES, CheckJob, Outcome, Sources, outcome_of, read_built_in
from player.library import Library
from player.links.urls import without_secrets
from player.model.episode import EpisodeId
from player.model.feed import FeedSchedule
from player.model.podcast import WELCOME_URL, PodcastId
from player.net.connectivity import Watch
from player.net.fetch import MemoryBudget

log = logging.getLogger(__name__)

_AT_ONCE = 48
_AT_ONE_HOST = 4
_WAITING = 8
"""Feeds parsed but not yet written; bounds the memory."""
_WRITTEN_AT_ONCE = 64
_WRITING_S = 0.1
"""Most feeds in a transaction, and the seconds after which it takes no more: other writers wait for it."""
_GATHER_S, _LOOK_S = 0.03, 0.003
_STARTED = "refresh.started"
_RESUMABLE = timedelta(minutes=30)


def _now() -> datetime:
    return datetime.now(UTC)


class Refresher:
    """Refreshes podcasts of a library and publishes events. Any thread may use it."""

    def __init__(
        self,
        library: Library,
        bus: Bus,
        *,
        credentials: Credentials | None = None,
        watch: Watch | None = None,
        readers: Callable[[], ParserPool] = ParserPool,
        now: Callable[[], datetime] = _now,
        sources: Sources = NO_SOURCES,
    ) -> None:
        self._library = library
        self._bus = bus
        self._connections = partial(Connections, credentials=credentials, watch=watch)
        self._readers = readers
        self._now = now
        self._sources = sources
        self._lock = threading.Lock()
        self._runs: set[_Run] = set()

    def refresh(self, podcast_ids: Sequence[PodcastId] | None = None, *, by_person: bool = True) -> RefreshSummary:
        """Refreshes these podcasts, or all. Returns when all are done, or at once after `cancel`.

        Unless `by_person`, only feeds that are due. A refresh of all that was cancelled or killed resumes where it
        was. Podcasts that another call is refreshing are left to it. Raises
        LibraryError, never FeedError.
        """
        with self._lock:
            busy = {one for run in self._runs for one in run.podcast_ids}
            chosen, resting = self._chosen(podcast_ids, busy, by_person)
            cause = Cause.PERSON if by_person else Cause.RULE
            run = _Run(
                self._library, self._bus, chosen, self._connections, self._readers(), self._now, cause, self._sources
            )
            self._runs.add(run)
        try:
            summary = run.work()
        finally:
            with self._lock:
                self._runs.discard(run)
        if podcast_ids is None and by_person and not summary.left:
            self._note_start("")
        return replace(summary, resting=resting)

    def cancel(self) -> None:
        """Cancels the refreshes that run. Once it has returned, they write nothing more."""
        with self._lock:
            runs = tuple(self._runs)
        for run in runs:
            run.cancel()

    def _chosen(
        self, podcast_ids: Sequence[PodcastId] | None, busy: set[PodcastId], by_person: bool
    ) -> tuple[list[CheckJob], int]:
        """The feeds to check, longest unchecked first; and how many must not be checked yet."""
        podcasts, feed_schedules, now = self._library.podcasts, self._library.feed_schedules.all(), self._now()
        every = {one.id: one for one in podcasts.all()}
        ids = [one for one in dict.fromkeys(every if podcast_ids is None else podcast_ids) if one in every]
        ids = [one for one in ids if one not in busy]
        if podcast_ids is None and by_person:
            since = self._resumed(now)
            ids = [
                one
                for one in ids
                if not (since and (at := feed_schedules.get(one, FeedSchedule()).checked_at) and at >= since)
            ]
        due = [one for one in ids if may_ask(feed_schedules.get(one, FeedSchedule()), now, by_person=by_person)]
        never = datetime.min.replace(tzinfo=UTC)
        due.sort(key=lambda one: feed_schedules.get(one, FeedSchedule()).checked_at or never)
        jobs = []
        for one in due:
            with contextlib.suppress(NotFound):
                schedule = feed_schedules.get(one, FeedSchedule())
                jobs.append(CheckJob(every[one], podcasts.feed_state(one), schedule, MemoryBudget()))
        return jobs, len(ids) - len(due)

    def _resumed(self, now: datetime) -> datetime | None:
        """When the last unfinished refresh began, if that isn't long ago."""
        noted = self._library.state.get(_STARTED)
        started = datetime.fromisoformat(noted) if noted else None
        if started is not None and timedelta() <= now - started < _RESUMABLE:
            return started
        self._note_start(now.isoformat())
        return None

    def _note_start(self, moment: str) -> None:
        with self._library.transaction(durable=False):
            self._library.state.set(_STARTED, moment)


class _Run:
    """One refresh: an event loop that fetches, processes that parse, and the caller's thread, which alone writes."""

    def __init__(
        self,
        library: Library,
        bus: Bus,
        jobs: Sequence[CheckJob],
        connections: Callable[[], Connections],
        readers: ParserPool,
        now: Callable[[], datetime],
        cause: Cause,
        sources: Sources,
    ) -> None:
        self.podcast_ids = tuple(job.podcast.id for job in jobs)
        self._jobs = jobs
        self._library = library
        self._bus = bus
        self._connections = connections
        self._now = now
        self._cause = cause
        self._sources = sources
        self._writing = threading.Lock()
        self._cancelled = False
        self._outcomes: SimpleQueue[Outcome | None] = SimpleQueue()
        self._readers = readers
        self._done = self._new = 0
        self._landed: set[InboxChanged | QueueChanged] = set()
        self._failed: list[tuple[PodcastId, str]] = []
        self._reasons: list[tuple[PodcastId, str]] = []
        self._news: list[tuple[PodcastId, int]] = []

    def cancel(self) -> None:
        self._cancelled = True
        self._outcomes.put(None)
        with self._writing:  # the write in progress is completed
            pass

    def work(self) -> RefreshSummary:
        total = len(self._jobs)
        self._publish_progress(total)
        if total:
            try:
                if total == 1 and self._jobs[0].podcast.url == WELCOME_URL:
                    self._write([read_built_in(self._jobs[0])])
                else:
                    self._ask_and_write()
            finally:
                if self._done < total:
                    self._publish_progress(self._done)
        failed, reasons = tuple(self._failed), tuple(self._reasons)
        left, news = total - self._done, tuple(self._news)
        return RefreshSummary(self._done - len(failed), self._new, failed, left, reasons=reasons, news=news)

    def _ask_and_write(self) -> None:
        threads = ThreadPoolExecutor(ParserPool.useful(), "earmark-read")
        connections = self._connections()
        try:
            asking = connections.run(self._ask_all(connections, threads))
            asking.add_done_callback(self._asked)
            while self._done < len(self._jobs) and (outcomes := self._next()):
                self._write(outcomes)
            asking.cancel()
        finally:
            self._cancelled = True
            self._readers.close()
            connections.close()
            threads.shutdown(wait=False, cancel_futures=True)

    # -- fetching, on the event loop ----------------------------------------------------------------------------

    async def _ask_all(self, connections: Connections, threads: ThreadPoolExecutor) -> None:
        checker = FeedChecker(
            connections, self._readers, threads, lambda url: self._library.podcasts.by_url(url) is not None
        )
        hosts: dict[str, asyncio.Semaphore] = {}
        gate, heavy = asyncio.Semaphore(_AT_ONCE), asyncio.Lock()
        self._loop, self._room = asyncio.get_running_loop(), asyncio.Semaphore(_WAITING)

        async def ask(job: CheckJob) -> None:
            job.load.begin(heavy)
            async with hosts.setdefault(_host(job.podcast.url), asyncio.Semaphore(_AT_ONE_HOST)), gate:
                outcome = await outcome_of(job, self._sources.of(job.podcast.url, checker, connections))
                if outcome.weighs:
                    await self._room.acquire()
                else:
                    job.load.release()
                self._outcomes.put(outcome)

        await asyncio.gather(*(ask(job) for job in self._jobs))

    def _asked(self, asking: "concurrent.futures.Future[None]") -> None:
        """Catches everything: a bug on the loop must not leave the writer waiting."""
        if not asking.cancelled() and asking.exception() is not None:
            log.error("asking feeds failed", exc_info=asking.exception())
            self._outcomes.put(None)

    # -- writing, on the caller's thread ----------------------------------------------------------------------

    def _next(self) -> list[Outcome]:
        """All outcomes so far, at least one; none when the refresh was cancelled."""
        outcomes: list[Outcome] = []
        outcome = self._outcomes.get()
        if outcome is not None:
            self._let_gather(_WAITING if outcome.weighs else _WRITTEN_AT_ONCE)
        while outcome is not None:
            outcomes.append(outcome)
            if len(outcomes) == _WRITTEN_AT_ONCE:
                return outcomes
            try:
                outcome = self._outcomes.get_nowait()
            except Empty:
                return outcomes
        return []

    def _let_gather(self, most: int) -> None:
        """Waits a moment: writing hundreds of results a second takes half the time when they are written together."""
        end = time.monotonic() + _GATHER_S
        enough = min(most, len(self._jobs) - self._done) - 1
        while self._outcomes.qsize() < enough and time.monotonic() < end and not self._cancelled:
            time.sleep(_LOOK_S)

    def _write(self, outcomes: list[Outcome]) -> None:
        """In one transaction, or in several when it takes long. Events come after each."""
        while outcomes:
            events: list[PodcastRefreshed | PodcastRemoved | None] = []
            with self._writing:
                if self._cancelled:
                    return
                end = time.monotonic() + _WRITING_S
                with self._library.transaction(durable=False):
                    while outcomes and (not events or time.monotonic() < end):
                        outcome = outcomes.pop(0)
                        events.append(self._apply(outcome))
                        if outcome.weighs:
                            self._release(outcome)
                    if self._library.inbox.expire():
                        self._landed.add(InboxChanged(Cause.FEED))
            for event in events:
                self._publish(event)
            while self._landed:
                self._bus.publish(self._landed.pop())

    def _release(self, outcome: Outcome) -> None:
        def release() -> None:
            outcome.job.load.release()
            self._room.release()

        if outcome.job.podcast.url != WELCOME_URL or len(self._jobs) > 1:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(release)

    def _publish(self, event: PodcastRefreshed | PodcastRemoved | None) -> None:
        self._done += 1
        if isinstance(event, PodcastRemoved):
            self._bus.publish(event)
        elif event is not None:
            self._new += len(event.new)
            if event.new:
                self._news.append((event.podcast_id, len(event.new)))
            if event.error is not None:
                self._failed.append((event.podcast_id, event.error))
                self._reasons.append((event.podcast_id, event.reason))
            self._bus.publish(event)
        self._publish_progress(len(self._jobs))

    def _publish_progress(self, total: int) -> None:
        self._bus.publish(RefreshProgress(self._done, total, self._new, len(self._failed), self._cause))

    def _apply(self, outcome: Outcome) -> PodcastRefreshed | PodcastRemoved | None:
        """None when the podcast was removed meanwhile."""
        podcast, schedule, now = outcome.job.podcast, outcome.job.schedule, self._now()
        podcasts, feed_schedules = self._library.podcasts, self._library.feed_schedules
        answer = outcome.answer
        try:
            if answer is None:
                if not outcome.offline:
                    feed_schedules.note(podcast.id, after_failure(schedule, now, outcome.pause, gone=outcome.gone))
                if outcome.offline and self._cause is Cause.RULE and podcast.last_refreshed is not None:
                    return PodcastRefreshed(podcast.id, error=outcome.error, reason=outcome.reason)  # not its fault
                podcasts.refresh_failed(podcasts.get(podcast.id).id, outcome.error)
                changed = outcome.error != podcast.error
                return PodcastRefreshed(podcast.id, changed=changed, error=outcome.error, reason=outcome.reason)
            other = podcast.error is not None or podcast.last_refreshed is None
            new: tuple[EpisodeId, ...] = ()
            live: tuple[EpisodeId, ...] = ()
            if answer.known_as and (landed := podcasts.join(podcast.id, answer.known_as)) is not None:
                log.info("%s is %s, which is known", without_secrets(podcast.url), without_secrets(answer.known_as))
                self._landed |= {InboxChanged(Cause.FEED)} if landed.inbox else set()
                self._landed |= {QueueChanged(Cause.FEED)} if landed.queue else set()
                return PodcastRemoved(podcast.id, Cause.FEED)
            if answer.feed is None:
                podcasts.unchanged(podcasts.get(podcast.id).id, answer.state)
            else:
                applied = podcasts.apply(podcast.id, answer.feed, answer.state, decide)
                new, live, other = applied.new, applied.live, other or applied.changed
                self._landed |= {InboxChanged(Cause.FEED)} if applied.inbox else set()
                self._landed |= {QueueChanged(Cause.FEED)} if applied.queue else set()
            if answer.url != podcast.url and podcasts.move(podcast.id, answer.url):
                log.info("%s has moved to %s", without_secrets(podcast.url), without_secrets(answer.url))
        except NotFound:
            return None
        extra = answer.feed.extra if answer.feed else podcasts.extra(podcast.id)
        schedule = after_success(schedule, now, answer.fresh, extra, self._library.live_shows.times(podcast.id))
        schedule = replace(schedule, digest=answer.digest, archive=answer.archive, archived=answer.archived)
        feed_schedules.note(podcast.id, schedule)
        return PodcastRefreshed(podcast.id, new, other, first=podcast.last_refreshed is None, live=live)


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""

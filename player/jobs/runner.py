"""Runs jobs (refreshing, adding, indexing) in separate processes, which can be cancelled at any moment."""

import itertools
import logging
import pickle
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from player.errors import EarmarkError, FeedError
from player.events import (
    AttachmentsChanged,
    Bus,
    LibraryChanged,
    PodcastAdded,
    PodcastRefreshed,
    PodcastRemoved,
    PodcastsImported,
    RefreshProgress,
)
from player.feeds.refresh_summary import RefreshSummary
from player.jobs.worker import MORE, REST, Add, Done, Follow, Index, JobEvents, Refresh, Storing
from player.library import Library
from player.library.search.index import SearchIndexer
from player.library.search.search import EpisodeSearch
from player.model.podcast import Podcast, PodcastId
from player.paths import Paths
from player.processes.python_child import Child, command
from player.text.sentences import _

log = logging.getLogger(__name__)


class Cancelled(FeedError):
    """The job was cancelled before it was done."""


class _OfAll:
    """A refresh of all podcasts that is under way."""

    def __init__(self, by_person: bool) -> None:
        self.by_person = by_person
        self.process: _JobProcess | None = None
        self.has_read_all = False
        self.is_over = threading.Event()

    @property
    def is_ending(self) -> bool:
        """It reads no feeds any more, so what is published from now on it won't find."""
        return self.has_read_all or (self.process is not None and self.process.has_ended)


class JobRunner:
    """Runs each job in a process of its own. Any thread may call; calls return when the job is done.

    Events published on the job's bus are published on this bus. Unless `uses_inbox`, no new episodes go into the inbox.
    """

    def __init__(self, paths: Paths, bus: Bus, *, uses_inbox: bool = True) -> None:
        self._paths = paths
        self.uses_inbox = uses_inbox
        self._bus = bus
        self._lock = threading.Lock()
        self._running: set[_JobProcess] = set()
        self._of_all: _OfAll | None = None
        self._numbers = itertools.count(1)
        self._closed = False

    @property
    def busy(self) -> bool:
        return bool(self._running)

    def add(self, url: str, storing: Callable[[str], None] = lambda _url: None, *, previews: bool = False) -> Podcast:
        """Like Subscriber.add; with `previews` without subscribing. Raises Cancelled after `cancel_add`; if `storing`
        was called before that, the podcast may be in the library.
        """
        events = Bus()
        events.subscribe(Storing, lambda event: storing(event.url))
        process = self._begin(Add(self._paths, url, self.uses_inbox, previews), events)
        try:
            podcast: Podcast = process.run()
            return podcast
        finally:
            self._end(process)

    def refresh(self, podcast_ids: Sequence[PodcastId] | None = None, *, by_person: bool = True) -> RefreshSummary:
        """Like Refresher.refresh. The end of its progress is published once another refresh may begin.

        While all podcasts are being refreshed, another call for all returns at once, with two exceptions for a person:
        an automatic refresh, which reads only what is due, is given up for the person's; and one that has read
        everything already is waited for.
        """
        if podcast_ids is not None:
            return self._refresh(tuple(podcast_ids), by_person, None)
        mine = self._begin_of_all(by_person)
        if mine is None:
            return RefreshSummary()
        try:
            return self._refresh(None, by_person, mine)
        finally:
            self._end_of_all(mine)

    def index(self) -> bool:
        """Like Searches.catch_up; False when the job was cancelled."""
        try:
            process = self._begin(Index(self._paths), self._bus)
        except Cancelled:
            return False
        try:
            return bool(process.run())
        except Cancelled:
            return False
        finally:
            self._end(process)

    def cancel(self) -> bool:
        """Ends all refreshes; when this returns, they write nothing more. False when none was running."""
        with self._lock:
            running = [one for one in self._running if isinstance(one.job, Refresh)]
            self._of_all = None
        for process in running:
            process.kill()
        return bool(running)

    def cancel_automatic(self) -> None:
        """Ends the refreshes that no person asked for, like `cancel`."""
        with self._lock:
            running = [one for one in self._running if isinstance(one.job, Refresh) and not one.job.by_person]
        for process in running:
            process.kill()

    def cancel_add(self, url: str) -> None:
        """Ends the job that adds that address; when this returns, it writes nothing more."""
        with self._lock:
            running = [one for one in self._running if isinstance(one.job, Add) and one.job.url == url]
        for process in running:
            process.kill()

    def close(self) -> None:
        """Ends all jobs; no new ones can start."""
        with self._lock:
            self._closed = True
            running = tuple(self._running)
        for process in running:
            process.kill()

    def _begin_of_all(self, by_person: bool) -> _OfAll | None:
        """None if the one that is under way will do."""
        mine = _OfAll(by_person)
        while True:
            with self._lock:
                other = self._of_all
                if other is None or (by_person and not other.by_person):
                    self._of_all = mine
                    break
                if not by_person or not other.is_ending:
                    return None
            other.is_over.wait()
        if other is not None and other.process is not None:
            other.process.kill()
        return mine

    def _end_of_all(self, mine: _OfAll) -> None:
        with self._lock:
            if self._of_all is mine:
                self._of_all = None
        mine.is_over.set()

    def _refresh(
        self, podcast_ids: tuple[PodcastId, ...] | None, by_person: bool, of_all: _OfAll | None
    ) -> RefreshSummary:
        events, number = Bus(), next(self._numbers)
        last: RefreshProgress | None = None

        def tell(event: object) -> None:
            nonlocal last
            if isinstance(event, RefreshProgress):
                event = last = replace(event, number=number)
                if event.done == event.total:
                    if of_all is not None:
                        of_all.has_read_all = True
                    return
            self._bus.publish(event)  # type: ignore[arg-type]

        events.subscribe(object, tell)
        process = self._begin(Refresh(self._paths, podcast_ids, by_person, self.uses_inbox), events)
        if of_all is not None:
            with self._lock:
                of_all.process, is_given_up = process, self._of_all is not of_all
            if is_given_up:
                process.kill()
        try:
            summary: RefreshSummary = process.run()
            return summary
        except Cancelled:
            if last is None:
                return RefreshSummary()
            return RefreshSummary(last.done - last.failed, last.new, left=last.total - last.done)
        finally:
            self._end(process)
            if of_all is not None:
                self._end_of_all(of_all)
            if last is not None:
                self._bus.publish(replace(last, total=last.done))

    def _begin(self, job: Refresh | Add | Index, bus: Bus) -> "_JobProcess":
        with self._lock:
            if self._closed:
                raise Cancelled(_("Earmark is quitting"))
            process = _JobProcess(job, bus)
            self._running.add(process)
            return process

    def _end(self, process: "_JobProcess") -> None:
        process.close()
        with self._lock:
            self._running.discard(process)


class Follower:
    """Indexes what this process writes, in another process. For one thread.

    Nothing depends on it: anything that it hasn't indexed is indexed by the next `catch_up`.
    """

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._process: _JobProcess | None = None

    def more(self) -> None:
        """Indexes what has been written so far; call it when there is enough for a transaction."""
        if self._process is None:
            self._process = _JobProcess(Follow(self._paths), Bus())
            self._process.begin()
        self._process.command(MORE)

    def finish(self) -> None:
        """Waits until everything is indexed, or indexing has failed."""
        if self._process is not None:
            self._process.command(REST)
            with suppress(EarmarkError):
                self._process.end()

    def close(self) -> None:
        if self._process is not None:
            self._process.close()


class _JobProcess:
    """One process, from start to end. Any thread may kill it."""

    def __init__(self, job: Refresh | Add | Index | Follow, bus: Bus) -> None:
        self.job = job
        self._bus = bus
        self._killed = False
        self._child = Child(command("-c", "from player.jobs.worker import main; main()"))

    @property
    def has_ended(self) -> bool:
        return self._child.process.poll() is not None

    def run(self) -> Any:
        """The job's result. Raises the job's EarmarkError, or Cancelled when it was killed."""
        self.begin()
        return self.end()

    def begin(self) -> None:
        with suppress(OSError):  # `end` reports it
            self._child.send(pickle.dumps(self.job))

    def command(self, command: bytes) -> None:
        with suppress(OSError):
            self._child.write(command)

    def end(self) -> Any:
        """Waits for the result; returns and raises like `run`."""
        try:
            while True:
                message = pickle.loads(self._child.receive())
                if isinstance(message, JobEvents):
                    for event in message.events:
                        self._bus.publish(event)  # type: ignore[arg-type]
                elif isinstance(message, Done):
                    if message.error is not None:
                        raise message.error
                    return message.result
        except (EOFError, OSError, ValueError) as error:
            if self._killed:
                raise Cancelled(_("That was cancelled")) from error
            log.error("the process for %s ended by itself with %s", type(self.job).__name__, self._child.process.poll())
            what = (
                _("Earmark's helper process for the search ended unexpectedly")
                if isinstance(self.job, Index | Follow)
                else _("Earmark's helper process for feeds ended unexpectedly")
            )
            raise FeedError(what, _("Try again.")) from error

    def kill(self) -> None:
        """When this returns, the process is gone."""
        self._killed = True
        self._child.kill()
        self._child.process.wait()

    def close(self) -> None:
        """Like `kill`, at the end of `run`."""
        self._killed = True
        self._child.close()


_CHANGES = (PodcastAdded, PodcastsImported, PodcastRefreshed, PodcastRemoved, AttachmentsChanged, LibraryChanged)


class ChangesIndexed:
    """Indexes a few changes in this process, and many in another process, to keep the work out of the screen's
    interpreter."""

    FEW = 50

    def __init__(self, searches: EpisodeSearch, jobs: JobRunner) -> None:
        self._searches = searches
        self._jobs = jobs

    def catch_up(self, enough: Callable[[], bool]) -> bool:
        if self._searches.left() > self.FEW:
            return self._jobs.index()
        return self._searches.catch_up(enough)


def follow_library(index: SearchIndexer, library: Library, jobs: JobRunner, bus: Bus) -> None:
    """Starts the indexer, which from now on follows everything that changes the library."""
    index.start(ChangesIndexed(library.search, jobs))
    for kind in _CHANGES:
        bus.subscribe(kind, index.poke)

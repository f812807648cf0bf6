"""Errands: refreshing and adding feeds in a process beside the app, which can be sent home at any moment."""

import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import player
from player.errors import EarmarkError, FeedError
from player.events import Bus, RefreshProgress
from player.feeds.refresh_summary import RefreshSummary
from player.jobs.worker import MORE, REST, Add, Done, Follow, Index, JobEvents, Refresh, Storing
from player.model.podcast import Podcast, PodcastId
from player.paths import Paths
from player.processes.frames import receive, send
from player.text.sentences import _

log = logging.getLogger(__name__)


class Cancelled(FeedError):
    """Sent home before it was done."""


class JobRunner:
    """Each in a process of its own. Any thread may call; calls return when it is done.

    What happens there is published on the bus here.
    """

    def __init__(self, paths: Paths, bus: Bus) -> None:
        self._paths = paths
        self._bus = bus
        self._lock = threading.Lock()
        self._running: set[_JobProcess] = set()
        self._all_under_way = False
        self._closed = False

    @property
    def busy(self) -> bool:
        return bool(self._running)

    def add(self, url: str, storing: Callable[[str], None] = lambda _url: None) -> Podcast:
        """As Subscriber.add. Raises Cancelled after `cancel_add`; if `storing` was called before that, the podcast at
        that address may be in the library."""
        events = Bus()
        events.subscribe(Storing, lambda event: storing(event.url))
        process = self._begin(Add(self._paths, url), events)
        try:
            podcast: Podcast = process.run()
            return podcast
        finally:
            self._end(process)

    def refresh(self, podcast_ids: Sequence[PodcastId] | None = None, *, by_person: bool = True) -> RefreshSummary:
        """As Refresher.refresh. While all are refreshed, another wish for all comes to nothing."""
        with self._lock:
            if podcast_ids is None and self._all_under_way:
                return RefreshSummary()
            self._all_under_way = self._all_under_way or podcast_ids is None
        try:
            return self._refresh(None if podcast_ids is None else tuple(podcast_ids), by_person)
        finally:
            if podcast_ids is None:
                self._all_under_way = False

    def index(self) -> bool:
        """As Searches.catch_up; False when it was sent home before."""
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
        """Ends the refresh under way; when this returns nothing of it is written any more. False when there is none."""
        with self._lock:
            running = [one for one in self._running if isinstance(one.job, Refresh)]
        for process in running:
            process.kill()
        return bool(running)

    def cancel_add(self, url: str) -> None:
        """Ends the adding of that address; when this returns nothing of it is written any more."""
        with self._lock:
            running = [one for one in self._running if isinstance(one.job, Add) and one.job.url == url]
        for process in running:
            process.kill()

    def close(self) -> None:
        """Ends all errands; no new ones begin."""
        with self._lock:
            self._closed = True
            running = tuple(self._running)
        for process in running:
            process.kill()

    def _refresh(self, podcast_ids: tuple[PodcastId, ...] | None, by_person: bool) -> RefreshSummary:
        events = Bus()
        last = RefreshProgress(0, 0)

        def remember(progress: RefreshProgress) -> None:
            nonlocal last
            last = progress

        events.subscribe(RefreshProgress, remember)
        events.subscribe(object, self._bus.publish)  # type: ignore[arg-type]
        process = self._begin(Refresh(self._paths, podcast_ids, by_person), events)
        try:
            summary: RefreshSummary = process.run()
            return summary
        except Cancelled:
            return RefreshSummary(last.done - last.failed, last.new, left=last.total - last.done)
        finally:
            self._end(process)
            if last.done < last.total:
                self._bus.publish(replace(last, total=last.done))

    def _begin(self, job: Refresh | Add | Index, bus: Bus) -> "_JobProcess":
        with self._lock:
            if self._closed:
                raise Cancelled(_("Earmark is quitting"))
            process = _JobProcess(job, bus)
            self._running.add(process)
            return process

    def _end(self, process: "_JobProcess") -> None:
        process.kill()
        with self._lock:
            self._running.discard(process)


class Follower:
    """Makes findable what this process writes, in another one. For one thread.

    Nothing depends on it: what it didn't do is left to whoever catches up next.
    """

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._process: _JobProcess | None = None

    def more(self) -> None:
        """Enough has come to be worth a transaction."""
        if self._process is None:
            self._process = _JobProcess(Follow(self._paths), Bus())
            self._process.begin()
        self._process.command(MORE)

    def finish(self) -> None:
        """Returns when all is findable, as far as it came."""
        if self._process is not None:
            self._process.command(REST)
            with suppress(EarmarkError):
                self._process.end()

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()


class _JobProcess:
    """One process, from its start to its end. It may be killed from any thread."""

    def __init__(self, job: Refresh | Add | Index | Follow, bus: Bus) -> None:
        self.job = job
        self._bus = bus
        self._killed = False
        here = str(Path(player.__file__).parent.parent)
        others = os.environ.get("PYTHONPATH", "")
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from player.jobs.worker import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{others}" if others else here},
        )

    def run(self) -> Any:
        """What came of it. Raises EarmarkError, or Cancelled when it was killed."""
        self.begin()
        return self.end()

    def begin(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # `end` tells of it
            send(self._process.stdin, pickle.dumps(self.job))  # type: ignore[arg-type]

    def command(self, command: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.write(command)
            self._process.stdin.flush()

    def end(self) -> Any:
        """Waits for it, as `run`."""
        stdout = self._process.stdout
        assert stdout is not None
        try:
            while True:
                message = pickle.loads(receive(stdout))  # type: ignore[arg-type]
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
            what = "the search" if isinstance(self.job, Index | Follow) else "feeds"
            log.error("the process for %s ended by itself with %s", what, self._process.poll())
            raise FeedError(
                _("Earmark's helper for {what} ended before it was done", what=what), _("Try again.")
            ) from error

    def kill(self) -> None:
        self._killed = True
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

"""The process that a job runs in, to keep the work out of the screen's interpreter.

It reads one frame from standard input (the job) and writes frames to standard output (JobEvents, then Done). When
standard input ends, the process exits at once, and the library rolls back what was being written.
"""

import contextlib
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from msgspec import Struct

from player.errors import EarmarkError
from player.events import Bus, RefreshProgress
from player.model.podcast import PodcastId
from player.net.connectivity import Seen
from player.paths import Paths
from player.processes.python_child import receive, send, talk_to_parent
from player.text.sentences import speak

_BATCH_S = 0.1
"""Events within this time are sent together."""
_ANSWER_EVERY_S = 2.0
_MOST_FAILURES = 20
_NICE = 10
"""The screen has priority."""


class Refresh(Struct, frozen=True):
    paths: Paths
    podcast_ids: tuple[PodcastId, ...] | None
    by_person: bool
    uses_inbox: bool = True


class Add(Struct, frozen=True):
    """`url` may contain a name and a password, so it is sent through a pipe and not as an argument. `previews`: without
    subscribing to it."""

    paths: Paths
    url: str
    uses_inbox: bool = True
    previews: bool = False


class Index(Struct, frozen=True):
    """Indexes the library for the search."""

    paths: Paths


class Follow(Struct, frozen=True):
    """Indexes what is added to the library: whenever it receives MORE, and for the last time on REST."""

    paths: Paths


MORE, REST = b"+", b"."


class Storing(Struct, frozen=True):
    """An event of `Add`: the feed at `url` has been read and is about to be written to the library."""

    url: str


class JobEvents(Struct, frozen=True):
    """Events of the bus, in order."""

    events: tuple[object, ...]


class Done(Struct, frozen=True):
    """The job's result, or its error."""

    result: object = None
    error: Exception | None = None


class EventSender:
    """Sends events in batches, from any thread; of the RefreshProgress events in a batch only the latest."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.RLock()
        self._events: list[object] = []
        self._last = 0.0
        self._sending: threading.Timer | None = None

    def send(self, event: object) -> None:
        with self._lock:
            if isinstance(event, RefreshProgress):
                self._events = [one for one in self._events if not isinstance(one, RefreshProgress)]
            self._events.append(event)
            wait = self._last + _BATCH_S - time.monotonic()
            if wait <= 0:
                self._flush()
            elif self._sending is None:
                self._sending = threading.Timer(wait, self._flush)
                self._sending.daemon = True
                self._sending.start()

    def end(self, done: Done) -> None:
        with self._lock:
            self._flush()
            send(self._stream, pickle.dumps(done))

    def _flush(self) -> None:
        with self._lock, contextlib.suppress(BrokenPipeError):
            self._sending = None
            if self._events:
                send(self._stream, pickle.dumps(JobEvents(tuple(self._events))))
                self._events = []
            self._last = time.monotonic()


class Reporter:
    """Implements Watch: publishes which servers answered or couldn't be reached. Requests for the listener are made
    whether or not there is a network."""

    offline = False

    def __init__(self, publish: Callable[[object], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._publish = publish
        self._clock = clock
        self._failed: set[str] = set()
        self._answered_at = float("-inf")

    def seen(self, seen: Seen) -> None:
        """Of thousands of answers only a few are published: one now and then, and the first failures after each."""
        if seen.reason is not None:
            if len(self._failed) < _MOST_FAILURES and seen.origin not in self._failed:
                self._failed.add(seen.origin)
                self._publish(seen)
        elif self._clock() - self._answered_at >= _ANSWER_EVERY_S or self._failed:
            self._failed.clear()
            self._answered_at = self._clock()
            self._publish(seen)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches every process in the terminal; the app decides
    orders, answers = talk_to_parent()
    sender = EventSender(answers)
    job = pickle.loads(receive(orders))
    speak(job.paths.translations, settings=job.paths.settings)
    if not isinstance(job, Follow):
        with contextlib.suppress(OSError):
            os.nice(_NICE)
        threading.Thread(target=_end_with_input, args=(orders,), name="earmark-end", daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        try:
            done = Done(_run(job, sender.send, orders))
        except EarmarkError as error:
            done = Done(error=error)
        sender.end(done)


def _run(job: Refresh | Add | Index | Follow, publish: Callable[[object], None], orders: BinaryIO) -> Any:
    from player.library import Library
    from player.net.credentials import Credentials

    uses_inbox = isinstance(job, Refresh | Add) and job.uses_inbox
    library = Library(job.paths, backs_up=False, uses_inbox=lambda: uses_inbox)
    library.open()
    try:
        if isinstance(job, Index):
            return library.search.catch_up()
        if isinstance(job, Follow):
            return _follow(library.search.catch_up, orders)
        from player.sources import all_sources

        credentials = Credentials(job.paths.logins)
        if isinstance(job, Add):
            from player.feeds.source import NO_SOURCES
            from player.feeds.subscribe import Subscriber

            subscriber = Subscriber(
                library,
                credentials,
                storing=lambda url: publish(Storing(url)),
                previews=job.previews,
                # A previewed podcast was found in a directory, so it is a feed and not a folder of this computer.
                sources=NO_SOURCES if job.previews else all_sources(job.paths.cache, credentials),
            )
            return subscriber.add(job.url)
        from player.feeds.refresh import Refresher

        bus = Bus()
        bus.subscribe(object, publish)
        refresher = Refresher(
            library,
            bus,
            credentials=credentials.find,
            watch=Reporter(publish),
            sources=all_sources(job.paths.cache, credentials),
        )
        return refresher.refresh(job.podcast_ids, by_person=job.by_person)
    finally:
        library.close()


def _follow(catch_up: Callable[..., bool], orders: BinaryIO) -> bool:
    """Also ends when its input does, but not in the middle of a transaction."""
    while command := orders.read(1):
        if command == REST:
            return catch_up()
        catch_up(in_bulk=True)
    return False


def _end_with_input(orders: BinaryIO) -> None:
    with contextlib.suppress(OSError):
        orders.read(1)
    os._exit(0)

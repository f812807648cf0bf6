"""A process that asks feeds and writes what they say, so that the screen's interpreter has nothing of that to do.

Takes one frame on standard input (what to do), answers with frames on standard output
(what happened, several at once; then what came of it). When standard input ends, so does the process, at once: whatever
it was writing is undone by the library.
"""

import contextlib
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

from player.errors import EarmarkError
from player.events import Bus, RefreshProgress
from player.model.podcast import PodcastId
from player.paths import Paths
from player.processes.frames import receive, send
from player.text.sentences import speak

_BATCH_S = 0.1
"""Events of so long a time travel together."""
_NICE = 10
"""The screen goes first."""


@dataclass(frozen=True, slots=True)
class Refresh:
    paths: Paths
    podcast_ids: tuple[PodcastId, ...] | None
    by_person: bool


@dataclass(frozen=True, slots=True)
class Add:
    """`url` may carry a name and a password: hence it comes by a pipe and not as an argument."""

    paths: Paths
    url: str


@dataclass(frozen=True, slots=True)
class Index:
    """Makes what the library has findable."""

    paths: Paths


@dataclass(frozen=True, slots=True)
class Follow:
    """Makes findable what comes into the library meanwhile: whenever it is sent MORE, and at REST what is left."""

    paths: Paths


MORE, REST = b"+", b"."


@dataclass(frozen=True, slots=True)
class Storing:
    """An event of `Add`: the feed at `url` was read, and is written to the library next."""

    url: str


@dataclass(frozen=True, slots=True)
class JobEvents:
    """Events of the bus, in their order."""

    events: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it: a result, or the error."""

    result: object = None
    error: Exception | None = None


class EventSender:
    """Sends events by and by, from any thread; of how far a refresh is, only the latest."""

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


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c reaches all of a terminal; the app decides
    # What a library may print would be taken for an answer.
    sender = EventSender(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    job = pickle.loads(receive(sys.stdin.buffer))
    speak(job.paths.translations)
    if not isinstance(job, Follow):
        with contextlib.suppress(OSError):
            os.nice(_NICE)
        threading.Thread(target=_end_with_input, name="earmark-end", daemon=True).start()
    with contextlib.suppress(BrokenPipeError):
        try:
            done = Done(_run(job, sender.send))
        except EarmarkError as error:
            done = Done(error=error)
        sender.end(done)


def _run(job: Refresh | Add | Index | Follow, publish: Callable[[object], None]) -> Any:
    from player.library import Library
    from player.net.credentials import Credentials

    library = Library(job.paths, backs_up=False)
    library.open()
    try:
        if isinstance(job, Index):
            return library.search.catch_up()
        if isinstance(job, Follow):
            return _follow(library.search.catch_up)
        credentials = Credentials(job.paths.logins)
        if isinstance(job, Add):
            from player.feeds.subscribe import Subscriber

            return Subscriber(library, credentials, storing=lambda url: publish(Storing(url))).add(job.url)
        from player.feeds.refresh import Refresher

        bus = Bus()
        bus.subscribe(object, publish)
        refresher = Refresher(library, bus, credentials=credentials.find)
        return refresher.refresh(job.podcast_ids, by_person=job.by_person)
    finally:
        library.close()


def _follow(catch_up: Callable[..., bool]) -> bool:
    """Ends with its input too, but not in the middle of a transaction."""
    while command := sys.stdin.buffer.read(1):
        if command == REST:
            return catch_up()
        catch_up(in_bulk=True)
    return False


def _end_with_input() -> None:
    with contextlib.suppress(OSError):
        sys.stdin.buffer.read(1)
    os._exit(0)

"""Parses feeds in other processes: on all cores, away from the screen, with limits on memory and time."""

from __future__ import annotations

import os
import pickle
import subprocess
import threading
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from player.errors import FeedError, TooLarge
from player.processes.frames import receive, send
from player.processes.python_child import command, environment
from player.text.sentences import _

if TYPE_CHECKING:
    from player.model.feed import Feed

SECONDS = 10.0
"""Seconds for a feed. The largest known (45 MB, 10,000 episodes) takes 2 s."""
_HERE = 64 * 1024
"""Bytes. Smaller feeds are harmless, and parsed faster than a process starts."""
_PIPE = 1 << 20
"""Size of the pipes, in bytes, where the system allows it: most feeds fit in one piece."""
_KEEPING = {"MALLOC_MMAP_THRESHOLD_": str(4 << 20), "MALLOC_TRIM_THRESHOLD_": str(8 << 20)}
"""glibc: bytes that a parser keeps from one feed for the next. Allocating them again takes a twelfth of its time."""


class ParserPool:
    """Processes started on demand and reused. Any thread may call."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._idle: list[_ParserProcess] = []
        self._busy: dict[_ParserProcess, float] = {}
        self._watch: threading.Thread | None = None
        self._closing = threading.Event()

    @staticmethod
    def useful() -> int:
        """How many feeds can be parsed at once."""
        return min(os.cpu_count() or 1, 4)

    def start(self, feeds: int) -> None:
        """Starts as many as are useful for that many feeds, so that they import while the first feeds are fetched. To
        make this quick, this process imports the feed's classes only with the first result.
        """
        with self._lock:
            while len(self._idle) + len(self._busy) < min(feeds, self.useful()) and not self._closing.is_set():
                self._idle.append(_ParserProcess())

    def read(self, body: bytes, content_type: str, url: str) -> Feed:
        """Like `parse.read_feed`; also raises TooLarge beyond the limits on time or memory."""
        if len(body) <= _HERE:
            from player.feeds.parsing.parse import read_feed  # most refreshes have nothing to parse

            return read_feed(body, content_type, url)
        from player.feeds.feed_errors import aborted, shown

        reader = self._take(url)
        try:
            feed = reader.read(body, content_type, url)
        except BaseException as error:
            self._give_back(reader, alive=isinstance(error, FeedError) and reader.alive)
            if self._closing.is_set():
                raise aborted(url) from error
            if reader.late:
                raise TooLarge(
                    _("Reading the feed at {url} took over {seconds:g} s", url=shown(url), seconds=self._seconds),
                    _("Earmark gave up on it. Tell the publisher, or look for another feed of the podcast."),
                ) from error
            raise
        self._give_back(reader, alive=True)
        return feed

    def close(self) -> None:
        """Ends the processes; calls that wait for one raise FeedError."""
        with self._lock:
            self._closing.set()
            readers = (*self._idle, *self._busy)
            self._idle.clear()
        for end in (_ParserProcess.end, _ParserProcess.kill):
            for reader in readers:
                end(reader)

    def _take(self, url: str) -> _ParserProcess:
        with self._lock:
            if self._closing.is_set():
                from player.feeds.feed_errors import aborted

                raise aborted(url)
            reader = self._idle.pop() if self._idle else _ParserProcess()
            self._busy[reader] = time.monotonic() + self._seconds
            if self._watch is None:
                self._watch = threading.Thread(target=self._end_late_ones, name="earmark-watch", daemon=True)
                self._watch.start()
            return reader

    def _give_back(self, reader: _ParserProcess, *, alive: bool) -> None:
        with self._lock:
            del self._busy[reader]
            if alive and reader.alive and not self._closing.is_set():
                self._idle.append(reader)
                return
        reader.kill()

    def _end_late_ones(self) -> None:
        """One thread for all deadlines, as starting one for each feed takes longer."""
        pause = self._seconds
        while not self._closing.wait(pause):
            now = time.monotonic()
            with self._lock:
                for reader, end in self._busy.items():
                    if end <= now:
                        reader.end_late()
                pause = min((end - now for end in self._busy.values() if end > now), default=self._seconds)


class _ParserProcess:
    """One process, which any thread may kill."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            command("-m", "player.feeds.parsing.parser_worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment({**os.environ, **_KEEPING}),
        )
        for stream in (self._process.stdin, self._process.stdout):
            _widen(stream)
        self.late = False
        self.alive = True

    def read(self, body: bytes, content_type: str, url: str) -> Feed:
        try:
            return self._exchange(body, content_type, url)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            from player.feeds.feed_errors import shown

            self.alive = False
            raise TooLarge(
                _("Reading the feed at {url} needs too much memory", url=shown(url)),
                _("Earmark gave up on it. Tell the publisher, or look for another feed of the podcast."),
            ) from error

    def end(self) -> None:
        self._process.kill()

    def kill(self) -> None:
        """Kills it and waits until it is gone."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def end_late(self) -> None:
        self.late, self.alive = True, False
        self._process.kill()

    def _exchange(self, body: bytes, content_type: str, url: str) -> Feed:
        from msgspec.structs import replace

        from player.model.feed import FeedEpisode

        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        send(stdin, pickle.dumps((content_type, url)))  # type: ignore[arg-type]
        send(stdin, body)  # type: ignore[arg-type]
        feed: Any = pickle.loads(receive(stdout))  # type: ignore[arg-type]
        if isinstance(feed, FeedError):
            raise feed
        episodes: list[FeedEpisode] = []
        make = FeedEpisode._make
        while part := pickle.loads(receive(stdout)):  # type: ignore[arg-type]
            episodes += map(make, part)
        whole: Feed = replace(feed, episodes=tuple(episodes))
        return whole


def _widen(pipe: IO[bytes] | None) -> None:
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        if pipe is not None:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)

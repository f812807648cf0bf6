"""Reading feeds in processes of their own: beside the screen, on all cores, and bounded in memory and time."""

import os
import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import player
from player.errors import FeedError, TooLarge
from player.feeds.failures import aborted, shown
from player.feeds.reading import receive, send
from player.model import Feed, FeedEpisode

SECONDS = 10.0
"""What a feed may take. The largest known (45 MB, 10,000 episodes) takes 2 s."""
_HERE = 64 * 1024
"""Bytes. What is smaller does no harm, and is read before a process would have started."""


class Readers:
    """Processes that are started when they are needed, and kept. Any thread may call."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._idle: list[_Reader] = []
        self._busy: set[_Reader] = set()
        self._closed = False

    def read(self, body: bytes, content_type: str, url: str) -> Feed:
        """As `reader.read_feed`; raises TooLarge as well when it would take too much time or memory."""
        if len(body) <= _HERE:
            from player.feeds.reader import read_feed  # most refreshes have nothing to read

            return read_feed(body, content_type, url)
        reader = self._take(url)
        try:
            feed = reader.read(body, content_type, url, self._seconds)
        except BaseException as error:
            self._give_back(reader, alive=isinstance(error, FeedError) and reader.alive)
            if self._closed:
                raise aborted(url) from error
            raise
        self._give_back(reader, alive=True)
        return feed

    def close(self) -> None:
        """Ends the processes; who waits for one gets a FeedError."""
        with self._lock:
            self._closed = True
            readers = (*self._idle, *self._busy)
            self._idle.clear()
        for reader in readers:
            reader.kill()

    def _take(self, url: str) -> "_Reader":
        with self._lock:
            if self._closed:
                raise aborted(url)
            reader = self._idle.pop() if self._idle else _Reader()
            self._busy.add(reader)
            return reader

    def _give_back(self, reader: "_Reader", *, alive: bool) -> None:
        with self._lock:
            self._busy.discard(reader)
            if alive and not self._closed:
                self._idle.append(reader)
                return
        reader.kill()


class _Reader:
    """One process. It may be killed from any thread."""

    def __init__(self) -> None:
        here = str(Path(player.__file__).parent.parent)
        others = os.environ.get("PYTHONPATH", "")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "player.feeds.reading"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{others}" if others else here},
        )
        self._late = False
        self.alive = True

    def read(self, body: bytes, content_type: str, url: str, seconds: float) -> Feed:
        timer = threading.Timer(seconds, self._too_late)
        timer.daemon = True
        timer.start()
        try:
            return self._exchange(body, content_type, url)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            self.alive = False
            if self._late:
                raise TooLarge(
                    f"The feed at {shown(url)} is made so that reading it takes more than {seconds:g} s",
                    "Earmark gave up on it. Tell its publisher, or look for another address of the podcast.",
                ) from error
            raise TooLarge(
                f"The feed at {shown(url)} is made so that reading it takes more memory than a feed may",
                "Earmark gave up on it. Tell its publisher, or look for another address of the podcast.",
            ) from error
        finally:
            timer.cancel()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _too_late(self) -> None:
        self._late, self.alive = True, False
        self._process.kill()

    def _exchange(self, body: bytes, content_type: str, url: str) -> Feed:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        send(stdin, pickle.dumps((content_type, url)))  # type: ignore[arg-type]
        send(stdin, body)  # type: ignore[arg-type]
        feed: Any = pickle.loads(receive(stdout))  # type: ignore[arg-type]
        if isinstance(feed, FeedError):
            raise feed
        episodes: list[FeedEpisode] = []
        while part := pickle.loads(receive(stdout)):  # type: ignore[arg-type]
            episodes += map(FeedEpisode._make, part)
        whole: Feed = replace(feed, episodes=tuple(episodes))
        return whole

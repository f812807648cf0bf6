"""Feeds by the line, and other processes that use the same library."""

import atexit
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import IO, Any, TypeVar

from player.library import Applied, Library
from player.model.feed import Feed, FeedEpisode, FeedState, KnownEpisode, LiveShow, Merge
from player.model.podcast import Podcast
from player.paths import Paths

T = TypeVar("T")

ROOT = Path(__file__).parents[3]
NEWEST = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://example.org/feed.xml"


def episode(number: int, /, **fields: object) -> FeedEpisode:
    """Item `number` of a feed: the higher, the older."""
    plain = FeedEpisode(
        guid=f"guid-{number}",
        title=f"Episode {number}",
        url=f"https://example.org/{number}.mp3",
        media_type="audio/mpeg",
        size=1_000_000 + number,
        link=f"https://example.org/{number}",
        published=NEWEST - timedelta(days=number),
        duration_ms=1_800_000,
        notes=f"<p>Notes of {number}</p>",
    )
    return plain._replace(**fields).signed()  # type: ignore[arg-type]


def feed(*episodes: FeedEpisode, title: str = "A show", live: tuple[LiveShow, ...] = ()) -> Feed:
    return Feed(title=title, author="Somebody", description="About things", episodes=episodes, live=live)


def by_guid(known: Sequence[KnownEpisode], fields: Feed) -> Merge:
    """The simplest decision: a guid tells all."""
    have = {episode.guid: episode for episode in known}
    new = tuple(item for item in fields.episodes if item.guid not in have)
    both = [(have[item.guid], item) for item in fields.episodes if item.guid in have]
    changed = tuple((old.id, item) for old, item in both if old.fingerprint != item.fingerprint)
    return Merge(new, changed, len(both) - len(changed))


def apply_feed(library: Library, podcast: Podcast, *episodes: FeedEpisode, title: str = "A show") -> Applied:
    return library.podcasts.apply(podcast.id, feed(*episodes, title=title), FeedState(), by_guid)


def refill(library: Library, fill: Callable[[Library], T]) -> T:
    """Puts in place of an open library's files those of one that `fill` filled, once for each process of the tests;
    what `fill` returned."""
    found: T
    made, found = _filled(fill)
    library.close()
    copytree(made, Paths.of().data, dirs_exist_ok=True)
    library.open()
    return found


@cache
def _filled(fill: Callable[[Library], Any]) -> tuple[Path, Any]:
    home = tempfile.TemporaryDirectory(prefix="earmark-library-")
    atexit.register(home.cleanup)
    paths = Paths.of({"EARMARK_HOME": home.name})
    library = Library(paths)
    library.open()
    found = fill(library)
    library.close()
    return paths.data, found


class OtherProcess:
    """Python code that uses the library of this test in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", output: IO[str], orders: IO[str]) -> None:
        self.process = process
        self._output = output
        self._orders = orders

    def line(self) -> str:
        """The next line that it printed; "" when it has ended."""
        return self._output.readline().strip()

    def rest(self) -> list[str]:
        return self._output.read().split()

    def go_on(self) -> None:
        """Lets its `input()` return."""
        self._orders.write("\n")
        self._orders.flush()


@contextmanager
def other_process(code: str) -> Iterator[OtherProcess]:
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdin
    try:
        yield OtherProcess(process, process.stdout, process.stdin)
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

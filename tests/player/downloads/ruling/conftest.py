"""A library whose downloads come from nowhere, on a clock of its own."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.downloads.ruling import Followed, Surroundings, follow, rule_settings
from player.library import Library
from player.model.downloads import DownloadRules
from player.model.episode import EpisodeId
from player.model.playback import Cause
from player.model.podcast import Podcast
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

SIZE = 1_000
"""Of every file that comes, in bytes; feeds say that they are 1 MB."""


class Kept:
    """What rules make of a library. Its queue downloads at once."""

    def __init__(self, paths: Paths) -> None:
        self.at = datetime(2026, 3, 2, 12, tzinfo=UTC)
        self.library = Library(paths, now=lambda: self.at)
        self.library.open()
        self.folder = paths.data / "episodes"
        self.settings = DownloadRules(limit="1 GB", keep_free="0")
        self.playing: EpisodeId | None = None
        self.fails: set[EpisodeId] = set()
        self.asked: list[EpisodeId] = []

    def podcast(self, count: int = 5, url: str = URL, title: str = "A show") -> tuple[Podcast, tuple[EpisodeId, ...]]:
        """With as many episodes, the newest first."""
        podcast = self.library.podcasts.add(url, title)
        return podcast, apply_feed(self.library, podcast, *map(episode, range(count)), title=title).new

    def around(self) -> Surroundings:
        return Surroundings(rule_settings(self.settings), (self.folder,), lambda: self.playing)

    def follow(self) -> Followed:
        return follow(self.library, self.around(), self.folder, self, lambda: self.at)

    def wait(self, **more: float) -> None:
        self.at += timedelta(**more)

    def files(self) -> list[str]:
        found = [one for one in self.folder.rglob("*") if one.is_file()] if self.folder.exists() else []
        return sorted(str(one.relative_to(self.folder)) for one in found)

    def put(self, episode_id: EpisodeId, why: str) -> Path:
        path = self.folder / "A show" / f"{episode_id}.mp3"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(SIZE))
        self.library.downloads.put(episode_id, path, size=SIZE, why=why)
        return path

    # -- as a Downloader --------------------------------------------------------------------------------------

    def download(self, ids: EpisodeId, *, why: str, cause: Cause) -> Future[list[EpisodeId]]:
        self.asked.append(ids)
        assert cause is Cause.RULE
        if ids in self.fails:
            self.library.downloads.queue.add([ids], why)
            with self.library.transaction():
                from player.model.downloads import DownloadState

                self.library.downloads.queue.problem(ids, "Gone", "", state=DownloadState.FAILED, attempts=9)
        else:
            self.put(ids, why)
        return _done([ids])

    def cancel(self, ids: EpisodeId) -> Future[list[EpisodeId]]:
        return _done(self.library.downloads.queue.remove([ids]))


def _done(ids: Sequence[EpisodeId]) -> Future[list[EpisodeId]]:
    future: Future[list[EpisodeId]] = Future()
    future.set_result(list(ids))
    return future


@pytest.fixture
def kept(paths: Paths) -> Iterator[Kept]:
    one = Kept(paths)
    yield one
    one.library.close()

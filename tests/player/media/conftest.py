"""A media store, and what waits for it."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from player.media import EpisodeMedia, MediaStore
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.paths import Paths

DEADLINE_S = 30.0


class Listening:
    """Opens episodes, and closes them with the test."""

    def __init__(self, paths: Paths) -> None:
        self.sentences: list[str] = []
        self.store = MediaStore(paths, notify=self.sentences.append)
        self.folder = paths.media
        self.opened: list[EpisodeMedia] = []
        self.notified = 0
        self._news = threading.Condition()

    def open(self, url: str, *, size: int | None = None, position_ms: int = 0) -> EpisodeMedia:
        media = self.store.open(replace(episode(url), size=size, position_ms=position_ms), self._changed)
        self.opened.append(media)
        return media

    def until(self, condition: Callable[[], object]) -> None:
        """Waits for what media tell of themselves."""
        with self._news:
            assert self._news.wait_for(condition, DEADLINE_S), "it never came"

    def close(self) -> None:
        for media in self.opened:
            media.close()
        eventually(lambda: not fetchers())
        self.store.close()

    def _changed(self) -> None:
        with self._news:
            self.notified += 1
            self._news.notify_all()


@pytest.fixture
def listening(paths: Paths) -> Iterator[Listening]:
    listening = Listening(paths)
    yield listening
    listening.close()


def episode(url: str, media_type: str = "audio/mpeg") -> Episode:
    return Episode(EpisodeId(1), PodcastId(1), "Show", "One", guid="guid-1", url=url, media_type=media_type)


def whole(media: EpisodeMedia, *, start: int = 0, step: int = 50_000) -> bytes:
    """All there is from `start` on, read as an engine does."""
    out = bytearray()
    while data := media.read(start + len(out), step):
        out += data
    return bytes(out)


def fetchers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "earmark-fetch"]


def eventually(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.005)

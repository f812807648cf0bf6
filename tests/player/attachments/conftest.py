"""A library with one show, and the companions of its episodes."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from player.attachments.attachments import Attachments
from player.events import AttachmentsChanged, Bus, Notice
from player.library import Library
from player.media import MediaStore
from player.model.episode import Chapters, Episode, EpisodeId
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

DEADLINE_S = 30.0


class House:
    """An open library with companions on a bus; what happens on it can be waited for."""

    def __init__(self, paths: Paths) -> None:
        self.library = Library(paths)
        self.library.open()
        self._news = threading.Condition()
        self.podcast = self.library.podcasts.add(URL, "A show")
        self.bus = Bus()
        self.store = MediaStore(
            paths,
            login=lambda address: self.logins.get(address),
            downloaded=lambda episode: self.library.downloads.get(episode.id),
        )
        self.logins: dict[str, tuple[str, str]] = {}
        self.found_chapters: list[tuple[EpisodeId, Chapters]] = []
        self.offline = False
        self.attachments = Attachments(
            self.library,
            self.store,
            self.bus,
            language="en",
            on_chapters=self._take,
            offline=lambda: self.offline,
            now=lambda: self.now,
        )
        self.now = datetime.now(UTC)
        self.notices: list[str] = []
        self.bus.subscribe(Notice, lambda notice: self.notices.append(notice.text))
        self.changed: list[EpisodeId] = []
        self.bus.subscribe(AttachmentsChanged, self._on_attachments)

    def add(self, number: int = 0, /, **fields: object) -> Episode:
        """An episode of the show, of which the feed says this."""
        (new,) = apply_feed(self.library, self.podcast, episode(number, **fields)).new
        return self.library.episodes.get(new)

    def until(self, condition: Callable[[], object]) -> None:
        with self._news:
            assert self._news.wait_for(condition, DEADLINE_S), "it never came"

    def wanted(self, one: Episode) -> None:
        """Wants what goes with it, and waits for what comes of that."""
        before = len(self.changed)
        self.attachments.want(one.id)
        self.until(lambda: len(self.changed) > before)

    def close(self) -> None:
        self.attachments.close()
        self.library.close()

    def _take(self, episode_id: EpisodeId, chapters: Chapters) -> None:
        with self._news:
            self.found_chapters.append((episode_id, chapters))
            self._news.notify_all()

    def _on_attachments(self, event: AttachmentsChanged) -> None:
        with self._news:
            self.changed.append(event.episode_id)
            self._news.notify_all()


@pytest.fixture
def house(paths: Paths) -> Iterator[House]:
    opened = House(paths)
    yield opened
    opened.close()

"""The cache keeps within its limit, and never takes away what somebody hears, has begun or holds."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from player.errors import LibraryBusy
from player.media import EpisodeMedia, MediaStore
from player.model.episode import Episode, EpisodeId
from player.paths import Paths
from player.player import Player
from player.settings import Media, Settings
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed
from tests.player.library.helpers import episode as feed_episode
from tests.player.media.conftest import episode, eventually, fetchers, whole
from tests.player.media.sounds import noise

SIZE = 100_000
HOLDER = """
import sys
from pathlib import Path
from player.media.cache import CacheFile
file = CacheFile(Path(sys.argv[1]), sys.argv[2])
print(flush=True)
sys.stdin.read()
"""


@dataclass
class Cache:
    """A store with room for two episodes and a half."""

    paths: Paths
    server: LoopbackServer
    protected: list[Episode] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.store = MediaStore(self.paths, 250_000, protected=lambda: self.protected)

    def open(self, name: str) -> EpisodeMedia:
        return self.store.open(self.episode(name), lambda: None)

    def episode(self, name: str) -> Episode:
        return episode(self.server.audio(f"/{name}.mp3", noise(SIZE)))

    def play(self, *names: str) -> None:
        """Hears each to its end, one a hundred seconds after the other."""
        for name in names:
            media = self.open(name)
            assert len(whole(media)) == SIZE
            media.close()
            self.settle()
            for record in self.paths.media.glob("*.json"):
                status = record.stat()
                os.utime(record, (status.st_atime - 100, status.st_mtime - 100))

    def has(self, name: str) -> bool:
        """Whether it can be heard without a request."""
        before = len(self.server.seen)
        media = self.open(name)
        whole(media)
        media.close()
        self.settle()
        return len(self.server.seen) == before

    def settle(self) -> None:
        eventually(lambda: not fetchers())


@pytest.fixture
def cache(paths: Paths, server: LoopbackServer) -> Iterator[Cache]:
    made = Cache(paths, server)
    yield made
    made.settle()


def test_the_one_opened_longest_ago_is_dropped(cache: Cache, paths: Paths) -> None:
    cache.play("1", "2", "3")
    assert len(list(paths.media.glob("*.bytes"))) == len(list(paths.media.glob("*.json"))) == 2
    assert [cache.has(name) for name in ("2", "3", "1")] == [True, True, False]


def test_hearing_an_old_one_again_makes_it_a_new_one(cache: Cache) -> None:
    cache.play("1", "2", "1", "3")
    assert [cache.has("1"), cache.has("2")] == [True, False]


def test_what_fits_to_the_byte_is_kept(cache: Cache, paths: Paths) -> None:
    cache.play("1")
    (data,) = paths.media.glob("*.bytes")
    cache.store.limit = 2 * data.stat().st_blocks * 512
    cache.play("2")
    assert [cache.has("1"), cache.has("2")] == [True, True]


def test_what_is_wanted_is_kept_whatever_the_limit(cache: Cache) -> None:
    cache.protected = [cache.episode("1"), cache.episode("2")]
    cache.play("1", "2", "3", "4")
    assert [cache.has("1"), cache.has("2")] == [True, True]


def test_what_is_being_heard_is_kept(cache: Cache) -> None:
    held = cache.open("1")
    whole(held)
    cache.play("2", "3", "4")
    held.close()
    assert cache.has("1")


def test_what_another_process_has_open_is_kept(cache: Cache, paths: Paths) -> None:
    cache.play("1")
    (data,) = paths.media.glob("*.bytes")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(paths.media), data.name.partition(".")[0]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout
    holder.stdout.readline()
    record = data.with_name(data.name.partition(".")[0] + ".json")
    os.utime(record, (0, 1))
    cache.play("2", "3", "4")
    assert data.exists()
    holder.communicate(b"")
    cache.play("5")
    assert not data.exists()


def test_while_the_library_cannot_be_asked_nothing_is_dropped(paths: Paths, server: LoopbackServer) -> None:
    def busy() -> list[Episode]:
        raise LibraryBusy("The library is busy")

    cache = Cache(paths, server)
    cache.store = MediaStore(paths, 250_000, protected=busy)
    cache.play("1", "2", "3", "4")
    assert len(list(paths.media.glob("*.bytes"))) == 4


def test_the_player_keeps_what_was_begun_within_a_week(paths: Paths, server: LoopbackServer) -> None:
    player = Player(paths, Settings(media=Media(cache_limit="0.1 MB")))
    player.open()
    try:
        library = player.library
        items = [feed_episode(number, url=server.audio(f"/{number}.mp3", noise(SIZE))) for number in range(4)]
        ids = apply_feed(library, library.podcasts.add(URL, "A show"), *items).new
        now = datetime.now(UTC)

        def begin(episode_id: EpisodeId, days_ago: float) -> None:
            library.progress.save(episode_id, 60_000, None, now - timedelta(days=days_ago))

        begin(ids[0], 6.9)
        begin(ids[1], 7.1)
        begin(ids[2], 1)
        library.progress.finish(ids[2])
        for episode_id in ids:
            media = player.services.media.open(library.episodes.get(episode_id), lambda: None)
            whole(media)
            media.close()
            eventually(lambda: not fetchers())
        before = len(server.seen)
        whole(player.services.media.open(library.episodes.get(ids[0]), lambda: None))
        assert len(server.seen) == before
        assert len(list(paths.media.glob("*.bytes"))) <= 2
    finally:
        player.close()

"""What is next is fetched ahead, from where it will be played."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from player.events import Bus
from player.library import Library
from player.media import MediaStore
from player.model.episode import EpisodeId
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.silent_engine import SilentEngine
from player.settings import Playback
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import BYTES_A_SECOND, silence, wait_until

MINUTES = 3


class Stage:
    """Two episodes on a server; the first of them has `seconds`."""

    def __init__(self, paths: Paths, library: Library, server: LoopbackServer, seconds: float) -> None:
        self.server = server
        self.library = library
        bytes_of = (silence(seconds), silence(MINUTES * 60))
        self.urls = [server.audio(f"/{number}.wav", data, "audio/wav") for number, data in enumerate(bytes_of)]
        podcast = library.podcasts.add(URL, "A show")
        episodes = (episode(number, url=url, duration_ms=MINUTES * 60_000) for number, url in enumerate(self.urls))
        self.ids = apply_feed(library, podcast, *episodes).new
        self.store = MediaStore(paths)
        self.session = PlaybackService(library, self.store, Bus(), Playback(), SilentEngine)
        self.session.start()

    def close(self) -> None:
        self.session.close()
        self.store.close()

    def cached(self, second: int) -> bool:
        """Whether that second of the next episode is on this disk."""
        with self.store.available(self.library.episodes.get(EpisodeId(self.ids[1]))) as some:
            return some is not None and len(some.read(second * BYTES_A_SECOND, 1000)) == 1000

    @property
    def asked(self) -> bool:
        return any(request.path == "/1.wav" for request in self.server.seen)


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as made:
        yield made


@pytest.mark.parametrize("saved_s", [0, 100])
def test_a_minute_of_what_is_next_is_fetched_as_soon_as_the_current_one_is_cached(
    paths: Paths, library: Library, server: LoopbackServer, saved_s: int
) -> None:
    stage = Stage(paths, library, server, 70)
    try:
        library.progress.save(stage.ids[1], saved_s * 1000, None, datetime.now(UTC))
        library.queue.add_last(stage.ids)
        stage.session.play(stage.ids[0])
        wait_until(
            lambda: all(stage.cached(saved_s + second) for second in (1, 30, 58)), "a minute of the next episode"
        )
        status = stage.session.status
        assert status.episode is not None
        assert (status.episode.id, status.position_ms < 10_000) == (stage.ids[0], True)
    finally:
        stage.close()


def test_nothing_is_fetched_while_nothing_is_next(paths: Paths, library: Library, server: LoopbackServer) -> None:
    stage = Stage(paths, library, server, 70)
    try:
        stage.session.play(stage.ids[0])
        wait_until(lambda: stage.session.status.cached == ((0.0, 1.0),) and stage.session.status.position_ms > 300)
        assert not stage.asked
        stage.session.stop_after()
        library.queue.add_last(stage.ids)
        stage.session.look_ahead()
        wait_until(lambda: stage.session.status.next_up is not None)
        assert not stage.asked, "what won't play isn't fetched"
    finally:
        stage.close()


def test_it_plays_from_what_was_fetched_though_the_server_is_gone(
    paths: Paths, library: Library, server: LoopbackServer
) -> None:
    stage = Stage(paths, library, server, 3)
    try:
        library.queue.add_last(stage.ids)
        stage.session.play(stage.ids[0], 1_500)
        wait_until(lambda: stage.cached(30), "what is next")
        server.answers.clear()
        wait_until(lambda: stage.session.status.position_ms > 200 and plays(stage), "the next episode")
    finally:
        stage.close()


def plays(stage: Stage) -> bool:
    status = stage.session.status
    return status.episode is not None and status.episode.id == stage.ids[1] and status.error is None

"""The end of Earmark: the position is saved and the sound is off first, whatever else hangs or fails."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from player.events import EpisodeLeft, Notice
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.engine import Listener
from player.playback.silent_engine import SilentEngine
from player.player import Player
from player.settings import Settings
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.sounds import mp3
from tests.player.playback.support import wait_until

LONG_S = 15.0
"""More than the end ever takes, also on a machine that is busy; what hangs in these tests hangs for longer."""
POSITION_MS = 20_000
PARTS = ("downloads", "jobs", "attachments", "index", "_control")


class Engine(SilentEngine):
    """Does as the test says when it is stopped."""

    def __init__(self, listener: Listener) -> None:
        super().__init__(listener)
        self.stopped = threading.Event()
        self.at_stop: Callable[[], None] = lambda: None

    def stop(self) -> None:
        super().stop()
        self.stopped.set()
        self.at_stop()


class Stage:
    """An episode plays from `POSITION_MS` on, and nothing after that has reached the disk."""

    def __init__(self, paths: Paths, server: LoopbackServer) -> None:
        self.paths = paths
        self.released = threading.Event()
        self.engines: list[Engine] = []
        self.unclosed: list[Callable[[], object]] = []
        self.player = Player(paths, Settings(), engine=self.make)
        self.player.open()
        library = self.player.library
        podcast = library.podcasts.add(URL, "A show")
        (self.episode_id,) = apply_feed(library, podcast, episode(1, url=server.audio("/a", mp3(1500)))).new
        self.player.start()
        self.player.session.play(self.episode_id)
        wait_until(lambda: self.player.status.state is PlaybackState.PLAYING, "playing")
        self.engine.stopped.clear()

    def instead_of_closing(self, part: str, what: Callable[[], object]) -> None:
        closed = getattr(self.player.services, part)
        self.unclosed.append(closed.close)
        closed.close = what

    def make(self, listener: Listener) -> Engine:
        self.engines.append(Engine(listener))
        return self.engines[-1]

    @property
    def engine(self) -> Engine:
        return self.engines[-1]

    def hang(self) -> None:
        self.released.wait(60)

    def close(self) -> float:
        """How long it took, in seconds."""
        self.player.session.seek_to(POSITION_MS)
        wait_until(lambda: self.player.status.position_ms >= POSITION_MS, "the jump")
        before = time.monotonic()
        self.player.close()
        return time.monotonic() - before


@pytest.fixture
def stage(paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr("player.playback.observers._SAVE_S", 3600)
    monkeypatch.setattr("player.player._CLOSE_S", 0.8)
    made = Stage(paths, server)
    yield made
    made.released.set()
    made.player.close()
    for close in made.unclosed:
        close()


def saved_ms(paths: Paths, episode_id: EpisodeId) -> int:
    """The position that another Earmark finds."""
    library = Library(paths)
    library.open()
    try:
        saved = library.progress.position(episode_id)
        return saved.position_ms if saved else 0
    finally:
        library.close()


def fail() -> None:
    raise RuntimeError("this part can't be closed")


@pytest.mark.parametrize("how", ["hangs", "raises"])
def test_the_position_is_on_the_disk_and_the_sound_is_off_before_any_other_part_ends(stage: Stage, how: str) -> None:
    seen: list[tuple[bool, int]] = []

    def close() -> None:
        seen.append((stage.engine.stopped.is_set(), saved_ms(stage.paths, stage.episode_id)))
        if how == "hangs":
            stage.hang()
        fail()

    for part in PARTS:
        stage.instead_of_closing(part, close)
    assert stage.close() < LONG_S
    assert len(seen) == len(PARTS)
    for silent, position_ms in seen:
        assert silent
        assert position_ms >= POSITION_MS


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_fails_to_close_keeps_no_other_from_it(stage: Stage, part: str) -> None:
    closed: set[str] = set()
    for other in PARTS:
        stage.instead_of_closing(other, fail if other == part else partial(closed.add, other))
    stage.close()
    assert closed == set(PARTS) - {part}


def test_a_sound_that_does_not_stop_costs_no_position(stage: Stage) -> None:
    stage.engine.at_stop = stage.hang
    assert stage.close() < LONG_S
    assert saved_ms(stage.paths, stage.episode_id) >= POSITION_MS


def test_a_sound_that_fails_to_stop_costs_no_position(stage: Stage) -> None:
    stage.engine.at_stop = fail
    assert stage.close() < LONG_S
    assert saved_ms(stage.paths, stage.episode_id) >= POSITION_MS


def test_a_write_that_hangs_costs_no_position(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage.player.library.acts, "recorded", lambda *_what: stage.hang())
    stage.player.acts.set_starred((stage.episode_id,), True)
    assert stage.close() < LONG_S
    assert saved_ms(stage.paths, stage.episode_id) >= POSITION_MS


def test_what_the_screen_remembers_holds_up_no_position(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage.player._remembered, "_next", stage.hang)
    stage.player.remember("theme", "paper")
    assert stage.close() < LONG_S
    assert saved_ms(stage.paths, stage.episode_id) >= POSITION_MS


def test_a_disk_that_hangs_in_the_middle_of_a_write_does_not_hold_up_the_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = threading.Event()

    def write(*_what: object) -> None:
        started.set()
        stage.hang()

    monkeypatch.setattr(stage.player.library.state, "set", write)
    stage.player.remember("theme", "paper")
    assert started.wait(LONG_S)
    assert stage.close() < LONG_S
    assert stage.engine.stopped.is_set()


def test_what_the_screen_remembered_last_is_on_the_disk_at_the_end(stage: Stage) -> None:
    for width in range(50):
        stage.player.remember("reading_width", str(width))
    stage.close()
    with_it = Library(stage.paths)
    with_it.open()
    assert with_it.state.get("reading_width") == "49"
    with_it.close()


def test_a_library_that_hangs_as_it_closes_keeps_nobody(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    close = stage.player.library.close
    stage.unclosed.append(close)
    monkeypatch.setattr(stage.player.library, "close", stage.hang)
    assert stage.close() < LONG_S
    assert saved_ms(stage.paths, stage.episode_id) >= POSITION_MS


def test_a_playback_that_hangs_keeps_nobody(stage: Stage) -> None:
    stage.player.session._thread.put(stage.hang)
    before = time.monotonic()
    stage.player.close()
    assert time.monotonic() - before < LONG_S


def test_a_subscriber_that_hangs_in_its_lane_keeps_nobody(stage: Stage) -> None:
    stage.player.bus.subscribe(object, lambda _event: stage.hang(), stage.player.bus.lane("the test"))
    assert stage.close() < LONG_S
    assert saved_ms(stage.paths, stage.episode_id) >= POSITION_MS


def test_a_subscriber_in_a_lane_hears_where_the_listener_left_as_earmark_ends(stage: Stage) -> None:
    left: list[EpisodeLeft] = []
    stage.player.bus.subscribe(EpisodeLeft, left.append, stage.player.bus.lane("the test"))
    stage.close()
    assert [(one.episode_id, one.position_ms) for one in left] == [
        (stage.episode_id, saved_ms(stage.paths, stage.episode_id))
    ]


def test_a_subscriber_in_a_lane_hears_the_last_of_it_and_can_still_write_it_down(stage: Stage) -> None:
    heard: list[object] = []

    def write_down(event: Notice) -> None:
        stage.player.library.state.set("heard", event.text)
        heard.append(event)

    stage.player.bus.subscribe(Notice, write_down, stage.player.bus.lane("the test"))
    stage.instead_of_closing("downloads", lambda: stage.player.notify("a last word"))
    stage.close()
    assert heard == [Notice("a last word")]


def test_the_write_that_was_asked_for_last_is_carried_out(stage: Stage) -> None:
    stage.player.acts.set_starred((stage.episode_id,), True)
    stage.close()
    with_it = Library(stage.paths)
    with_it.open()
    assert with_it.episodes.get(stage.episode_id).starred
    with_it.close()


def test_a_start_that_comes_too_late_starts_nothing(paths: Paths) -> None:
    player = Player(paths, Settings())
    player.open()
    services = player.services
    player.close()
    before = set(threading.enumerate())
    player.start()
    services.start()
    assert not paths.socket.exists()
    assert set(threading.enumerate()) <= before


def test_a_process_ends_though_its_threads_hang() -> None:
    program = """
import asyncio, threading
from player.processes.threads import DaemonThreads

async def main():
    threads = DaemonThreads(4, "loop", patience_s=0.05)
    asyncio.get_running_loop().set_default_executor(threads)
    asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)

asyncio.run(main())
DaemonThreads(1, "own").submit(threading.Event().wait)
print("over")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout.strip()) == (0, "over"), ended.stderr

"""An episode to play without a screen, and processes that do it; the silent engine's clock stands in for the sound."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from player.errors import ControlError
from player.integrations.client import request
from player.library import Library
from player.model.episode import Episode
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.commands.test_play import HOUR_MS, wav
from tests.tui.cli.conftest import Earmark, feed


@pytest.fixture
def rain(earmark: Earmark, server: LoopbackServer, library: Library, paths: Paths) -> Episode:
    """An hour of WAV."""
    settings(paths)
    audio = server.audio("/rain.wav", wav(HOUR_MS), "audio/wav")
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", audio=audio, duration="1:00:00"))).code == 0
    return library.episodes.find("Rain")


def settings(paths: Paths, more: str = "") -> None:
    paths.config.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(f'[playback]\nengine = "silent"\n[feeds]\nrefresh_on_start = false\n{more}')


@contextmanager
def headless(*arguments: str, stdout: int = subprocess.PIPE) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tui", "play", "--headless", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(holds: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert process.poll() is None, f"it ended with {process.returncode}: {process.communicate()}"
        assert time.monotonic() < deadline
        time.sleep(0.01)


def plays(paths: Paths, beyond_ms: int = 0) -> Callable[[], bool]:
    def asked() -> bool:
        try:
            status = request(paths.socket, "status")["status"]
        except ControlError:
            return False
        return bool(status["state"] == "playing" and status["position_ms"] > beyond_ms)

    return asked


def saved_ms(library: Library, episode: Episode) -> int:
    place = library.progress.position(episode.id)
    return place.position_ms if place else 0


@pytest.fixture
def nothing_stays(paths: Paths) -> Iterator[None]:
    """Whatever a test has started in the background ends with it."""
    yield
    with suppress(ControlError):
        os.kill(int(request(paths.socket, "status")["status"]["pid"]), signal.SIGKILL)

"""The app is left with `Q`, or its terminal is closed: what plays goes on in the background, and comes back."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from player.errors import ControlError
from player.integrations.client import request
from player.paths import Paths
from tests.processes import processes
from tests.pty.conftest import saved_position
from tests.pty.day import beside
from tests.pty.terminal import Terminal
from tests.pty.test_journeys import wait_elapsed
from tests.pty.test_lost_terminal import pythons, wait
from tests.tui.cli.conftest import own_logging as own_logging

pytestmark = [
    pytest.mark.pty,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]
LONGEST_S = 40.0


@pytest.fixture
def home(silent: Paths) -> Iterator[Path]:
    """Whatever runs there in the end is ended."""
    folder = silent.data.parent
    yield folder
    for pid in processes(folder):
        os.kill(pid, signal.SIGKILL)


def set_on_close(paths: Paths, value: str) -> None:
    with paths.settings.open("a", encoding="utf-8") as file:
        file.write(f'[background]\non_close = "{value}"\n')


def status(paths: Paths) -> dict[str, Any]:
    try:
        found: dict[str, Any] = request(paths.socket, "status")["status"]
    except ControlError:
        return {}
    return found


def wait_in_background(paths: Paths, app: int) -> dict[str, Any]:
    def plays() -> bool:
        now = status(paths)
        return now.get("runs_in") == "background" and now["state"] == "playing" and app not in pythons(folder)

    folder = paths.data.parent
    assert wait(plays, LONGEST_S), (status(paths), processes(folder))
    return status(paths)


def test_q_leaves_the_app_and_opening_it_takes_the_sound_back(silent: Paths, home: Path) -> None:
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("Q")
        terminal.wait_for(r"Nothing is playing\. q quits")
        terminal.press("enter")
        shown_ms = wait_elapsed(terminal, 1000)
        app = int(silent.lock.read_text())
        terminal.press("Q")
        terminal.wait_exit()
        said = terminal.raw.decode(errors="replace")
        assert "plays on in the background" in said
        assert "earmark quit" in said
    now = wait_in_background(silent, app)
    assert shown_ms <= now["position_ms"] < shown_ms + 60_000
    assert int(silent.lock.read_text()) == now["pid"] != app
    with Terminal() as terminal:
        terminal.wait_for("▶")
        assert wait(lambda: status(silent).get("runs_in") == "app", LONGEST_S)
        assert status(silent)["state"] == "playing"
        assert status(silent)["position_ms"] >= now["position_ms"]
        assert wait(lambda: now["pid"] not in pythons(home), LONGEST_S)
        terminal.press("q")
        terminal.wait_exit()
    assert wait(lambda: not pythons(home), LONGEST_S), processes(home)


def test_a_closed_terminal_detaches_where_that_is_wanted(silent: Paths, home: Path) -> None:
    set_on_close(silent, "detach")
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("enter")
        shown_ms = wait_elapsed(terminal, 1000)
        app = int(silent.lock.read_text())
        terminal.close()
        saved = wait(lambda: saved_position(silent.library) >= shown_ms - 1000, LONGEST_S)
        assert saved, (shown_ms, saved_position(silent.library), processes(home))
        now = wait_in_background(silent, app)
        assert now["position_ms"] >= shown_ms
    request(silent.socket, "quit")
    assert wait(lambda: not pythons(home), LONGEST_S), processes(home)


@pytest.mark.parametrize("closes", [True, pytest.param(False, marks=pytest.mark.long)], ids=["closed", "SIGHUP"])
def test_play_hands_over_when_its_terminal_is_closed(silent: Paths, home: Path, feed_url: str, closes: bool) -> None:
    set_on_close(silent, "detach")
    beside("add", feed_url)
    with Terminal("play", "Tone 2") as terminal:
        terminal.wait_for("Playing .*[1-9] / 10:00")
        playing = int(silent.lock.read_text())
        if closes:
            terminal.close()
        else:
            terminal.kill(signal.SIGHUP)
            assert terminal.wait_exit() == 128 + signal.SIGHUP
            assert "“Tone 2” plays on in the background" in terminal.text
        now = wait_in_background(silent, playing)
        assert (now["episode"]["title"], now["position_ms"] >= 1000) == ("Tone 2", True)
    request(silent.socket, "quit")
    assert wait(lambda: not pythons(home), LONGEST_S), processes(home)


@pytest.mark.long
@pytest.mark.parametrize("plays", [True, False])
def test_a_closed_terminal_ends_what_is_not_to_detach(silent: Paths, home: Path, plays: bool) -> None:
    """By default; and with nothing playing in any case."""
    set_on_close(silent, "quit" if plays else "detach")
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        if plays:
            terminal.press("enter")
            wait_elapsed(terminal, 1000)
        terminal.close()
        assert wait(lambda: not pythons(home), LONGEST_S), processes(home)


@pytest.mark.long
def test_a_background_player_that_can_not_start_leaves_the_sound_where_it_is(silent: Paths, home: Path) -> None:
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("enter")
        wait_elapsed(terminal, 1000)
        silent.socket.rename(silent.socket.with_name("elsewhere"))  # it finds the app nowhere
        terminal.press("Q")
        terminal.wait_for("Playback continues here")
        assert pythons(home)
        terminal.press("q")
        terminal.wait_exit()

"""What a start shows first: the last frame, where it is still true, and then the same from the app."""

import re
import signal
import sqlite3
import sys

import pyte
import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

_APP = b"\x1b[?1004h"
"""The first mode that the app sets; before it is what was shown while Python loaded."""
_FRAME_END = b"\x1b[?2026l"


SLOW = """
import time
from player.player import Player
from tui import run
from tui.framework import first_frame

really_open = Player.open

def open(player):
    time.sleep(0.8)
    really_open(player)

Player.open = open
run._OPENING_COVERED_S = first_frame._PATIENCE_COVERED_S = 30.0
from tui.__main__ import process
process()
"""
"""The app with a library on a slow disk. Its first frame waits for all that is on it, on a busy machine too."""
_BAR, _COVER = 6, 10
"""The rows of the player bar and the footer, and the columns of the cover."""
WAVEFORM = "[⣶⣷⣾⣿]{3}"
"""A part of it that is louder than what isn't known."""


def quit_after(*keys: str) -> None:
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.wait_for("Links")
        for key in keys:
            terminal.press(key)
        if "space" in keys:
            terminal.wait_for("⏸")
            terminal.wait_for(WAVEFORM)
        terminal.press("q")
        assert terminal.wait_exit() == 0


def seen(printed: bytes, terminal: Terminal) -> list[str]:
    screen = pyte.Screen(terminal.columns, 40)
    pyte.ByteStream(screen).feed(printed)
    return [line.rstrip() for line in screen.display]


def timeless(lines: list[str]) -> list[str]:
    """Without the time at which what is paused would end, which moves with the clock; and without what comes later: the
    cover before the player bar, and what plays next."""
    bar = [line[_COVER:] for line in lines[-_BAR:]]
    return [re.sub(r"ends \d+:\d\d| +Next: .*", "", line) for line in (*lines[:-_BAR], *bar)]


@pytest.mark.parametrize(
    "keys", [pytest.param((), marks=pytest.mark.long), ("enter", "b", "space")], ids=["nothing playing", "paused"]
)
def test_a_start_shows_the_last_frame_and_the_app_draws_the_same(silent: Paths, keys: tuple[str, ...]) -> None:
    quit_after(*keys)
    with Terminal(last_frame=True, in_frames=True, command=(sys.executable, "-c", SLOW)) as terminal:
        terminal.wait_until(lambda: _APP in terminal.raw, "the app to take over")
        # Parsed later: the app asks meanwhile whether the terminal shows frames as a whole, and waits for no answer.
        terminal.wait_until(lambda: _FRAME_END in terminal.raw, "the first frame of the app")
        first = seen(bytes(terminal.raw).partition(_APP)[0], terminal)
        assert any("PyTorch Dev" in line for line in first)
        assert timeless(seen(bytes(terminal.raw).partition(_FRAME_END)[0], terminal)) == timeless(first)
        terminal.press("?")
        terminal.wait_for("esc close")
        terminal.press("escape")
        terminal.wait_until(lambda: timeless(terminal.lines) == timeless(first), "the same again, drawn by the app")
        assert terminal.raw.count(b"\x1b[?1049h") == 1, "the screen was cleared in between"


@pytest.mark.long
def test_a_key_pressed_meanwhile_is_not_echoed_and_acts(silent: Paths) -> None:
    quit_after()
    with Terminal(last_frame=True) as terminal:
        terminal.wait_for("PyTorch Dev")
        terminal.press("?")
        terminal.wait_for("esc close")
        first = bytes(terminal.raw).partition(_APP)[0]
        assert not first.endswith(b"?")


@pytest.mark.long
def test_after_a_change_by_another_program_it_is_not_shown(silent: Paths) -> None:
    quit_after()
    assert silent.last_frame.exists()
    with sqlite3.connect(silent.library) as connection:
        connection.execute("UPDATE podcasts SET title = 'Renamed'")
    connection.close()
    with Terminal(last_frame=True) as terminal:
        terminal.wait_for("enter play")
        assert not seen(bytes(terminal.raw).partition(_APP)[0], terminal)[1]


@pytest.mark.long
def test_after_a_crash_there_is_none(silent: Paths) -> None:
    quit_after()
    with Terminal(last_frame=True) as terminal:
        terminal.wait_until(lambda: _APP in terminal.raw, "the app to take over")
        assert not silent.last_frame.exists()
        terminal.kill()
        terminal.wait_exit()
    assert not silent.last_frame.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_a_signal_while_it_is_shown_gives_the_terminal_back(silent: Paths, number: int) -> None:
    quit_after()
    with Terminal(last_frame=True) as terminal:
        terminal.wait_for("PyTorch Dev")
        terminal.kill(number)
        terminal.wait_exit()
        assert terminal.raw.count(b"\x1b[?1049l") == 1

"""Power cuts: the app is killed while it plays, again and again at random moments, and comes back to the second."""

import random
import sqlite3
import time

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.pty.conftest import FEED, ITEM
from tests.pty.terminal import Terminal
from tests.quick import seeded
from tests.sound.pitch import Heard, heard, pitch_coded, steady
from tests.sound.sound_server import SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.pty, pytest.mark.long, pytest.mark.timeout(900)]

LOST_S = 1.0
# The FFT needs a steady tone: up to 0.13 s at each end of what was heard can't be read.
BLUR_S = 0.3
HEARD = r"(?m)^\s*0:0[2-9] "
"""What was heard for less than a second isn't yet what a listener comes back to."""


COUNT = 50


def test_kills_at_random_moments_cost_at_most_a_second_each(
    sound: SoundServer, server: LoopbackServer, paths: Paths
) -> None:
    audio = server.audio("/episode.mp3", pitch_coded("mp3 vbr", 20 + 3 * COUNT))
    item = ITEM.format(number=1, day=1, url=audio).replace("audio/wav", "audio/mpeg")
    feed = server.page("/feed.xml", FEED.format(items=item).encode())
    chance = seeded()
    kills: list[float] = []
    with sound.recording() as recording:
        with Terminal(environ=sound.environment()) as terminal:
            terminal.wait_for("all keys")
            terminal.press("a")
            terminal.wait_for("Words; or a URL")
            terminal.press(feed, "enter")
            terminal.wait_for("Tone 1")
            terminal.press("enter")
            terminal.wait_for(HEARD)
            kills.append(kill_while_playing(terminal, chance))
        for _ in range(COUNT - 1):
            with Terminal(environ=sound.environment()) as terminal:
                terminal.wait_for("⏸ Tone 1")
                terminal.press("space")
                kills.append(kill_while_playing(terminal, chance))
        with Terminal(environ=sound.environment()) as terminal:
            terminal.wait_for("⏸ Tone 1")
            terminal.press("space")
            kill_while_playing(terminal, chance)
    sounds = steady(heard(recording))
    lost = [last_before(sounds, kill) - first_after(sounds, kill) for kill in kills]
    assert max(lost) <= LOST_S + BLUR_S, lost
    assert min(lost) >= -BLUR_S, f"something was skipped: {lost}"
    with sqlite3.connect(paths.library) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT played FROM episodes WHERE title = 'Tone 1'").fetchone() == (0,)


def kill_while_playing(terminal: Terminal, chance: random.Random) -> float:
    """Kills it at a random moment after it began to play; when that was (time.monotonic)."""
    terminal.wait_for("▶ Tone 1")
    moment = time.monotonic() + chance.uniform(0.8, 3.0)
    terminal.wait_until(lambda: time.monotonic() >= moment, "the moment to come")
    terminal.kill()
    terminal.wait_exit()
    return time.monotonic()


def last_before(sounds: list[Heard], moment: float) -> float:
    return next(one.position_s for one in reversed(sounds) if one.at < moment and one.position_s is not None)


def first_after(sounds: list[Heard], moment: float) -> float:
    return next(one.position_s for one in sounds if one.at > moment + 0.1 and one.position_s is not None)

"""How many threads the app has at rest, and while an episode plays."""

import sys
from pathlib import Path

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.pty.conftest import FEED, ITEM, silence
from tests.pty.levels import Levels
from tests.pty.terminal import Terminal
from tests.sound.sound_server import SoundServer, sound, sound_server
from tests.tui.cli.conftest import own_logging
from tui.cli.main import main

__all__ = ["own_logging", "sound", "sound_server"]
pytestmark = [
    pytest.mark.pty,
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

AT_REST = 12
"""The screen, its input, output and end; the session and the saver; downloads, their writes and rules; the control
socket; and one that waits for what is due, besides one that is about to end."""
PLAYING = 20
"""Besides those: libvlc's, the sound server's, the network's, those that fetch and prefetch, and the headphones'."""


def wait_for_threads(terminal: Terminal, most: int) -> None:
    """What was needed for a moment ends within seconds."""
    pid = terminal.process.pid
    try:
        terminal.wait_until(lambda: Levels.of(pid).threads <= most, f"at most {most} threads")
    except AssertionError as error:
        names = [(task / "comm").read_text().strip() for task in Path(f"/proc/{pid}/task").iterdir()]
        raise AssertionError(f"{len(names)} threads: {sorted(names)}") from error


def test_the_app_has_few_threads_at_rest_and_while_it_plays(
    sound: SoundServer, paths: Paths, server: LoopbackServer
) -> None:
    audio = server.audio("/tone.wav", silence(600, rate=8_000), "audio/wav")
    feed = FEED.format(items=ITEM.format(number=3, day=3, url=audio))
    assert main(["add", server.page("/feed.xml", feed.encode())]) == 0
    with Terminal() as terminal:
        terminal.wait_for("Tone 3")
        terminal.wait_until(paths.socket.exists, "the control socket")
        terminal.press("?")
        terminal.wait_for("Commands and keys")
        terminal.press("escape")
        terminal.wait_gone("Commands and keys")
        wait_for_threads(terminal, AT_REST)
        terminal.press("\r")
        terminal.wait_for("0:0[2-9] / 10:00")
        wait_for_threads(terminal, PLAYING)
        terminal.press("q")
        assert terminal.wait_exit() == 0

"""ctrl+z and fg, in a real shell with job control."""

import shutil
import sys

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal
from tests.pty.test_journeys import ELAPSED

pytestmark = pytest.mark.pty


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell with job control")
def test_ctrl_z_pauses_and_gives_the_terminal_back_and_fg_goes_on(silent: Paths) -> None:
    shell = ("bash", "--norc", "--noprofile", "-i")
    with Terminal(command=shell, environ={"PS1": "shell> "}) as terminal:
        terminal.wait_for("shell>")
        terminal.press(f"{sys.executable} -m tui\r")
        terminal.wait_for("Links")
        terminal.press("enter")
        terminal.wait_for("▶")
        before = len(terminal.raw)
        terminal.press("\x1a")
        terminal.wait_for("Stopped")
        given_back = bytes(terminal.raw[before:])
        for mode in (b"\x1b[?1049l", b"\x1b[?1000l", b"\x1b[?2004l", b"\x1b[?25h"):
            assert mode in given_back
        terminal.press("echo typed\r")
        terminal.wait_for(r"\ntyped")
        again = len(terminal.raw)
        terminal.press("fg\r")
        terminal.wait_for(ELAPSED)
        terminal.wait_for("Links")
        terminal.wait_until(lambda: b"\x1b[?1000h" in terminal.raw[again:], "the mouse")
        terminal.press("space")
        terminal.wait_for("⏸")
        terminal.press("q")
        terminal.wait_for("shell>")

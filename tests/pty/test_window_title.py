"""The terminal's own title, in a real terminal."""

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty


@pytest.mark.parametrize(
    ("name", "titled"), [("xterm-256color", True), pytest.param("linux", False, marks=pytest.mark.long)]
)
def test_a_terminal_that_knows_titles_gets_its_own_back_at_the_end(name: str, titled: bool, silent: Paths) -> None:
    with Terminal(environ={"TERM": name}) as terminal:
        terminal.wait_for("Press play")
        terminal.press("enter")
        terminal.wait_for("▶ 1. Press play")
        if titled:
            title = "▶ 1. Press play · Welcome to Earmark".encode()
            terminal.wait_until(lambda: title in terminal.raw, "the title")
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert (b"\x1b[22;2t" in terminal.raw) is titled
        assert (b"\x1b]2;\x1b\\\x1b[23;2t" in terminal.raw) is titled

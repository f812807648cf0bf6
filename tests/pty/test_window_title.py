"""The terminal's own title, in a real terminal: where it is known, `test_journeys` looks at it."""

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal

pytestmark = [pytest.mark.pty, pytest.mark.long]


def test_a_terminal_that_knows_no_titles_is_sent_none(silent: Paths) -> None:
    with Terminal(environ={"TERM": "linux"}) as terminal:
        terminal.wait_for("Press play")
        terminal.press("enter")
        terminal.wait_for("> 1. Press play")
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert b"\x1b[22;2t" not in terminal.raw
        assert b"\x1b]2;\x1b\\\x1b[23;2t" not in terminal.raw

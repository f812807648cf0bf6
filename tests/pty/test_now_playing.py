"""Now playing in a real terminal: left open while it plays, resized, and closed again."""

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty


def test_it_follows_what_is_said_at_every_size(silent: Paths) -> None:
    with Terminal() as terminal:
        terminal.wait_for("Press play")
        terminal.press("enter")
        terminal.wait_for("▶ 1. Press play")
        terminal.press("w")
        terminal.wait_for("It does one thing above all")
        for size in ((160, 45), (40, 12), (30, 8), (100, 30)):
            terminal.resize(*size)
            terminal.wait_until(lambda: "1. Press play" in terminal.text, f"the title at {size}")
        terminal.press("space")
        terminal.wait_for("space resume")
        terminal.press("w")
        terminal.wait_for("2. Find your way")

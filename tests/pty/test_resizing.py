"""A window that is dragged about: the last size has the right picture, whole, and not each size one."""

from random import Random

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

_MOST_BYTES = 1_000_000
"""Some ten frames; a frame for each of a hundred sizes is more."""


def _begun(terminal: Terminal, since: int) -> int:
    return terminal.raw.count(b"\x1b[?2026h", since)


def _ended(terminal: Terminal, since: int) -> int:
    return terminal.raw.count(b"\x1b[?2026l", since)


def test_after_a_hundred_sizes_the_last_one_is_right_and_nothing_is_lost(silent: Paths) -> None:
    """Also if a shell has exported a size of its own, which the terminal doesn't have."""
    random = Random(7)
    with Terminal(in_frames=True, environ={"COLUMNS": "80", "LINES": "24"}) as terminal:
        terminal.wait_for("Links")
        assert "? all keys" in terminal.lines[39]
        terminal.press("j")
        terminal.wait_for(r"▌. 2\. Find your way")
        terminal.read_all()
        first, before = terminal.lines, len(terminal.raw)
        for _ in range(100):
            terminal.resize(random.randint(8, 180), random.randint(2, 60))
            terminal.pump()
        terminal.resize(120, 40)
        terminal.wait_until(lambda: terminal.lines == first, "the same picture, with the cursor where it was")
        terminal.wait_until(lambda: _begun(terminal, before) == _ended(terminal, before) > 0, "every frame's end")
        assert len(terminal.raw) - before < _MOST_BYTES


@pytest.mark.long
def test_a_size_that_comes_back_at_once_is_drawn_whole(silent: Paths) -> None:
    with Terminal() as terminal:
        terminal.wait_for("Links")
        terminal.read_all()
        before = terminal.lines
        terminal.resize(50, 12)
        terminal.resize(120, 40)
        assert terminal.lines != before, "the terminal has cut what it showed"
        terminal.wait_until(lambda: terminal.lines == before, "the same picture")

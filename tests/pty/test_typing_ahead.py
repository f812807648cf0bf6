"""Keys in one write of a terminal: what somebody types who doesn't look."""

import re

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty


def test_a_filter_typed_in_one_go_marks_nothing_and_its_enter_plays_what_it_leaves(silent: Paths) -> None:
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("/your way\r\r")
        terminal.wait_for(r"▶ 2\. Find your way +▎Welcome to Earmark")
        assert not re.search("[●◐✓].*★", terminal.text)
        terminal.press("q")
        assert terminal.wait_exit() == 0

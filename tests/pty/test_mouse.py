"""The mouse in a real terminal: what a drag copies, and where the terminal keeps the mouse for itself."""

import re
from base64 import b64decode

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

_COPIED = re.compile(rb"\x1b]52;c;([A-Za-z0-9+/=]*)\a")


def test_a_drag_sends_exactly_the_text_to_the_terminals_clipboard(silent: Paths) -> None:
    with Terminal(environ={"DISPLAY": "", "WAYLAND_DISPLAY": "", "TMUX": "", "STY": ""}) as terminal:
        terminal.wait_for("Welcome. Earmark is")
        assert b"\x1b[?1000h" in terminal.raw
        row, line = next((y, line) for y, line in enumerate(terminal.lines) if "Welcome. Earmark is" in line)
        start = line.index("Welcome. Earmark")
        terminal.drag((start + 9, row), (start + 13, row + 1))
        terminal.wait_for("Copied")
        copied = [b64decode(text).decode() for text in _COPIED.findall(bytes(terminal.raw))]
        assert copied == ["Earmark is a podcast player for the terminal"[: len(copied[0])]]
        assert " for the" in copied[0], "two lines of the page are one of the text"


@pytest.mark.long
def test_the_mouse_is_not_asked_for_where_it_is_disabled(silent: Paths) -> None:
    with silent.settings.open("a", encoding="utf-8") as file:
        file.write("[mouse]\nenabled = false\n")
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        assert b"\x1b[?1000h" not in terminal.raw

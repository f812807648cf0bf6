"""Themes in a real terminal: which colours are sent to it, and how its background is followed."""

import re

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal
from tests.tui.test_without_colours import COLOUR

pytestmark = pytest.mark.pty

COLOURS_OF_ITS_OWN = re.compile(rb"[\[;][34]8;[25];")
"""True colours, and those of the 256: in all other ways a terminal shows its own."""


def appearance(paths: Paths, *lines: str) -> None:
    """Adds to the settings of these tests."""
    with paths.settings.open("a", encoding="utf-8") as file:
        file.write("\n".join(("\n[appearance]", *lines, "")))


@pytest.mark.parametrize(
    "environ", [pytest.param({}, marks=pytest.mark.long), {"TERM": "xterm", "COLORTERM": ""}], ids=["truecolor", "16"]
)
def test_the_terminals_own_16_colours_and_no_others_are_sent(environ: dict[str, str], silent: Paths) -> None:
    if not environ:
        appearance(silent, 'theme = "ansi"')
    with Terminal(environ=environ) as terminal:
        terminal.wait_for("Press play")
        terminal.press("?")
        terminal.wait_for("esc close")
        terminal.press("escape")
        terminal.wait_gone("esc close")
        terminal.press("delete")
        terminal.wait_for("Unsubscribe from")
        assert re.search("[╭┌].*[╮┐]", terminal.text), "a dialog has edges where no ground tells it apart"
        terminal.press("escape")
        terminal.wait_gone("Unsubscribe from")
        terminal.press("ctrl+p")
        terminal.wait_for("Commands and keys")
        terminal.press("themes", "enter")
        terminal.wait_for("esc cancel")
        terminal.wait_for("Solarized")
        terminal.press("escape")
        terminal.wait_gone("esc cancel")
        assert not COLOURS_OF_ITS_OWN.search(terminal.raw)
        assert re.search(rb"\x1b\[[0-9;]*\b7\b[0-9;]*m", terminal.raw), "the selected row is reversed"


ASKED = b"\x1b]11;?\x1b\\"
DARK, LIGHT = b"\x1b]11;rgb:1010/1313/1a1a\x1b\\", b"\x1b]11;rgb:faff/f8f8/f3f3\x07"
INK, PAPER = b"48;2;16;19;26", b"48;2;250;248;243"


def answer(terminal: Terminal, reply: bytes) -> None:
    terminal.process.write(reply)


def wears(terminal: Terminal, ground: bytes) -> None:
    """Waits until something was drawn on that ground after all else."""

    def drawn() -> bool:
        last = max(terminal.raw.rfind(INK), terminal.raw.rfind(PAPER))
        return last >= 0 and terminal.raw[last:].startswith(ground)

    terminal.wait_until(drawn, f"{ground!r}")


def test_the_theme_follows_the_terminals_background_and_no_answer_becomes_a_key(silent: Paths) -> None:
    with Terminal() as terminal:
        terminal.wait_until(lambda: ASKED in terminal.raw and b"\x1b[?2031h" in terminal.raw, "the question")
        terminal.wait_for("Links")
        wears(terminal, INK)
        terminal.read_all()
        before = terminal.text
        answer(terminal, LIGHT)
        wears(terminal, PAPER)
        answer(terminal, b"\x1b[?997;1n")
        wears(terminal, INK)
        answer(terminal, b"\x1b[?997;2n")
        wears(terminal, PAPER)
        terminal.read_all()
        assert terminal.text == before
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert b"\x1b[?2031l" in terminal.raw
    # The next start begins with what was answered, and another answer counts again.
    with Terminal() as terminal:
        terminal.wait_for("Press play")
        assert INK not in terminal.raw
        answer(terminal, DARK)
        wears(terminal, INK)


def test_a_theme_by_name_asks_nothing(silent: Paths) -> None:
    appearance(silent, 'theme = "ink"')
    with Terminal() as terminal:
        terminal.wait_for("Press play")
        answer(terminal, LIGHT)  # one that nobody asked for
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert ASKED not in terminal.raw
        assert b"2031" not in terminal.raw
        assert PAPER not in terminal.raw


def test_on_a_light_terminal_the_very_first_frame_is_light(silent: Paths) -> None:
    """The terminal answers before the app is loaded. No key typed meanwhile is lost, and nothing is echoed."""
    with Terminal() as terminal:
        terminal.wait_until(lambda: ASKED in terminal.raw, "the question")
        assert b"\x1b[?1049h" not in terminal.raw, "the app isn't there yet"
        terminal.press("?")
        answer(terminal, LIGHT)
        terminal.wait_for("esc close")
        assert PAPER in terminal.raw
        assert INK not in terminal.raw
        assert b"rgb" not in terminal.raw
        terminal.press("escape")
        terminal.wait_gone("esc close")
        terminal.press("q")
        assert terminal.wait_exit() == 0
    # It is remembered, for a terminal that answers later.
    with Terminal() as terminal:
        terminal.wait_for("Press play")
        assert INK not in terminal.raw


@pytest.mark.long
def test_with_no_color_no_code_for_a_colour_is_sent(silent: Paths) -> None:
    with Terminal(environ={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("enter play")
        for keys, shown in (("?", "Commands and keys"), ("ctrl+p", "Commands and keys"), ("a", "Words; or a URL")):
            terminal.press(keys)
            terminal.wait_for(shown)
            terminal.press("escape")
            terminal.wait_gone(shown)
        terminal.press("enter")
        terminal.wait_for("space pause")
        terminal.press("q")
        terminal.wait_exit()
        assert COLOUR.findall(terminal.raw.decode("utf-8", "replace")) == []

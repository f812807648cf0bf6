"""Hebrew in a real terminal: drawn in reading order, but searched as it was written."""

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

LEFT_TO_RIGHT = {"VTE_VERSION": "", "KONSOLE_VERSION": "", "MLTERM": "", "KITTY_WINDOW_ID": "", "TERM_PROGRAM": ""}
TITLE = "פרק 12: שלום עולם"
DRAWN = "םלוע םולש :12 קרפ"


@pytest.fixture
def feed(server: LoopbackServer) -> str:
    audio = server.audio("/a.wav", b"RIFF")
    return server.page(
        "/he.xml",
        f"<rss version='2.0'><channel><title>Ivrit</title><item><title>{TITLE}</title>"
        f"<description>notes of it</description><enclosure url='{audio}' type='audio/wav'/>"
        "</item></channel></rss>".encode(),
    )


def test_a_title_is_drawn_in_reading_order_and_found_by_its_words(silent: Paths, feed: str) -> None:
    with Terminal(environ=LEFT_TO_RIGHT) as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(feed, "enter")
        terminal.wait_for("notes of it")
        terminal.wait_for(DRAWN)
        assert b"\x1b[8l" in terminal.raw, "the terminal isn't to reorder it again"
        terminal.press("/", "שלום")
        terminal.wait_for("apply")
        terminal.wait_for(DRAWN)
        terminal.press("enter")
        terminal.wait_gone("apply")
        terminal.press("q")
        terminal.wait_exit()
        assert terminal.raw.rindex(b"\x1b[8h") > terminal.raw.index(b"\x1b[8l")


@pytest.mark.long
def test_a_terminal_that_reorders_gets_it_as_it_was_written(silent: Paths, feed: str) -> None:
    with Terminal(environ=LEFT_TO_RIGHT | {"VTE_VERSION": "7006"}) as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(feed, "enter")
        terminal.wait_for("notes of it")
        # Not by `wait_for`: pyte draws nothing of a text after a mark that takes no cell.
        terminal.wait_until(lambda: f"\u2067{TITLE}\u2069".encode() in terminal.raw, "the title")
        assert b"\x1b[8l" not in terminal.raw

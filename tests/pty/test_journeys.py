"""What a listener does from the first start on, key by key, in a real terminal."""

import signal

import pytest

from player.paths import Paths
from player.text.durations import parse_time
from tests.loopback import LoopbackServer
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

ELAPSED = r"(?m)^[^\d\n]*(\d+:\d\d) .*[−-]\d+:\d\d"
"""In the bar, which may have a cover before it."""


def elapsed_ms(terminal: Terminal) -> int:
    return parse_time(terminal.wait_for(ELAPSED))


def wait_elapsed(terminal: Terminal, least_ms: int) -> int:
    terminal.wait_until(lambda: elapsed_ms(terminal) >= least_ms, f"{least_ms} ms to have been played")
    return elapsed_ms(terminal)


def test_a_newcomer_without_a_network_listens_after_one_key_and_comes_back_to_the_second(silent: Paths) -> None:
    with Terminal() as terminal:
        terminal.wait_for("PyTorch Dev")
        terminal.wait_for("enter play")
        terminal.press("enter")
        wait_elapsed(terminal, 2000)
        assert "▶ 1. Press play · Welcome to Earmark".encode() in terminal.raw, "the window's title"
        terminal.press("space")
        terminal.wait_for("⏸")
        position = elapsed_ms(terminal)
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert b"\x1b[?1049l" in terminal.raw
        assert b"\x1b[22;2t" in terminal.raw, "the title of before was kept ..."
        assert b"\x1b]2;\x1b\\\x1b[23;2t" in terminal.raw, "... and is back"
    with Terminal() as again:
        again.wait_for("⏸")
        assert elapsed_ms(again) == position
        again.press("space")
        wait_elapsed(again, position + 1000)


def test_a_feed_is_added_played_and_sought_by_keyboard_alone(silent: Paths, feed_url: str) -> None:
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(feed_url, "enter")
        terminal.wait_gone("Add a podcast")
        terminal.wait_for("Tone 3")
        terminal.press("enter")
        wait_elapsed(terminal, 1000)
        terminal.press("right")
        position = wait_elapsed(terminal, 30_000)
        terminal.press("left")
        terminal.wait_until(lambda: elapsed_ms(terminal) < position, "a jump back")
        terminal.press("q")
        assert terminal.wait_exit() == 0


@pytest.mark.long
def test_adding_what_is_no_feed_says_so_and_the_app_goes_on(silent: Paths, server: LoopbackServer) -> None:
    page = server.page("/page", b"<html><head><title>Hello</title></head><p>no feed here</p></html>", "text/html")
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(page, "enter")
        terminal.wait_for("has no link to")
        terminal.press("escape")
        terminal.wait_gone("Add a podcast")
        terminal.press("q")
        assert terminal.wait_exit() == 0


@pytest.mark.long
def test_a_key_that_is_typed_before_anything_is_shown_is_not_lost(silent: Paths) -> None:
    with Terminal() as terminal:
        terminal.press("?")
        terminal.wait_for("Play or open +enter")


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_the_place_saved(silent: Paths, number: int) -> None:
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("enter")
        position = wait_elapsed(terminal, 2000)
        terminal.kill(number)
        terminal.wait_exit()
    with Terminal() as again:
        again.wait_for("⏸")
        assert elapsed_ms(again) >= position


@pytest.mark.long
def test_a_second_earmark_says_that_one_is_running(silent: Paths) -> None:
    with Terminal() as first:
        first.wait_for("enter play")
        with Terminal() as second:
            second.wait_for("running")
            assert second.wait_exit() == 1
        first.press("enter")
        wait_elapsed(first, 1000)


def test_a_damaged_library_is_set_aside_and_the_app_opens(silent: Paths) -> None:
    silent.data.mkdir(parents=True)
    silent.library.write_bytes(b"this is no database, whatever its name says " * 300)
    with Terminal() as terminal:
        terminal.wait_for("damaged")
        terminal.press("f")
        terminal.wait_for("enter play")
    aside = list(silent.data.glob("library.damaged-*"))
    assert len(aside) == 1
    assert aside[0].read_bytes().startswith(b"this is no database")


@pytest.mark.long
def test_resizing_in_the_middle_keeps_the_cursor(silent: Paths, feed_url: str) -> None:
    with Terminal(columns=160, rows=45) as terminal:
        terminal.wait_for("enter play")
        terminal.press("j")
        terminal.wait_for("▌.*2. Find your way")
        for columns, rows in ((80, 24), (40, 12), (20, 5), (50, 15), (120, 40)):
            terminal.resize(columns, rows)
        terminal.wait_for("▌.*2. Find your way.*37s")


@pytest.mark.long
def test_titles_that_talk_to_the_terminal_are_only_read(silent: Paths, server: LoopbackServer) -> None:
    audio = server.audio("/a.wav", b"RIFF")
    evil = (
        "<rss version='2.0'><channel><title>Evil &#x9b;31m &#x202e;show</title><item>"
        "<title>One &#x7f;&#x85; \u202etwo\n\nthree</title><description>&#x9d;0;owned&#x9c; text</description>"
        f"<enclosure url='{audio}' type='audio/wav'/></item></channel></rss>"
    )
    url = server.page("/evil.xml", evil.encode())
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(url, "enter")
        terminal.wait_for("One … two three")
        assert "\u202e" not in terminal.raw.decode("utf-8", "replace")
        assert "\x9b" not in terminal.raw.decode("utf-8", "replace")

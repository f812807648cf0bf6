"""A podcast is found by words, listened to and subscribed to, key by key, in a real terminal."""

import pytest

from player.library import Library
from player.paths import Paths
from tests.directories import APPLE, Directories, apple_answer, apple_podcast
from tests.loopback import LoopbackServer
from tests.pty.conftest import saved_position
from tests.pty.terminal import Terminal
from tests.pty.test_journeys import elapsed_ms, wait_elapsed

pytestmark = pytest.mark.pty


@pytest.fixture
def found(silent: Paths, server: LoopbackServer, feed_url: str) -> Paths:
    """Apple knows the feed by the name of Loopback Radio."""
    world = Directories(server)
    world.says(f"{APPLE}/search", apple_answer(apple_podcast(1, "Loopback Radio", feed_url)))
    silent.settings.write_text(f"{silent.settings.read_text()}\n{world.toml}\n")
    return silent


def subscriptions(paths: Paths) -> dict[str, int]:
    """The titles, and how many episodes each podcast has."""
    library = Library(paths, backs_up=False)
    library.open()
    try:
        return {podcast.title: podcast.episode_count for podcast in library.podcasts.all()}
    finally:
        library.close()


def find_and_preview(terminal: Terminal) -> None:
    terminal.wait_for("enter play")
    terminal.press("a")
    terminal.wait_for("Suggested by Earmark")
    terminal.press("loopback", "enter")
    terminal.wait_for("1 podcast")
    terminal.wait_for("enter preview")
    terminal.press("enter")
    terminal.wait_for("Tone 3")
    terminal.wait_for("a subscribe")


@pytest.mark.long
def test_found_by_words_previewed_played_subscribed_to_and_kept(found: Paths) -> None:
    with Terminal() as terminal:
        find_and_preview(terminal)
        terminal.press("enter")
        wait_elapsed(terminal, 1500)
        terminal.press("space")
        terminal.wait_for("⏸")
        position = elapsed_ms(terminal)
        terminal.press("escape")
        terminal.wait_for("enter preview")
        terminal.press("enter")
        terminal.wait_for("a subscribe")
        terminal.press("a")
        terminal.wait_for("Subscribed to")
        terminal.press("escape")
        terminal.wait_for("enter open")
        terminal.press("escape")
        terminal.wait_gone("esc close")
        terminal.press("q")
        assert terminal.wait_exit() == 0
    assert subscriptions(found)["Loopback Radio"] == 3
    assert saved_position(found.library) >= position
    with Terminal() as again:
        again.wait_for("⏸")
        assert elapsed_ms(again) == position


@pytest.mark.long
def test_a_preview_that_is_left_is_no_subscription(found: Paths) -> None:
    with Terminal(columns=50, rows=15) as terminal:
        terminal.wait_for("all keys")
        terminal.press("q")
        assert terminal.wait_exit() == 0
    before = subscriptions(found)
    with Terminal() as terminal:
        find_and_preview(terminal)
        terminal.press("escape")
        terminal.wait_for("enter preview")
        terminal.press("escape")
        terminal.wait_gone("esc close")
        terminal.press("q")
        assert terminal.wait_exit() == 0
    assert subscriptions(found) == before

"""A server in a real terminal of 80x24: signing in, adding one of its podcasts, playing and downloading it."""

import pytest

from player.paths import Paths
from tests.audiobookshelf import PASSWORD, TOKEN, USER, AudiobookshelfServer
from tests.pty.conftest import silence
from tests.pty.terminal import Terminal
from tests.pty.test_journeys import elapsed_ms, wait_elapsed

pytestmark = pytest.mark.pty


@pytest.mark.long
def test_a_podcast_of_a_server_is_added_played_and_downloaded(silent: Paths) -> None:
    body = silence(600)
    with AudiobookshelfServer() as shelf:
        for title in ("Casting Stones", "Rain"):
            shelf.add_podcast(title).add_episode(f"{title} One", body, media_type="audio/wav", duration=600)
        with Terminal(columns=80, rows=24) as terminal:
            terminal.wait_for("enter play")
            terminal.press("a")
            terminal.wait_for("Words; or a URL")
            terminal.press(shelf.address, "enter")
            terminal.wait_for("Sign in to 127.0.0.1")
            terminal.press(USER, "tab", PASSWORD, "enter")
            terminal.wait_for("127.0.0.1 has 2 podcasts")
            terminal.press("j", "x", "enter")
            terminal.wait_for("Rain One")
            shelf.later_s += 3601
            terminal.press("enter")
            wait_elapsed(terminal, 1000)
            terminal.press("right")
            wait_elapsed(terminal, 30_000)
            terminal.press("d")
            terminal.wait_for("Downloads")
            terminal.press("space")
            terminal.wait_for("⏸")
            position = elapsed_ms(terminal)
            terminal.press("q")
            assert terminal.wait_exit() == 0
            assert TOKEN.encode() not in terminal.raw
    files = [path for path in silent.data.rglob("*.wav") if path.is_file()]
    assert [path.read_bytes()[-1000:] for path in files] == [body[-1000:]]
    with Terminal() as again:
        again.wait_for("⏸")
        assert elapsed_ms(again) == position
        again.press("space")
        wait_elapsed(again, position + 1000)
        again.press("q")
        assert again.wait_exit() == 0

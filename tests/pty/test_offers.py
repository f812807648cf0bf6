"""The first day of somebody who comes from other apps, in a real terminal."""

from pathlib import Path

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.feeds.parsing.making import item, rss
from tests.player.transfer import libraries
from tests.pty.reader import Reader
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

APPS = ("gpodder", "newsboat", "castero", "kasts")


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (40, 12)])
def test_a_newcomer_listens_first_and_then_brings_one_library_and_dismisses_the_others(
    silent: Paths, server: LoopbackServer, columns: int, rows: int
) -> None:
    for app in APPS:
        url = server.page(f"/{app}.xml", rss(item(1), channel=f"<title>From {app}</title>"))
        getattr(libraries, app)(Path.home(), url)
    with Terminal(columns=columns, rows=rows) as terminal:
        terminal.wait_for("enter play")
        terminal.press("enter")
        terminal.wait_for("▶ 1. Press play|Next: 2. Find your way")
        terminal.wait_for("Kasts: 1 podcast, 2 in progress")
        terminal.press("G", "x")
        terminal.wait_gone("Kasts:")
        terminal.wait_for("castero: 1 podcast, 1 in progress")
        terminal.press("enter")
        terminal.wait_for("Press enter to")
        terminal.press("enter")
        terminal.wait_gone("castero:")
        terminal.press("q")
        assert terminal.wait_exit() == 0
    with Terminal(columns=120, rows=40) as again:
        again.wait_for("Castero Casts|From castero")
        assert "newsboat:" not in again.text
        again.press("q")
        assert again.wait_exit() == 0


def test_a_dismissed_offer_stays_away_and_a_library_that_cannot_be_read_says_nothing(silent: Paths) -> None:
    libraries.newsboat(Path.home())
    damaged = libraries.castero(Path.home())
    damaged.write_bytes(damaged.read_bytes()[:4096] + b"\xff" * 9000)
    with Terminal(columns=80, rows=24) as terminal:
        terminal.wait_for("newsboat: 2 podcasts")
        assert "castero" not in terminal.text
        terminal.press("G", "x")
        terminal.wait_gone("newsboat:")
        terminal.press("q")
        assert terminal.wait_exit() == 0
    with Terminal(columns=80, rows=24) as again:
        again.wait_for("enter play")
        again.press("G", "k")
        again.wait_for("2. Find your way")
        again.press("q")
        assert again.wait_exit() == 0
    assert "newsboat" not in again.raw.decode("utf-8", "replace")


def test_a_screen_reader_says_the_rows_of_libraries(silent: Paths) -> None:
    libraries.newsboat(Path.home())
    libraries.kasts(Path.home())
    with Terminal("--screen-reader", columns=80, rows=24) as terminal:
        reader = Reader(terminal)
        terminal.wait_for("newsboat:")
        reader.hears("^Kasts: 1 podcast, 2 in progress, enter shows what would come$", after="G")
        reader.hears("^newsboat: 2 podcasts", after="up")
        reader.hears("^unplayed, 3. Make it yours", after="up")
        reader.hears("^new, 1. Press play", after="g")
        reader.press("q")
        assert terminal.wait_exit() == 0

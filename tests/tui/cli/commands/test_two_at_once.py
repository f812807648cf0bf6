"""Only one Earmark plays at a time; the second is told so, and the other commands still work."""

import re

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal
from tests.tui.cli.conftest import Earmark

pytestmark = [pytest.mark.pty, pytest.mark.usefixtures("library")]


@pytest.fixture(autouse=True)
def silent(paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    paths.settings.write_text('[playback]\nengine = "silent"\n')


def test_while_the_app_is_open_commands_reach_it_and_a_second_player_is_refused(earmark: Earmark) -> None:
    with Terminal(columns=100, rows=30) as app:
        app.wait_for("1. Press play")
        with Terminal(columns=100, rows=30) as second:
            assert second.wait_exit() == 1
            assert re.search(rf"earmark: Earmark is already running \(PID {app.process.pid}\)\.", second.text)
        assert earmark("play", "2").code == 1
        assert earmark("status").out == "Stopped: nothing has been played yet.\n"
        assert len(earmark("episodes", "--json").json) == 3
        app.press("enter")
        app.wait_until(lambda: earmark("status", "--json").json["state"] == "playing", "the episode to play")
        assert earmark("pause", "--json").json["state"] == "paused"
        app.press("q")
        assert app.wait_exit() == 0
    assert earmark("status").code == 1

"""Programs that send nonsense to the control socket, many at once: the app, playback and a good client go on."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal
from tests.socket_storm import storm

pytestmark = pytest.mark.pty

LINES, CROWD = 50_000, 500
_HELP = "Undo the last jump"


class Good:
    """A client that was there before."""

    def __init__(self, path: Path) -> None:
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection.settimeout(30)
        self._connection.connect(str(path))
        self._lines = self._connection.makefile("rb")

    def ask(self, **request: Any) -> dict[str, Any]:
        self._connection.sendall(json.dumps({**request, "id": 1}).encode() + b"\n")
        while True:
            line = self._lines.readline()
            assert line, "the server hung up"
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == 1:
                return answer

    def close(self) -> None:
        self._lines.close()
        self._connection.close()


@pytest.mark.long
@pytest.mark.timeout(600)
def test_fifty_thousand_lines_of_nonsense_and_five_hundred_connections_do_no_harm(silent: Paths, feed_url: str) -> None:
    """What plays lasts ten minutes: longer than the storm, on any machine."""
    with Terminal() as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(feed_url, "enter")
        terminal.wait_for("Tone 3")
        terminal.press("enter")
        terminal.wait_until(silent.socket.exists, "the control socket")
        good, follower = Good(silent.socket), Good(silent.socket)
        assert follower.ask(command="follow")["kind"] == "status"
        terminal.wait_until(lambda: state(good) == "playing", "playback")
        with storm(silent.socket, count=LINES, crowd=CROWD) as answered:
            for number in range(20):
                assert good.ask(command="status")["status"]["state"] == "playing"
                terminal.press("?")
                terminal.wait_for(_HELP)
                terminal.press("escape")
                terminal.wait_gone(_HELP)
                if number % 5 == 0:
                    assert good.ask(command="seek", to_ms=0)["ok"] is True
                    assert follower.ask(command="status")["ok"] is True
        assert sum(answered) == LINES
        good.close()
        good = Good(silent.socket)  # The other one may have been idle for too long, on a slow machine.
        good.ask(command="seek", to_ms=0)
        status = good.ask(command="status")["status"]
        assert status["state"] == "playing"
        terminal.wait_until(
            lambda: good.ask(command="status")["status"]["position_ms"] > status["position_ms"], "playback"
        )
        for client in (good, follower):
            client.close()
        terminal.press("q")
        assert terminal.wait_exit() == 0
    log = silent.log.read_text(errors="replace") if silent.log.exists() else ""
    assert "Traceback" not in log, log[-20_000:]


def state(client: Good) -> str:
    return str(client.ask(command="status")["status"]["state"])

"""`offline`: of the running Earmark."""

from collections.abc import Iterator

import pytest

from player.integrations.control_socket import ControlServer
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from tests.player.integrations.fake_session import FakeSession
from tests.tui.cli.conftest import Earmark


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    made = Player(paths, Settings(playback=Playback(engine="silent")))
    made.open()
    server = ControlServer(paths.socket, FakeSession(), machine=made.services)
    server.start()
    yield made
    server.close()
    made.close()


def test_earmark_goes_offline_and_online(earmark: Earmark, player: Player) -> None:
    assert earmark("offline").out == "Online.\n"
    assert earmark("offline", "on").out == "Offline.\n"
    assert player.network.by_hand
    assert earmark("offline", "on", "--only-here").out == "Offline. Only what can be played is listed.\n"
    assert earmark("offline", "--json").json == {"on": True, "by_hand": True, "only_here": True}
    assert earmark("offline", "off").out == "Online.\n"


def test_where_none_runs_it_is_one_sentence(earmark: Earmark) -> None:
    ended = earmark("offline", "on")
    assert (ended.code, ended.err) == (1, "earmark: Earmark isn't running. Start it with: earmark\n")
    assert earmark("offline", "--only-here").code == 2

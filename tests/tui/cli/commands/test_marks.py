"""`mark`, and the older `star` and `played`."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from player.acts import Acts
from player.events import Bus
from player.integrations.control_socket import ControlServer
from player.library import Library
from player.model.episode import EpisodeId
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.integrations.fake_session import EPISODE, FakeSession
from tests.tui.cli.conftest import Earmark, feed
from tui.cli.command import at_once


@pytest.fixture(autouse=True)
def subscribed(earmark: Earmark, server: LoopbackServer) -> None:
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "Fog"))).code == 0


def titles(earmark: Earmark, *options: str) -> list[str]:
    return sorted(one["title"] for one in earmark("episodes", *options, "--json").json if one["title"] in _MINE)


_MINE = ("Rain", "Wind", "Fog")


def test_episodes_are_starred_and_played_and_it_can_be_undone(earmark: Earmark) -> None:
    assert earmark("mark", "starred", "rain", "fog").out == "2 episodes marked.\n"
    assert earmark("mark", "starred", "rain").out == "Nothing has changed: it was so already.\n"
    assert titles(earmark, "--starred") == ["Fog", "Rain"]
    assert earmark("mark", "unstarred", "fog").out == "No longer starred: Fog\n"
    assert titles(earmark, "--starred") == ["Rain"]
    assert len(earmark("mark", "played", "wind", "--json").json["changed"]) == 1
    assert titles(earmark, "--unplayed") == ["Fog", "Rain"]
    assert earmark("undo").code == 0
    assert titles(earmark, "--unplayed") == ["Fog", "Rain", "Wind"]


def test_an_unknown_mark_or_episode_is_said_so(earmark: Earmark) -> None:
    assert earmark("mark", "loved", "rain").code == 2
    assert earmark("mark", "starred", "no such thing").code == 1


def test_all_that_are_older_are_marked(earmark: Earmark) -> None:
    assert earmark("mark", "played", "--older-than", "wind").out == "Marked as played: Fog\n"
    assert titles(earmark, "--unplayed") == ["Rain", "Wind"]
    assert earmark("mark", "played", "--older-than", "fog").out == "Nothing has changed: it was so already.\n"
    assert len(earmark("mark", "starred", "--older-than", "rain", "--json").json["changed"]) == 2
    assert titles(earmark, "--starred") == ["Fog", "Wind"]


def test_episodes_are_named_or_those_older_than_one(earmark: Earmark) -> None:
    assert earmark("mark", "played", "rain", "--older-than", "wind").err == (
        "earmark: Episodes and --older-than can't be combined. See: earmark mark --help\n"
    )


@pytest.fixture
def wind_plays(earmark: Earmark, paths: Paths) -> Iterator[None]:
    wind = earmark("show", "wind", "--json").json["id"]
    session = FakeSession()
    session.status = replace(session.status, episode=replace(EPISODE, id=EpisodeId(wind), title="Wind"))
    library = Library(paths)
    library.open()
    server = ControlServer(paths.socket, session, acts=Acts(library, Bus(), at_once))
    server.start()
    yield
    server.close()
    library.close()


@pytest.mark.usefixtures("wind_plays")
def test_without_an_episode_it_is_what_plays(earmark: Earmark) -> None:
    assert earmark("star").out == "Starred: Wind\n"
    assert titles(earmark, "--starred") == ["Wind"]
    assert earmark("played").out == "Marked as played: Wind\n"
    assert titles(earmark, "--unplayed") == ["Fog", "Rain"]
    assert earmark("played", "--off").out == "Marked as unplayed: Wind\n"
    assert titles(earmark, "--unplayed") == ["Fog", "Rain", "Wind"]
    assert earmark("mark", "unstarred").code == 0
    assert earmark("star", "rain", "fog").out == "2 episodes marked.\n"
    assert earmark("star", "--off", "fog").code == 0
    assert titles(earmark, "--starred") == ["Rain"]


def test_without_an_episode_and_an_earmark_it_asks_for_one(earmark: Earmark) -> None:
    for command in (("star",), ("played",), ("mark", "starred")):
        ended = earmark(*command)
        assert (ended.code, ended.err) == (
            1, "earmark: Nothing is playing. Name an episode, by its ID or its title.\n",
        )  # fmt: skip

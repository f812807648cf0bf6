"""`earmark sleep` sets the timer of whichever Earmark is running, and shows it."""

from collections.abc import Iterator

import pytest

from player.integrations.control_socket import ControlServer
from player.paths import Paths
from tests.player.integrations.fake_session import FakeSession
from tests.tui.cli.conftest import Earmark


@pytest.fixture
def session(paths: Paths) -> Iterator[FakeSession]:
    fake = FakeSession()
    server = ControlServer(paths.socket, fake)
    server.start()
    yield fake
    server.close()


@pytest.mark.parametrize(
    ("arguments", "command", "shown"),
    [
        (("30",), "sleep minutes 30", "Sleep timer: 30:00 left\n"),
        (("chapter",), "sleep chapter 1", "Sleep timer: stops at the end of the chapter, in 1:00\n"),
        (("episode",), "sleep episode 1", "Sleep timer: stops at the end of the episode, in 1:00\n"),
        (("episode", "--episodes", "3"), "sleep episode 3", "Sleep timer: stops after 3 episodes\n"),
        (("--episodes", "2"), "sleep episode 2", "Sleep timer: stops after 2 episodes\n"),
    ],
)
def test_the_timer_is_set_and_shown(
    earmark: Earmark, session: FakeSession, arguments: tuple[str, ...], command: str, shown: str
) -> None:
    assert earmark("sleep", *arguments).out == shown
    assert session.commands == [(command, 0)]
    assert earmark("sleep").out == shown
    assert shown.strip() in earmark("status").out
    assert len(session.commands) == 1, "to ask for it changes nothing"


def test_it_is_made_longer_and_turned_off(earmark: Earmark, session: FakeSession) -> None:
    earmark("sleep", "10")
    assert earmark("sleep", "longer").out == "Sleep timer: 15:00 left\n"
    assert earmark("sleep", "off").out == "No sleep timer is running.\n"
    assert earmark("sleep", "--json").json["sleep"] is None


def test_in_json_it_is_the_status(earmark: Earmark, session: FakeSession) -> None:
    shown = earmark("sleep", "20", "--json").json
    assert shown["episode"]["id"] == 7
    assert shown["sleep"] == {
        "until": "minutes", "minutes": 20, "episodes": None, "left_ms": 1_200_000, "fading": False,
    }  # fmt: skip
    assert session.commands


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("soon",), "Choose minutes (1 to 1440), chapter, episode, longer or off. See: earmark sleep --help"),
        (("0",), "Choose minutes (1 to 1440), chapter, episode, longer or off. See: earmark sleep --help"),
        (("30", "--episodes", "2"), "--episodes needs “episode”. See: earmark sleep --help"),
        (("episode", "--episodes", "none"), "The number of episodes must be between 1 and 99. See: earmark sleep"),
    ],
)
def test_what_is_no_end_is_wrong_usage(earmark: Earmark, arguments: tuple[str, ...], sentence: str) -> None:
    ended = earmark("sleep", *arguments)
    assert ended.code == 2
    assert sentence in ended.err


def test_with_none_running_it_is_one_sentence(earmark: Earmark) -> None:
    ended = earmark("sleep", "30")
    assert (ended.code, ended.err) == (1, "earmark: Earmark isn't running. Start it with: earmark\n")

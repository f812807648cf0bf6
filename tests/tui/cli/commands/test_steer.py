"""`status` and its kin talk to whichever Earmark is running."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from player.integrations.control_socket import ControlServer
from player.model.playback import PlaybackState
from player.paths import Paths
from tests.player.integrations.fake_session import FakeSession
from tests.tui.cli.conftest import Earmark


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


@pytest.fixture
def running(paths: Paths, session: FakeSession) -> Iterator[ControlServer]:
    server = ControlServer(paths.socket, session)
    server.start()
    yield server
    server.close()


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("toggle",),
        ("pause",),
        ("resume",),
        ("stop",),
        ("seek", "+30"),
        ("speed",),
        ("speed", "1.5"),
        ("volume",),
        ("volume", "80"),
    ],
)
def test_with_none_running_it_is_one_sentence(earmark: Earmark, arguments: tuple[str, ...]) -> None:
    ended = earmark(*arguments)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "earmark: Earmark isn't running. Start it with: earmark\n"


@pytest.mark.usefixtures("running")
def test_the_status_is_printed_in_two_lines(earmark: Earmark, session: FakeSession) -> None:
    session.status = replace(session.status, speed=1.5, volume=80)
    assert earmark("status").out == ("Paused: An episode · A podcast\n1:00 of 10:00 (10%) · speed 1.5 · volume 80%\n")


@pytest.mark.usefixtures("running")
def test_the_status_in_json_is_the_contracts(earmark: Earmark) -> None:
    status = earmark("status", "--json").json
    assert list(status)[:7] == [
        "state", "episode", "position_ms", "duration_ms", "speed", "volume", "buffered_ms",
    ]  # fmt: skip
    assert status["episode"]["title"] == "An episode"


@pytest.mark.usefixtures("running")
def test_an_error_is_printed_with_the_status(earmark: Earmark, session: FakeSession) -> None:
    session.status = replace(session.status, state=PlaybackState.ERROR, error="The server is gone.")
    assert earmark("status").out.splitlines()[-1] == "The server is gone."


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (("toggle",), ("toggle", 0)),
        (("pause",), ("pause", 0)),
        (("resume",), ("resume", 0)),
        (("stop",), ("stop", 0)),
        (("seek", "+30"), ("seek_by", 30_000)),
        (("seek", "-15"), ("seek_by", -15_000)),
        (("seek", "-1m30s"), ("seek_by", -90_000)),
        (("seek", "-0:05", "--json"), ("seek_by", -5_000)),
        (("seek", "--json", "-5"), ("seek_by", -5_000)),
        (("seek", "2:05"), ("seek_to", 125_000)),
        (("seek", "--undo"), ("undo_jump", 0)),
        (("seek", "--chapter", "next"), ("next_chapter", 0)),
        (("seek", "--chapter", "previous"), ("previous_chapter", 0)),
        (("speed", "1.5"), ("set_speed", 1.5)),
        (("speed", "2x"), ("set_speed", 2.0)),
        (("volume", "80"), ("set_volume", 80)),
        (("volume", "80%"), ("set_volume", 80)),
    ],
)
@pytest.mark.usefixtures("running")
def test_each_command_reaches_the_session(
    earmark: Earmark, session: FakeSession, arguments: tuple[str, ...], command: tuple[str, float]
) -> None:
    assert earmark(*arguments).code == 0
    assert session.commands == [command]


@pytest.mark.usefixtures("running")
def test_without_a_value_speed_and_volume_are_shown(earmark: Earmark, session: FakeSession) -> None:
    session.status = replace(session.status, speed=1.5, volume=80)
    assert (earmark("speed").out, earmark("volume").out) == ("Speed: 1.5\n", "Volume: 80%\n")
    assert earmark("speed", "--json").json["speed"] == 1.5
    assert earmark("volume", "--json").json["volume"] == 80
    assert session.commands == []


@pytest.mark.usefixtures("running")
def test_a_command_tells_what_came_of_it(earmark: Earmark) -> None:
    assert earmark("resume").out.startswith("Playing: An episode")
    assert earmark("stop", "--json").json["state"] == "stopped"


@pytest.mark.parametrize("time", ["", "-", "+", "--5", "+-5", "1:2:3:4", "soon", "-x"])
def test_what_is_no_time_is_wrong_usage(earmark: Earmark, time: str) -> None:
    assert earmark("seek", time).code == 2


@pytest.mark.parametrize("arguments", [(), ("1:00", "--undo"), ("--undo", "--chapter", "next")])
def test_seeking_takes_a_time_a_chapter_or_undo(earmark: Earmark, arguments: tuple[str, ...]) -> None:
    ended = earmark("seek", *arguments)
    assert (ended.code, ended.err) == (
        2, "earmark: Seeking needs a time, --undo or --chapter. See: earmark seek --help\n",
    )  # fmt: skip


@pytest.mark.usefixtures("running")
def test_a_title_with_escape_characters_does_no_harm(earmark: Earmark, session: FakeSession) -> None:
    assert session.status.episode is not None
    session.status = replace(session.status, episode=replace(session.status.episode, title="\x1b[2Jgone\nline"))
    out = earmark("status").out
    assert "\x1b" not in out
    assert out.count("\n") == 2


def test_with_nothing_ever_played_the_status_says_so(earmark: Earmark, paths: Paths) -> None:
    server = ControlServer(paths.socket, FakeSession(loaded=False))
    server.start()
    try:
        assert earmark("status").out == "Stopped: nothing has been played yet.\n"
        ended = earmark("resume")
        assert ended.code == 1
        assert ended.err.startswith("earmark: There is no episode to resume.")
    finally:
        server.close()

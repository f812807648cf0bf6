"""`status --format` and `--follow`: a line for a status bar."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from player.events import Bus, PlaybackChanged
from player.integrations.control_socket import ControlServer
from player.integrations.followers import Followers
from player.model.playback import PlaybackState
from player.paths import Paths
from tests.player.integrations.fake_session import FakeSession
from tests.tui.cli.conftest import Earmark


@pytest.fixture
def running(paths: Paths, session: FakeSession, bus: Bus) -> Iterator[ControlServer]:
    server = started(paths, session, bus)
    yield server
    server.close()


def started(paths: Paths, session: FakeSession, bus: Bus) -> ControlServer:
    server = ControlServer(paths.socket, session, followers=Followers(bus, session))
    server.start()
    return server


def following(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tui", "status", "--follow", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def next_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout
    return process.stdout.readline()


@pytest.mark.usefixtures("running")
def test_a_line_as_waybar_reads_it(earmark: Earmark) -> None:
    assert earmark("status", "--json", "--escape", "markup", "--format", "{title} {left}").json == {
        "text": "An episode 9:00", "alt": "paused", "class": "paused", "tooltip": "An episode\nA podcast",
        "percentage": 10,
    }  # fmt: skip


def test_a_wrong_format_is_wrong_usage(earmark: Earmark) -> None:
    ended = earmark("status", "--format", "{titel}")
    assert (ended.code, ended.out) == (2, "")
    assert "There is no field {titel}. Did you mean “title”? Available: title, podcast" in ended.err
    assert earmark("status", "--escape", "tmux").code == 2


def test_quiet_is_no_error_without_an_earmark(earmark: Earmark) -> None:
    for arguments in (("--quiet",), ("--quiet", "--json"), ("--quiet", "--format", "{title}")):
        ended = earmark("status", *arguments)
        assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_the_help_names_every_field(earmark: Earmark) -> None:
    help_ = earmark("status", "--help").out
    for name in ("title", "podcast", "state", "position", "sleep", "chapter"):
        assert re.search(rf"^  {name} +\w", help_, re.MULTILINE)


def test_following_prints_what_changes_reconnects_and_ends_quietly(
    paths: Paths, session: FakeSession, bus: Bus
) -> None:
    server = started(paths, session, bus)
    with following("--quiet", "--format", "{state} {position}") as process:
        assert next_line(process) == "paused 1:00\n"
        session.status = replace(session.status, position_ms=90_000)
        bus.publish(PlaybackChanged(session.status))
        assert next_line(process) == "paused 1:30\n"
        server.close()
        assert next_line(process) == "\n", "nothing runs"
        server = started(paths, session, bus)
        assert next_line(process) == "paused 1:30\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr
        assert process.stderr.read() == ""
    server.close()


@pytest.mark.usefixtures("running")
def test_the_position_advances_by_the_followers_own_clock(session: FakeSession) -> None:
    session.status = replace(session.status, state=PlaybackState.PLAYING, speed=3.0, measured_at=1e12)
    with following("--format", "{position}") as process:
        assert [next_line(process) for _ in range(4)] == ["1:00\n", "1:01\n", "1:02\n", "1:03\n"]
        process.terminate()


@pytest.mark.usefixtures("running")
def test_one_json_document_a_line(session: FakeSession, bus: Bus) -> None:
    with following("--json") as process:
        assert json.loads(next_line(process))["state"] == "paused"
        session.status = replace(session.status, volume=50)
        bus.publish(PlaybackChanged(session.status))
        assert json.loads(next_line(process))["volume"] == 50
        process.terminate()


@pytest.mark.usefixtures("running")
def test_it_ends_with_the_bar_that_read_it_though_nothing_happens() -> None:
    process = following("--format", "{title}")
    assert process.stdout
    assert process.stderr
    assert next_line(process) == "An episode\n"
    process.stdout.close()
    assert process.wait(20) == 141
    assert process.stderr.read() == ""
    process.stderr.close()


def test_without_an_earmark_it_says_so_once_and_waits(paths: Paths, session: FakeSession, bus: Bus) -> None:
    with following("--format", "{title}") as process:
        assert process.stderr
        assert next_line(process) == "\n"
        assert process.stderr.readline() == "earmark: Earmark isn't running. Start it with: earmark\n"
        server = started(paths, session, bus)
        assert next_line(process) == "An episode\n"
        os.kill(process.pid, signal.SIGINT)
        process.wait(20)
        assert process.stderr.read() == ""
    server.close()

"""The network and the sound output, over the control socket."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from player.events import QuitAsked
from player.integrations.orders import answer
from player.media.available import key_of
from player.media.fetching.broadcast import LiveMedia
from player.paths import Paths
from player.playback.outputs import REMEMBERED_AS, OutputChoice, SoundOutput
from player.player import Player
from player.settings import Playback, Settings
from tests.player.integrations.fake_session import FakeSession


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    made = Player(paths, Settings(playback=Playback(engine="silent")))
    made.open()
    yield made
    made.close()


def ask(player: Player, command: str, **arguments: Any) -> dict[str, Any]:
    line = json.dumps({"command": command, **arguments}).encode()
    return answer(line, FakeSession(), machine=player.services)


def test_offline_and_online_again(player: Player) -> None:
    online = {"on": False, "by_hand": False, "only_here": False}
    assert ask(player, "offline")["offline"] == online
    assert ask(player, "offline", on=True)["offline"] == {"on": True, "by_hand": True, "only_here": False}
    assert ask(player, "offline", on=True, only_here=True)["offline"]["only_here"]
    assert player.network.only_here
    assert ask(player, "offline", on=False, only_here=True)["offline"] == online
    assert not player.network.offline


def test_whoever_runs_it_is_asked_to_quit_and_the_status_says_what_runs(player: Player) -> None:
    asked: list[QuitAsked] = []
    player.bus.subscribe(QuitAsked, asked.append)
    status = ask(player, "status")["status"]
    assert (status["runs_in"], status["pid"]) == ("app", os.getpid())
    assert datetime.fromisoformat(status["since"]) <= datetime.now(UTC)
    assert not ask(player, "quit", now=True)["ok"]
    assert asked == []
    assert ask(player, "quit")["ok"]
    assert asked == [QuitAsked()]


def test_the_answer_to_quit_says_what_played_before_it(player: Player) -> None:
    session = FakeSession()
    session.toggle()

    def stop(_asked: QuitAsked) -> None:
        session.stop()

    player.bus.subscribe(QuitAsked, stop)
    assert answer(b'{"command": "quit"}', session, machine=player.services)["status"]["state"] == "playing"
    assert answer(b'{"command": "status"}', session)["status"]["state"] == "stopped"


def test_an_output_is_chosen_and_outlasts_this_run(player: Player) -> None:
    assert ask(player, "output")["output"] == {"output": "", "device": "", "title": ""}
    asked = {"output": "pulse", "device": "headset", "title": "Phones"}
    assert ask(player, "output", **asked)["output"] == asked
    later = OutputChoice(SoundOutput())
    later.restore(player.library.state.get(REMEMBERED_AS))
    assert player.output.now == later.now == SoundOutput("pulse", "headset")


@pytest.mark.parametrize(
    ("command", "arguments", "problem"),
    [
        ("offline", {"on": 1}, "on must be true or false"),
        ("offline", {"only_here": True}, "on must be true or false"),
        ("offline", {"on": True, "only_here": "x"}, "only_here must be true or false"),
        ("offline", {"off": True}, "Unknown argument"),
        ("output", {"output": 3}, "output must be a name"),
        ("output", {"device": "x" * 501}, "device must be a name"),
        ("sing", {}, "sleep, offline, output, quit, run, open, recent, sync, follow."),
    ],
)
def test_what_is_malformed_changes_nothing(
    player: Player, command: str, arguments: dict[str, Any], problem: str
) -> None:
    asked = ask(player, command, **arguments)
    assert not asked["ok"]
    assert problem in asked["error"]
    assert player.output.now == SoundOutput()
    assert not player.network.offline


def test_of_a_live_stream_the_last_minutes_are_kept_for_who_asks(player: Player) -> None:
    assert ask(player, "recent")["error"] == "No live stream is playing."
    session = FakeSession()
    session.status = replace(session.status, live=True)
    real, player.services.session = player.services.session, session
    refused = ask(player, "recent")["error"]
    assert refused == "Nothing is kept of this stream. Only MP3 and AAC streams can be clipped."
    media, episode = player.services.media, session.status.episode
    assert episode is not None
    live = LiveMedia("http://127.0.0.1:9/live", media.network, media.login, lambda: "")
    media._on_air[key_of(episode)] = live
    live.recent.add("ogg", b"OggS")
    assert ask(player, "recent")["error"] == refused
    live.recent.add("mp3", b"first, ")
    live.recent.add("mp3", b"last")
    found = ask(player, "recent")["recent"]
    assert found["format"] == "mp3"
    assert Path(found["file"]).read_bytes() == b"first, last"
    assert Path(found["file"]).stat().st_mode & 0o777 == 0o600
    media.make_room(everything=True)
    assert not Path(found["file"]).exists()
    player.services.session = real

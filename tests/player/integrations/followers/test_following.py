"""A connection that follows gets the status, then each event once, in order, and never holds anybody up."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from msgspec.structs import replace

from player.events import Bus, Cause, LibraryChanged, Notice, Paused, PlaybackChanged, QueueChanged, Seeked
from player.integrations import control_socket, followers
from player.integrations.control_socket import LINE_LIMIT, ControlServer
from player.integrations.followers import MOST_FOLLOWERS, Followers
from player.model.episode import Chapter, Chapters, EpisodeId
from player.model.playback import PlaybackState
from tests.player.integrations.fake_session import FakeSession

SEVEN = EpisodeId(7)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "control.sock"


@pytest.fixture
def server(path: Path, session: FakeSession, bus: Bus) -> Iterator[ControlServer]:
    running = ControlServer(path, session, followers=Followers(bus, session))
    running.start()
    yield running
    running.close()


class Client:
    """`with Client(path) as client: client.ask(command="follow"); client.next()`."""

    def __init__(self, path: Path) -> None:
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.connection.settimeout(20)
        self.connection.connect(str(path))
        self._lines: IO[bytes] = self.connection.makefile("rb")

    def send(self, **request: Any) -> None:
        self.connection.sendall(json.dumps(request).encode() + b"\n")

    def next(self) -> dict[str, Any]:
        line = self._lines.readline()
        assert line, "the server hung up"
        document: dict[str, Any] = json.loads(line)
        return document

    def ask(self, **request: Any) -> dict[str, Any]:
        self.send(**request)
        return self.next()

    def rest(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._lines]

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_error: object) -> None:
        self._lines.close()
        self.connection.close()


@pytest.mark.usefixtures("server")
def test_a_follower_gets_the_status_and_then_what_happens_in_order(path: Path, bus: Bus, session: FakeSession) -> None:
    with Client(path) as client:
        first = client.ask(command="follow", id="a")
        assert (first["ok"], first["protocol"], first["id"], first["kind"]) == (True, 1, "a", "status")
        assert first["status"]["episode"]["id"] == 7
        bus.publish(Paused(SEVEN, 61_000, Cause.PERSON))
        bus.publish(Seeked(SEVEN, 61_000, 30_000, Cause.PERSON))
        bus.publish(QueueChanged(Cause.RULE))
        paused, seeked, queue = client.next(), client.next(), client.next()
    assert paused["kind"] == "paused"
    assert {name: paused[name] for name in ("episode_id", "position_ms", "cause")} == {
        "episode_id": 7, "position_ms": 61_000, "cause": "person",
    }  # fmt: skip
    assert paused["at"].endswith("Z")
    assert paused["status"]["state"] == "paused"
    assert (seeked["kind"], seeked["from_ms"], seeked["to_ms"]) == ("seeked", 61_000, 30_000)
    assert (queue["kind"], queue["cause"]) == ("queue", "rule")


@pytest.mark.usefixtures("server")
def test_only_the_kinds_that_were_asked_for_come(path: Path, bus: Bus) -> None:
    with Client(path) as client:
        client.ask(command="follow", events=["seeked", "notice"])
        bus.publish(Paused(SEVEN, 0, Cause.PERSON))
        bus.publish(Notice("Something"))
        assert client.next()["kind"] == "notice"


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        (["pause"], "Did you mean “paused”?"),
        ([], "must be a list"),
        ("paused", "must be a list"),
        ([1], "must be a list"),
    ],
)
def test_an_unknown_kind_is_refused_and_the_connection_goes_on(path: Path, events: object, sentence: str) -> None:
    with Client(path) as client:
        refused = client.ask(command="follow", events=events, id=3)
        assert (refused["ok"], refused["id"]) == (False, 3)
        assert sentence in refused["error"]
        assert client.ask(command="status")["ok"] is True


@pytest.mark.usefixtures("server")
def test_every_answer_has_the_protocol_and_the_id_of_its_request(path: Path) -> None:
    with Client(path) as client:
        assert client.ask(command="status", id=12)["id"] == 12
        assert client.ask(command="status")["protocol"] == 1
        refused = client.ask(command="nonsense", id="x")
        assert (refused["protocol"], refused["id"]) == (1, "x")
        assert "id must be" in client.ask(command="status", id=[1])["error"]
        assert "id must be" in client.ask(command="status", id="x" * 101)["error"]


@pytest.mark.usefixtures("server")
def test_commands_are_answered_on_the_same_connection(path: Path, bus: Bus, session: FakeSession) -> None:
    with Client(path) as client:
        client.send(command="follow")
        client.send(command="pause", id=1)
        assert client.next()["kind"] == "status"
        answer = client.next()
        assert (answer["ok"], answer["id"], "kind" in answer) == (True, 1, False)
        assert session.commands == [("pause", 0)]
        assert "already follows" in client.ask(command="follow")["error"]
        bus.publish(Notice("Here"))
        assert client.next()["text"] == "Here"


@pytest.mark.usefixtures("server")
def test_one_that_has_no_more_to_say_still_follows(path: Path, bus: Bus) -> None:
    with Client(path) as client:
        client.ask(command="follow")
        client.connection.shutdown(socket.SHUT_WR)
        bus.publish(Notice("Here"))
        assert client.next()["text"] == "Here"


@pytest.mark.usefixtures("server")
def test_changes_of_the_status_are_told_and_a_position_that_advances_is_not(
    path: Path, bus: Bus, session: FakeSession
) -> None:
    session.chapters = Chapters((Chapter(0, "One"), Chapter(65_000, "Two")))
    playing = replace(session.status, state=PlaybackState.PLAYING, measured_at=100.0)
    with Client(path) as client:
        first = client.ask(command="follow")
        assert first["status"]["chapter"] == {
            "title": "One", "number": 1, "count": 2, "start_ms": 0, "end_ms": 65_000,
        }  # fmt: skip

        def now(**changes: Any) -> None:
            session.status = replace(session.status, **changes)
            bus.publish(PlaybackChanged(session.status))

        session.status = playing
        now(measured_at=100.5, position_ms=60_500)
        assert client.next()["kind"] == "status"
        now(measured_at=101.0, position_ms=61_000)
        now(measured_at=102.0, position_ms=62_100)
        now(measured_at=103.0, position_ms=63_000, volume=50)
        volume = client.next()
        assert (volume["kind"], volume["volume"]) == ("volume", 50)
        assert client.next()["kind"] == "status"
        now(measured_at=105.5, position_ms=65_500)
        chapter = client.next()
        assert (chapter["kind"], chapter["title"], chapter["episode_id"]) == ("chapter", "Two", 7)
        assert client.next()["kind"] == "status"
        now(measured_at=106.0, position_ms=80_000)
        assert client.next()["kind"] == "status", "a client's clock would be wrong"


@pytest.mark.usefixtures("server")
def test_followers_have_a_limit_of_their_own(path: Path, bus: Bus) -> None:
    clients = [Client(path) for _ in range(MOST_FOLLOWERS)]
    for client in clients:
        assert client.ask(command="follow")["ok"] is True
    with Client(path) as late:
        assert "Too many connections follow" in late.ask(command="follow")["error"]
        assert late.ask(command="status")["ok"] is True
        clients.pop().__exit__()
        until = time.monotonic() + 20
        while not late.ask(command="follow")["ok"]:
            assert time.monotonic() < until, "the place of one that went away was never free"
    beside = [Client(path) for _ in range(32)]
    for client in beside:
        assert client.ask(command="status")["ok"] is True, "followers take no client's place"
    for client in (*clients, *beside):
        client.__exit__()


@pytest.mark.usefixtures("server")
def test_a_slow_follower_holds_nobody_up_and_is_told_at_last(path: Path, bus: Bus) -> None:
    text = "x" * 10_000
    with Client(path) as slow, Client(path) as quick:
        slow.ask(command="follow")
        quick.ask(command="follow", events=["notice"])
        for number in range(1_000):
            bus.publish(Notice(f"{number} {text}"))
            assert quick.next()["text"].startswith(f"{number} ")
        bus.publish(Notice("the last"))
        assert quick.next()["text"] == "the last"
        got = slow.rest()
    assert got[-1]["kind"] == "too_slow"
    assert "Connect again" in got[-1]["error"]
    numbers = [int(one["text"].split()[0]) for one in got[:-1]]
    assert numbers == list(range(len(numbers))), "what came, came in order and without a gap"
    assert len(numbers) < 1_000


@pytest.mark.usefixtures("server")
def test_publishing_waits_for_no_follower(path: Path, bus: Bus) -> None:
    with Client(path) as slow:
        slow.ask(command="follow")
        began, threads = time.process_time(), threading.active_count()
        for number in range(3_000):
            bus.publish(Notice(f"{number}"))
        assert time.process_time() - began < 5
        assert threading.active_count() < threads + 20
        assert slow.rest()[-1]["kind"] == "too_slow"


@pytest.mark.usefixtures("server")
def test_while_nobody_follows_nothing_is_listened_to(path: Path, bus: Bus) -> None:
    with Client(path) as client:
        client.ask(command="follow")
        assert len(bus._handlers) == 1
    until = time.monotonic() + 20
    while bus._handlers:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_an_idle_follower_gets_a_sign_of_life(path: Path, bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followers, "HEARTBEAT_S", 0.05)
    session = FakeSession()
    server = ControlServer(path, session, followers=Followers(bus, session))
    server.start()
    with Client(path) as client:
        client.ask(command="follow", events=["seeked"])
        assert client.next()["kind"] == "alive"
        assert client.next()["kind"] == "alive"
        server.close()


def test_at_the_end_all_is_written_and_the_last_line_says_so(path: Path, bus: Bus) -> None:
    session = FakeSession()
    server = ControlServer(path, session, followers=Followers(bus, session))
    server.start()
    with Client(path) as client:
        client.ask(command="follow")
        bus.publish(Notice("before the end"))
        server.close()
        assert [one["kind"] for one in client.rest()] == ["notice", "quit"]
    assert not [one for one in threading.enumerate() if one.name.startswith(("earmark-control", "earmark-command"))]


@pytest.mark.usefixtures("server")
def test_followers_have_no_threads(path: Path, bus: Bus) -> None:
    with Client(path) as first:
        first.ask(command="follow")
        before = threading.active_count()
        clients = [Client(path) for _ in range(MOST_FOLLOWERS - 1)]
        for client in clients:
            assert client.ask(command="follow")["ok"] is True
        assert threading.active_count() <= before
        bus.publish(Notice("Here"))
        for client in (first, *clients):
            assert client.next()["text"] == "Here"
        for client in clients:
            client.__exit__()


@pytest.mark.usefixtures("server")
def test_a_follower_that_sends_a_line_without_an_end_is_told_and_cut_off(path: Path) -> None:
    with Client(path) as client:
        client.ask(command="follow")
        client.connection.sendall(b"x" * (LINE_LIMIT + 1))
        assert "too long" in client.rest()[-1]["error"]


def test_a_follower_that_never_reads_its_last_line_is_given_up(
    path: Path, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_socket, "_IDLE_S", 0.1)
    followers = Followers(bus, FakeSession())
    server = ControlServer(path, FakeSession(), followers=followers)
    server.start()
    with Client(path) as deaf:
        deaf.ask(command="follow")
        until = time.monotonic() + 20
        while len(followers):
            bus.publish(Notice("x" * 10_000))
            assert time.monotonic() < until, "it still has its place"
        server.close()


@pytest.mark.usefixtures("server")
def test_when_more_happens_than_can_be_told_all_are_cut_off(
    path: Path, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followers, "_MOST_WAITING", 0)
    with Client(path) as client:
        client.ask(command="follow")
        bus.publish(Notice("lost"))
        monkeypatch.setattr(followers, "_MOST_WAITING", 10)
        bus.publish(LibraryChanged())
        bus.publish(Notice("after it"))
        assert [one["kind"] for one in client.rest()] == ["too_slow"]

"""The socket itself: private, patient, and hard to upset."""

import contextlib
import errno
import itertools
import json
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from player.errors import ControlError
from player.integrations import client, control_socket
from player.integrations.client import request
from player.integrations.control_socket import LINE_LIMIT, ControlServer
from tests.player.integrations.fake_session import FakeSession


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "control.sock"


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


@pytest.fixture
def server(path: Path, session: FakeSession) -> Iterator[ControlServer]:
    running = ControlServer(path, session)
    running.start()
    yield running
    running.close()


def connected(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(10)
    connection.connect(str(path))
    return connection


def read_reply(connection: socket.socket) -> dict[str, Any]:
    received = b""
    while not received.endswith(b"\n"):
        part = connection.recv(65536)
        assert part, "the server hung up"
        received += part
    reply: dict[str, Any] = json.loads(received)
    return reply


@pytest.mark.usefixtures("server")
def test_an_order_reaches_the_session_and_its_effect_comes_back(path: Path, session: FakeSession) -> None:
    assert request(path, "seek", by_ms=-15_000)["status"]["position_ms"] == 45_000
    assert session.commands == [("seek_by", -15_000)]


@pytest.mark.usefixtures("server")
def test_a_refusal_is_the_sessions_own_sentence(path: Path) -> None:
    with pytest.raises(ControlError, match=r"speed must be a number between 0\.5 and 3"):
        request(path, "speed", speed=9)


@pytest.mark.parametrize("offline", [True, False])
def test_the_status_says_whether_earmark_is_offline(path: Path, session: FakeSession, offline: bool) -> None:
    server = ControlServer(path, session, offline=lambda: offline)
    server.start()
    try:
        assert request(path, "status")["status"]["offline"] is offline
    finally:
        server.close()


@pytest.mark.usefixtures("server")
def test_only_its_owner_can_reach_it(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_folder_that_others_could_read_is_closed_to_them(path: Path, session: FakeSession) -> None:
    path.parent.mkdir(mode=0o755)
    server = ControlServer(path, session)
    server.start()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    server.close()


@pytest.mark.usefixtures("server")
def test_one_connection_may_ask_many_times_in_pieces_and_at_once(path: Path) -> None:
    with connected(path) as connection:
        connection.sendall(b'{"command": "pa')
        connection.sendall(b'use"}\n')
        assert read_reply(connection)["status"]["state"] == "paused"
        connection.sendall(b'{"command": "resume"}\n{"command": "status"}\n')
        with connection.makefile("rb") as lines:
            assert [json.loads(next(lines))["status"]["state"] for _ in range(2)] == ["playing", "playing"]


@pytest.mark.usefixtures("server")
def test_a_last_line_needs_no_newline(path: Path) -> None:
    with connected(path) as connection:
        connection.sendall(b'{"command": "status"}')
        connection.shutdown(socket.SHUT_WR)
        assert read_reply(connection)["ok"] is True


@pytest.mark.usefixtures("server")
def test_nonsense_is_answered_and_the_connection_goes_on(path: Path) -> None:
    with connected(path) as connection:
        for line in (b"\n", b"what\n", b"\xff\n", b'{"command": "explode"}\n'):
            connection.sendall(line)
            assert read_reply(connection)["ok"] is False
        connection.sendall(b'{"command": "status"}\n')
        assert read_reply(connection)["ok"] is True


@pytest.mark.usefixtures("server")
def test_a_line_without_an_end_is_refused(path: Path) -> None:
    with connected(path) as connection:
        connection.sendall(b"x" * (LINE_LIMIT + 1))
        assert "too long" in read_reply(connection)["error"]
    assert request(path, "status")["ok"] is True


@pytest.mark.usefixtures("server")
def test_slow_clients_keep_nobody_waiting(path: Path) -> None:
    slow = [connected(path) for _ in range(8)]
    for connection in slow:
        connection.sendall(b'{"command": ')
    assert request(path, "status")["ok"] is True, "in a fraction of the time that a client is waited for"
    for connection in slow:
        connection.sendall(b'"status"}\n')
        assert read_reply(connection)["ok"] is True
        connection.close()


def test_a_command_that_takes_long_holds_up_no_other_client(
    path: Path, session: FakeSession, server: ControlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on = threading.Event(), threading.Event()
    pause = session.pause

    def slow_pause() -> Any:
        begun.set()
        goes_on.wait(20)
        return pause()

    monkeypatch.setattr(session, "pause", slow_pause)
    with connected(path) as slow:
        slow.sendall(b'{"command": "pause", "id": 1}\n{"command": "status", "id": 2}\n')
        assert begun.wait(20)
        for _ in range(40):
            assert request(path, "status")["ok"] is True
        goes_on.set()
        with slow.makefile("rb") as lines:
            assert [json.loads(next(lines))["id"] for _ in range(2)] == [1, 2], "each in its turn"


@pytest.mark.usefixtures("server")
def test_clients_that_say_nothing_have_no_threads(path: Path) -> None:
    assert request(path, "status")["ok"] is True
    before = threading.active_count()
    silent = [connected(path) for _ in range(30)]
    for connection in silent:
        connection.sendall(b'{"command": "status"}\n')
        assert read_reply(connection)["ok"] is True
    assert threading.active_count() < before + 10, "other work of this process may have begun meanwhile"
    for connection in silent:
        connection.close()


def test_a_client_that_is_idle_for_long_is_hung_up_on(
    path: Path, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_socket, "_IDLE_S", 0.05)
    server = ControlServer(path, session)
    server.start()
    try:
        with connected(path) as idle, connected(path) as deaf:
            idle.sendall(b'{"command": "status"}\n{"comm')
            assert read_reply(idle)["ok"] is True
            assert idle.recv(1) == b""
            deaf.settimeout(20)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                while True:
                    deaf.sendall(b'{"command": "status"}\n' * 1000)
    finally:
        server.close()


@pytest.mark.usefixtures("server")
def test_a_crowd_is_turned_away_with_a_sentence(path: Path) -> None:
    crowd = [connected(path) for _ in range(32)]
    for connection in crowd:
        connection.sendall(b'{"command": "status"}\n')
        assert read_reply(connection)["ok"] is True
    with connected(path) as late:
        assert "Too many" in read_reply(late)["error"]
    for connection in crowd:
        connection.close()


@pytest.mark.usefixtures("server")
def test_a_client_that_goes_away_in_the_middle_is_forgotten(path: Path) -> None:
    for _ in range(40):
        with connected(path) as connection:
            connection.sendall(b'{"command": "status"}\n' * 3)
    deadline = time.monotonic() + 10
    while True:
        try:
            assert request(path, "status")["ok"] is True
            break
        except ControlError:
            assert time.monotonic() < deadline


@pytest.mark.usefixtures("server")
def test_a_session_that_fails_is_no_end(path: Path, session: FakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(session, "pause", broken)
    with pytest.raises(ControlError, match="Something went wrong inside Earmark"):
        request(path, "pause")
    assert request(path, "status")["ok"] is True


def test_after_closing_the_socket_is_gone_and_all_threads_have_ended(
    path: Path, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_socket, "_JOIN_S", 60.0)
    server = ControlServer(path, session)
    server.close()
    server.start()
    idle = connected(path)
    idle.sendall(b'{"command": "status"}\n')
    read_reply(idle)
    began = time.monotonic()
    server.close()
    assert time.monotonic() - began < 30, "it waits for nobody who has nothing to say"
    server.close()
    assert not path.exists()
    assert idle.recv(1) == b""
    idle.close()
    assert not [
        thread for thread in threading.enumerate() if thread.name.startswith(("earmark-control", "earmark-command"))
    ]


def test_an_order_that_ends_the_program_is_still_answered(
    path: Path, session: FakeSession, server: ControlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`earmark stop` ends `earmark play`, which closes the socket that the answer goes through."""
    closing = threading.Thread(target=server.close)
    stop = session.stop

    def stop_and_close() -> None:
        closing.start()
        while path.exists():
            time.sleep(0.001)
        stop()

    monkeypatch.setattr(session, "stop", stop_and_close)
    assert request(path, "stop")["status"]["state"] == "stopped"
    closing.join()


def test_a_client_that_reads_nothing_does_not_hold_the_end_up(
    path: Path, server: ControlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.integrations.control_socket._JOIN_S", 0.2)
    with connected(path) as deaf:
        deaf.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                deaf.send(b'{"command": "status"}\n' * 1000)
        started = time.monotonic()
        server.close()
        assert time.monotonic() - started < 20


def test_a_socket_left_behind_by_a_crash_is_replaced(path: Path, session: FakeSession) -> None:
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with pytest.raises(ControlError, match="Earmark isn't running"):
        request(path, "status")
    server = ControlServer(path, session)
    server.start()
    assert request(path, "status")["ok"] is True
    server.close()


@pytest.mark.usefixtures("server")
def test_a_socket_that_somebody_answers_is_left_alone(path: Path) -> None:
    with pytest.raises(ControlError, match="Another Earmark"):
        ControlServer(path, FakeSession()).start()
    assert request(path, "status")["ok"] is True


def test_a_file_that_is_no_socket_is_left_alone(path: Path, session: FakeSession) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_text("mine")
    with pytest.raises(ControlError, match="isn't a socket"):
        ControlServer(path, session).start()
    assert path.read_text() == "mine"


def test_a_folder_that_is_a_link_is_not_trusted(path: Path, session: FakeSession, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    path.parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ControlError, match="isn't a folder of yours"):
        ControlServer(path, session).start()


def test_a_path_too_long_for_a_socket_is_a_sentence_on_both_sides(tmp_path: Path, session: FakeSession) -> None:
    path = tmp_path / ("x" * 100) / "control.sock"
    with pytest.raises(ControlError, match="path is too long"):
        ControlServer(path, session).start()
    with pytest.raises(ControlError, match="path is too long"):
        request(path, "status")


# -- the client's side ----------------------------------------------------------------------------------------


def test_with_none_running_the_client_says_how_to_start_one(path: Path) -> None:
    with pytest.raises(ControlError) as refused:
        request(path, "status")
    assert str(refused.value) == "Earmark isn't running. Start it with: earmark"


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (b"", "quit before it answered"),
        (b"what?\n", "unreadable answer"),
        (b"[]\n", "unreadable answer"),
        (b'{"ok": false}\n', "without giving a reason"),
        (b'{"ok": false, "error": "No."}\n', "No."),
    ],
)
def test_an_answer_that_is_none_is_a_sentence(tmp_path: Path, reply: bytes, sentence: str) -> None:
    path = tmp_path / "odd.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(reply)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(ControlError, match=sentence):
            request(path, "status")
        thread.join()


def test_no_answer_in_time_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "TIMEOUT_S", 0.05)
    path = tmp_path / "deaf.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        with pytest.raises(ControlError, match="isn't responding"):
            request(path, "status")


@pytest.mark.usefixtures("server")
def test_other_languages_than_python_can_ask(path: Path) -> None:
    script = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
        's.sendall(b\'{"command":"status"}\\n\'); print(s.recv(9999).decode())'
    )
    done = subprocess.run([sys.executable, "-S", "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["status"]["volume"] == 100


def test_without_descriptors_left_it_rests_tells_it_once_and_hears_the_client_later(
    path: Path, session: FakeSession, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(control_socket, "_REST_S", 0.01)
    tries: list[float] = []

    class Exhausted(socket.socket):
        def accept(self) -> tuple[socket.socket, Any]:
            tries.append(time.monotonic())
            if len(tries) <= 5:
                raise OSError(errno.EMFILE, "Too many open files")
            return super().accept()

    path.parent.mkdir(mode=0o700)
    listener = Exhausted(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen()
    server = ControlServer(path, session)
    server.start(listener)
    try:
        assert request(path, "status")["ok"]
    finally:
        server.close()
    assert all(later - earlier >= 0.01 for earlier, later in itertools.pairwise(tries[:6]))
    assert [record.message for record in caplog.records] == ["clients of the control socket have to wait"]

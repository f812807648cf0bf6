"""Whatever answers at the control socket, a command ends in time and with one plain sentence."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from player.integrations import client
from player.paths import Paths
from tests.player.integrations.test_answer_check import an_answer
from tests.quick import LONG
from tests.tui.cli.conftest import Earmark
from tui.cli import status_follower

COMMANDS = (
    ("status",), ("status", "--json"), ("status", "--format", "{title}"), ("status", "--quiet", "--format", "{title}"),
    ("toggle",), ("pause",), ("resume",), ("stop",), ("next",), ("seek", "+30"), ("speed", "1.5"), ("volume", "50"),
    ("sleep",), ("offline",), ("output", "default"), ("run", "refresh_all"), ("quit",),
    ("open", "earmark://show?feed=https%3A%2F%2Fexample.org%2Ffeed"),
    ("queue", "add", "1"), ("queue", "clear"), ("mark", "played", "1"), ("mark", "played"), ("bookmark",), ("undo",),
    ("redo",), ("downloads", "--queue"), ("download", "1"), ("sync", "now"), ("play", "--detach", "1"),
    ("remove", "1", "--yes"),
)  # fmt: skip
"""All that ask the running Earmark and can't do without its answer."""


def changed(**fields: object) -> bytes:
    answer = an_answer("status")
    answer["status"].update(fields)
    return json.dumps(answer).encode() + b"\n"


ODD = {
    "no object": b"[]\n",
    "null": b"null\n",
    "a refusal without a sentence": b'{"ok": false, "error": [1]}\n',
    "nothing but ok": b'{"ok": true}\n',
    "a list as status": b'{"ok": true, "status": []}\n',
    "null as status": b'{"ok": true, "status": null}\n',
    "text as position": changed(position_ms="1:00"),
    "no speed": changed(speed=0),
    "not a number": changed(speed=float("nan")),
    "a list as episode": changed(episode=[7]),
    "an episode without fields": changed(episode={"id": 7}),
    "text as sleep timer": changed(sleep="soon"),
    "depth": b"[" * 200_000 + b"\n",
    "depth inside": b'{"ok": true, "status": ' + b'{"a":' * 200_000 + b"\n",
    "no UTF-8": b'{"ok": true, "status": "\xff\xfe"}\n',
    "half a line": b'{"ok": true, "sta',
    "zeros": bytes(1000) + b"\n",
}


class Odd:
    """Listens at the control socket, and has `says` write to whoever connects."""

    def __init__(self, paths: Paths, says: Callable[[socket.socket], object]) -> None:
        paths.socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._says = says
        self.ending = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(paths.socket))
        self._listener.listen(16)
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while not self.ending.is_set():
                connection, _ = self._listener.accept()
                with connection, suppress(OSError):
                    connection.recv(65536)
                    self._says(connection)

    def close(self) -> None:
        self.ending.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)
        assert not self._thread.is_alive()


Listening = Callable[[Callable[[socket.socket], object]], Odd]


@pytest.fixture
def listening(paths: Paths) -> Iterator[Listening]:
    opened: list[Odd] = []

    def listen(says: Callable[[socket.socket], object]) -> Odd:
        opened.append(Odd(paths, says))
        return opened[-1]

    yield listen
    for one in opened:
        one.close()


def endless(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x" * 65536)


def dripping(odd: list[Odd]) -> Callable[[socket.socket], None]:
    def drip(connection: socket.socket) -> None:
        while not odd[0].ending.wait(0.02):
            connection.sendall(b" ")

    return drip


def assert_a_sentence(code: int, out: str, err: str) -> None:
    assert (code, out.strip()) == (1, ""), err
    assert err.count("\n") == 1
    assert err.startswith("earmark: ")
    assert "Error" not in err, "that is Python's"
    assert "running" in err or "quit before it answered" in err, err


@pytest.mark.parametrize("name", ODD)
def test_other_types_are_one_sentence(earmark: Earmark, listening: Listening, name: str) -> None:
    """Each command meets four of the answers every time."""
    listening(lambda connection: connection.sendall(ODD[name]))
    for command in COMMANDS if LONG else COMMANDS[list(ODD).index(name) % 4 :: 4]:
        ended = earmark(*command)
        assert_a_sentence(ended.code, ended.out, ended.err)


@pytest.mark.parametrize("text", ["{title}", "{state} {position} {left}"])
@pytest.mark.parametrize(
    "name", ["a list as status", "text as position", "depth", "no UTF-8", "an episode without fields"]
)
def test_a_status_bars_line_is_no_traceback(listening: Listening, name: str, text: str) -> None:
    listening(lambda connection: connection.sendall(ODD[name]))
    done = subprocess.run(
        [sys.executable, "-m", "tui", "status", "--quiet", f"--format={text}"], capture_output=True, text=True
    )
    assert_a_sentence(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("way", ["endless", "dripping", "silent"])
def test_the_whole_answer_has_one_deadline(
    earmark: Earmark, listening: Listening, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(client, "TIMEOUT_S", 0.3)
    odd: list[Odd] = []
    says = {
        "endless": endless, "dripping": dripping(odd), "silent": lambda _connection: odd[0].ending.wait(10)
    }[way]  # fmt: skip
    odd.append(listening(says))
    began = time.monotonic()
    ended = earmark("status")
    assert time.monotonic() - began < 5, "a byte now and then keeps nobody waiting"
    assert_a_sentence(ended.code, ended.out, ended.err)


@pytest.mark.parametrize("name", ODD)
def test_following_says_once_what_is_wrong_and_goes_on(
    earmark: Earmark, listening: Listening, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(status_follower, "AGAIN_S", 0.0)
    asked = followed(listening, monkeypatch, lambda connection: connection.sendall(ODD[name]))
    ended = earmark("status", "--follow", "--format", "{title}")
    assert len(asked) >= 3
    assert_a_sentence(1, ended.out, ended.err)


@pytest.mark.parametrize("line", [b'{"ok": true, "kind": "alive"}\n', b""])
def test_following_says_that_no_status_comes(
    earmark: Earmark, listening: Listening, monkeypatch: pytest.MonkeyPatch, line: bytes
) -> None:
    monkeypatch.setattr(status_follower, "AGAIN_S", 0.0)
    monkeypatch.setattr(client, "TIMEOUT_S", 0.2)
    odd: list[Odd] = []

    def say(connection: socket.socket) -> None:
        while not odd[0].ending.wait(0.02):
            connection.sendall(line or b" ")

    followed(listening, monkeypatch, say, odd)
    ended = earmark("status", "--follow", "--format", "{title}")
    assert ended.err == "earmark: Earmark is running but isn't responding. Try again, or restart it.\n"


def test_following_says_it_again_after_a_good_status(
    paths: Paths, listening: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_follower, "AGAIN_S", 0.0)
    shows = threading.Event()
    said: list[str] = []

    def say(connection: socket.socket) -> None:
        connection.sendall(changed())
        assert shows.wait(10)
        shows.clear()
        connection.sendall(ODD["text as position"])

    def shown(status: object) -> str:
        if status is not None:
            shows.set()
        return ""

    followed(listening, monkeypatch, say)
    with pytest.raises(KeyboardInterrupt):
        status_follower.follow(paths.socket, shown, moves=False, complain=said.append)
    assert said == ["The running Earmark sent an unreadable answer. Restart it."] * 3


def followed(
    listening: Listening,
    monkeypatch: pytest.MonkeyPatch,
    says: Callable[[socket.socket], object],
    odd: list[Odd] | None = None,
) -> list[float]:
    """When it connected; the listener presses ctrl+c after the third time."""
    asked: list[float] = []
    connected = client.connected

    def counted(path: object) -> socket.socket:
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(time.monotonic())
        return connected(path)  # type: ignore[arg-type]

    monkeypatch.setattr(client, "connected", counted)
    opened = listening(says)
    if odd is not None:
        odd.append(opened)
    return asked

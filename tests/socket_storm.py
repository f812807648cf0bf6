"""Programs that send what no program should to the control socket, and many of them at once.

`python -m tests.socket_storm SOCKET LINES` sends them, beside 500 connections.
"""

import json
import random
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from player.integrations.control_socket import LINE_LIMIT

_TALKERS = 8
_AT_ONCE = 50
"""Lines that are sent before their answers are read."""

_FOREIGN = (
    b"GET / HTTP/1.1", b"Host: localhost", b"\x16\x03\x01\x02\x00\x01", b"MPD 0.23", b"ping", b"*1\r", b"<?xml?>", b"",
    b"null", b"true", b"[]", b"{}", b'"status"', b"1e999", b"NaN", b"-" * 50, b"9" * 5_000, b"[" * 5_000, b"{" * 500,
    b'{"a":' * 2_000, b'{"command": null}', b'{"command": ["status"]}', b'{"command": "status\\u0000"}',
    b'{"command": "\\ud800"}', b'{"command": "STATUS"}', b'{"command": "__class__"}', b'{"command": "status", "x": 1}',
    b'{"command": "status", "id": {}}', b'{"command": "status", "id": 1e9}', b'{"command": "toggle", "now": true}',
    b'{"command": "seek"}', b'{"command": "seek", "by_ms": "5"}', b'{"command": "seek", "by_ms": NaN}',
    b'{"command": "seek", "to_ms": -1}', b'{"command": "seek", "to_ms": 1e400}', b'{"command": "seek", "by_ms": true}',
    b'{"command": "speed", "speed": 1e308}', b'{"command": "volume", "volume": 9999999999999999999999}',
    b'{"command": "queue", "change": "add", "episodes": [0]}', b'{"command": "queue", "change": "drop table"}',
    b'{"command": "mark", "mark": "starred", "episodes": [-1]}', b'{"command": "remove", "podcast": "1; --"}',
    b'{"command": "follow", "events": []}', b'{"command": "follow", "events": ["*"]}', b'{"command": "follow", "x": 0}',
    b'{"command": "sleep", "until": "minutes"}', b'{"command": "offline", "on": 1}',
    b'{"command": "output", "output": 3}',
)  # fmt: skip


def lines(seed: int) -> Iterator[bytes]:
    """Lines without end, without a newline in them, none of which is a command that can be carried out."""
    chance = random.Random(seed)
    while True:
        line = chance.choice(_FOREIGN)
        kind = chance.random()
        if kind < 0.2:
            line = chance.randbytes(chance.randrange(200)).replace(b"\n", b"")
        elif kind < 0.5 and len(line) > 2:
            line = line[: chance.randrange(1, len(line))]
        elif kind < 0.52:
            line = b'{"command": "' + b"x" * chance.randrange(1_000, LINE_LIMIT - 100) + b'"}'
        if not _would_act(line):
            yield line


def _would_act(line: bytes) -> bool:
    """A line that was cut, or random, may be a command after all."""
    with suppress(ValueError, RecursionError):
        asked = json.loads(line)
        return isinstance(asked, dict) and asked in ({"command": "status"}, {"command": "follow"})
    return False


def send_lines(path: Path, count: int, seed: int) -> int:
    """Sends so many lines over one connection after another; how many were answered. Raises AssertionError when one
    was carried out."""
    source, answered, sent = lines(seed), 0, 0
    while sent < count:
        with _connection(path) as connection, connection.makefile("rb") as answers, suppress(OSError):
            while sent < count:
                part = [next(source) for _ in range(min(_AT_ONCE, count - sent))]
                connection.sendall(b"".join(line + b"\n" for line in part))
                sent += len(part)
                for _line in part:
                    answer = answers.readline()
                    if not answer:
                        raise BrokenPipeError
                    reply = json.loads(answer)
                    if "Too many" in reply.get("error", ""):
                        sent -= len(part)
                        raise BrokenPipeError
                    assert reply["ok"] is False, f"one of {part} was carried out: {reply}"
                    answered += 1
    return answered


@contextmanager
def storm(path: Path, *, count: int, crowd: int, seed: int = 1) -> Iterator[list[int]]:
    """While this lasts, `crowd` connections are held open and `count` lines are sent. Yields a list that has the number
    of answered lines of each sender at the end; it is over when all lines are sent, and the server has room again for
    another client."""
    answered: list[int] = []
    stop = threading.Event()

    def crowding() -> None:
        while not stop.is_set():
            held = []
            for number in range(crowd):
                with suppress(OSError):
                    held.append(_connection(path))
                    held[-1].sendall(_FOREIGN[number % len(_FOREIGN)])
            for one in held:
                one.close()
            stop.wait(0.2)

    def sending(number: int) -> None:
        found = 0
        try:
            found = send_lines(path, count // _TALKERS, seed * 100 + number)
        finally:
            answered.append(found)

    senders = [threading.Thread(target=sending, args=(number,)) for number in range(_TALKERS)]
    crowds = threading.Thread(target=crowding)
    for thread in (*senders, crowds):
        thread.start()
    try:
        yield answered
    finally:
        for thread in senders:
            thread.join()
        stop.set()
        crowds.join()
        until = time.monotonic() + 30
        while _turns_away(path):
            assert time.monotonic() < until
            time.sleep(0.005)


def _connection(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(30)
    until = time.monotonic() + 30
    while True:
        try:
            connection.connect(str(path))
            return connection
        except BlockingIOError:  # So many wait to be let in.
            assert time.monotonic() < until
            time.sleep(0.005)


def _turns_away(path: Path) -> bool:
    """Whether it turned somebody away who came after the crowd; else, once it has taken leave of them."""
    with _connection(path) as newcomer, newcomer.makefile("rb") as answers, suppress(OSError):
        newcomer.sendall(b'{"command": "status"}\n')
        newcomer.shutdown(socket.SHUT_WR)
        return b"Too many" in answers.read()
    return True


if __name__ == "__main__":
    with storm(Path(sys.argv[1]), count=int(sys.argv[2]), crowd=500):
        pass

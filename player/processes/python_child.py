"""The one way to start another Python: nothing of the working folder is ever on its path.

A `Child` is one that is talked to: frames (byte strings with their length before them) go both ways over a socket that
is its standard input and output. Its input ends when its parent does, however that happens.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import player

if TYPE_CHECKING:
    from subprocess import Popen

_ROOT = str(Path(player.__file__).parent.parent)
_LENGTH = struct.Struct("<Q")


def command(*arguments: str) -> list[str]:
    """Python with these arguments (`-m`, a module), for a process with `environment`. `-P` leaves out the working
    folder, because a `vlc.py` or `player` there would be imported."""
    return [sys.executable, "-P", *arguments]


def lone_script(file: Path, *arguments: str) -> list[str]:
    """Python with a script that imports only the standard library: no packages, and no settings from the
    environment."""
    return [sys.executable, "-I", "-S", "-X", "utf8", str(file), *arguments]


def environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment with this Earmark first on the path. Empty or relative entries of PYTHONPATH, which mean the
    working folder or a folder below it, are left out."""
    environ = os.environ if environ is None else environ
    others = [entry for entry in environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]  # noqa: PTH117
    return {**environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys([_ROOT, *others]))}


def with_pip(*packages: str) -> str:
    """What brings packages to this Earmark, as it is typed in a shell: where it was installed by pipx, for example,
    plain `pip` would bring them elsewhere, and an environment of uv has no pip. Of `earmark[EXTRA]`, both see that the
    rest is here."""
    import shlex
    from importlib.util import find_spec

    python = sys.executable
    installer = [python, "-m", "pip", "install"] if find_spec("pip") else ["uv", "pip", "install", "--python", python]
    return shlex.join([*installer, *packages])


def again(without: str) -> NoReturn:
    """Replaces this process by one that is started with the same arguments, but for that one."""
    words = command(*(one for one in sys.orig_argv[1:] if one != without))
    os.execve(words[0], words, environment())


class Child:
    """A process that runs `words`. One thread talks to it and closes it; any thread may kill it."""

    def __init__(self, words: list[str], environ: Mapping[str, str] | None = None, *, silent: bool = False) -> None:
        """`environ`: replaces this process's environment; `silent`: its standard error is dropped. Raises OSError, with
        nothing left open."""
        import socket  # not at the top, because children import this module and should start soon
        import subprocess

        self._socket, theirs = socket.socketpair()
        try:
            with theirs:
                self.process: Popen[bytes] = subprocess.Popen(
                    words,
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=subprocess.DEVNULL if silent else None,
                    env=environment(environ),
                )
        except BaseException:
            self._socket.close()
            raise

    def send(self, value: bytes, deadline: float = float("inf")) -> None:
        """`deadline` is a `time.monotonic()`. Raises TimeoutError, and another OSError when the child is gone."""
        self.write(_LENGTH.pack(len(value)), deadline)
        self.write(value, deadline)

    def write(self, data: bytes, deadline: float = float("inf")) -> None:
        """Writes without a length in front; raises the same as `send`."""
        rest = memoryview(data)
        while rest:
            self._wait_at_most(deadline)
            rest = rest[self._socket.send(rest) :]

    def receive(self, deadline: float = float("inf"), most: int = sys.maxsize) -> bytearray:
        """The next frame. Raises ValueError if it is to be longer than `most` bytes, EOFError or an OSError when the
        child is gone, TimeoutError."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size, deadline))
        if length > most:
            raise ValueError(f"a frame of {length} bytes")
        return self._read(length, deadline)

    def kill(self) -> None:
        """Kills it without waiting. A thread that waits for a frame gets an EOFError or OSError."""
        self.process.kill()

    def close(self, patience_s: float = 0.0) -> int:
        """Kills the child, unless it ends by itself within that time, and waits until it is gone. Returns the exit
        code."""
        from subprocess import TimeoutExpired

        with suppress(TimeoutExpired):
            self.process.wait(patience_s)
        self.process.kill()
        self._socket.close()
        return self.process.wait()

    def _read(self, count: int, deadline: float) -> bytearray:
        whole = bytearray(count)
        rest = memoryview(whole)
        while rest:
            self._wait_at_most(deadline)
            read = self._socket.recv_into(rest)
            if not read:
                raise EOFError
            rest = rest[read:]
        return whole

    def _wait_at_most(self, deadline: float) -> None:
        if deadline == float("inf"):
            self._socket.settimeout(None)
        elif (left := deadline - time.monotonic()) > 0:
            self._socket.settimeout(left)
        else:
            raise TimeoutError


# -- in the child ---------------------------------------------------------------------------------------------


def talk_to_parent() -> tuple[BinaryIO, BinaryIO]:
    """The frames from the parent, and the frames to it. Anything that a library prints from now on goes to standard
    error, because it would be taken for a frame; processes started from here inherit neither stream."""
    frames = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return frames


def send(stream: BinaryIO, value: bytes | bytearray) -> None:
    stream.write(_LENGTH.pack(len(value)))
    stream.write(value)
    stream.flush()


def receive(stream: BinaryIO) -> bytes:
    """Raises EOFError when the other end is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return body

"""A file and an address that nobody may touch, and who did."""

import ctypes
import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.player.media.hostile import real

_IN_OPEN = 0x20
_EVENT = struct.Struct("iIII")


class Canaries:
    """`touched` says what was opened or connected to, by whatever thread or process."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "canary.mp3"
        self.file.write_bytes(real("mp3"))
        self._touched: list[str] = []
        self._watch = _watched(self.file)
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._door.getsockname()[1]}/"
        threading.Thread(target=self._answer, daemon=True).start()

    @property
    def touched(self) -> list[str]:
        return [*self._touched, *_opened(self._watch)]

    def forget(self) -> None:
        self._touched.clear()
        _opened(self._watch)

    def close(self) -> None:
        self._door.close()
        os.close(self._watch)

    def _answer(self) -> None:
        """With a canary: whoever follows an address is given what he hopes for, so that he follows the next as well."""
        body = real("mp3")
        while True:
            try:
                caller, _ = self._door.accept()
            except OSError:
                return
            with caller, suppress_gone():
                caller.settimeout(5)
                asked = caller.recv(4096).split(b"\r\n")[0].decode(errors="replace")
                self._touched.append(f"the address was asked for {asked!r}")
                head = f"HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: {len(body)}\r\n\r\n"
                caller.sendall(head.encode() + body)


@contextmanager
def suppress_gone() -> Iterator[None]:
    try:
        yield
    except OSError:
        """It has gone away: it was seen."""


def _watched(path: Path) -> int:
    """Watches who opens a file (inotify, Linux's)."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
    assert descriptor >= 0, os.strerror(ctypes.get_errno())
    assert libc.inotify_add_watch(descriptor, os.fsencode(path), _IN_OPEN) >= 0, os.strerror(ctypes.get_errno())
    return descriptor


def _opened(descriptor: int) -> list[str]:
    found: list[str] = []
    while True:
        try:
            data = os.read(descriptor, 4096)
        except BlockingIOError:
            return found
        found += ["the file was opened"] * (len(data) // _EVENT.size)

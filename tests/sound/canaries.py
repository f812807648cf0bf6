"""A file and an address that nobody may touch, and who did."""

import ctypes
import os
import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path

from tests.player.media.hostile import real

_IN_OPEN = 0x20
_EVENT = struct.Struct("iIII")


class FileCanary:
    """A file that Linux tells of when anybody opens it (inotify)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(real("mp3"))
        libc = ctypes.CDLL(None, use_errno=True)
        self._watch = int(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        assert self._watch >= 0, os.strerror(ctypes.get_errno())
        watched = libc.inotify_add_watch(self._watch, os.fsencode(path), _IN_OPEN)
        assert watched >= 0, os.strerror(ctypes.get_errno())

    def opened(self) -> int:
        """How many times since the last call, by whatever thread or process."""
        times = 0
        while True:
            try:
                times += len(os.read(self._watch, 4096)) // _EVENT.size
            except BlockingIOError:
                return times

    def close(self) -> None:
        os.close(self._watch)


class Canaries:
    """`touched` says what was opened or connected to, by whatever thread or process."""

    def __init__(self, folder: Path) -> None:
        self._file = FileCanary(folder / "canary.mp3")
        self.file = self._file.path
        self._touched: list[str] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._door.getsockname()[1]}/"
        threading.Thread(target=self._answer, daemon=True).start()

    @property
    def touched(self) -> list[str]:
        self._touched += ["the file was opened"] * self._file.opened()
        return list(self._touched)

    def forget(self) -> None:
        self._touched.clear()
        self._file.opened()

    def close(self) -> None:
        self._door.close()
        self._file.close()

    def _answer(self) -> None:
        """With a canary: whoever follows an address is given what he hopes for, so that he follows the next as well."""
        body = real("mp3")
        while True:
            try:
                caller, _ = self._door.accept()
            except OSError:
                return
            with caller, suppress(OSError):
                caller.settimeout(5)
                asked = caller.recv(4096).split(b"\r\n")[0].decode(errors="replace")
                self._touched.append(f"the address was asked for {asked!r}")
                head = f"HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: {len(body)}\r\n\r\n"
                caller.sendall(head.encode() + body)

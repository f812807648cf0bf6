"""A session bus of the test's own."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class SessionBus:
    """At the same address whenever it is started."""

    def __init__(self, folder: Path) -> None:
        self.address = f"unix:path={folder}/bus"
        self._daemon: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self.address}", "--print-address"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._daemon.stdout is not None
        assert self._daemon.stdout.readline()

    def stop(self) -> None:
        if self._daemon is not None:
            self._daemon.kill()
            self._daemon.wait()
            assert self._daemon.stdout is not None
            self._daemon.stdout.close()


@contextmanager
def session_bus() -> Iterator[SessionBus]:
    if shutil.which("dbus-daemon") is None:
        pytest.skip("no dbus-daemon on this machine")
    with tempfile.TemporaryDirectory(prefix="earmark-bus-") as folder:  # a socket's path must be short
        bus = SessionBus(Path(folder))
        bus.start()
        try:
            yield bus
        finally:
            bus.stop()

"""A PulseAudio server of the test's own, with a sink that goes nowhere, and ears on it."""

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

RATE = 48_000
SINK = "earmark_test"
_WAIT_S = 30.0
_NEEDED = ("pulseaudio", "parec", "pactl")


class SoundServer:
    """A running server. `address` is what PULSE_SERVER is to be.

    One recorder listens all the time: a new one gets its first sample after two seconds.
    """

    def __init__(self, address: str, process: "subprocess.Popen[bytes]") -> None:
        self.address = address
        self._process = process
        self._recorder: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._chunks: list[bytes] = []
        self._arrived: list[float] = []
        self._listening = threading.Event()

    def close(self) -> None:
        for process in (self._recorder, self._process):
            if process:
                process.terminate()
                process.wait()

    def die(self) -> None:
        """As if it had crashed."""
        self._process.kill()
        self._process.wait()

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PULSE_SERVER": self.address}

    @contextmanager
    def recording(self) -> "Iterator[Recording]":
        """Hears the sink from here on."""
        assert self._listening.wait(_WAIT_S), "nothing comes from the sound server's monitor"
        with self._lock:
            start = len(self._chunks)
        yield Recording(self, start)

    def heard_since(self, start: int) -> tuple[list[bytes], list[float]]:
        """Chunks of samples from number `start` on, and when each had arrived."""
        with self._lock:
            return self._chunks[start:], self._arrived[start:]

    def listen(self) -> None:
        command = ["parec", f"--device={SINK}.monitor", f"--rate={RATE}", "--channels=1", "--format=s16le", "--raw"]
        self._recorder = subprocess.Popen(
            [*command, "--latency-msec=10"], env=self.environment(), stdout=subprocess.PIPE
        )
        assert self._recorder.stdout
        threading.Thread(target=self._collect, args=(self._recorder.stdout.fileno(),), daemon=True).start()

    def _collect(self, descriptor: int) -> None:
        while data := os.read(descriptor, 9600):
            with self._lock:
                self._arrived.append(time.monotonic())
                self._chunks.append(data)
            self._listening.set()


@dataclass(frozen=True)
class Recording:
    """What came out of the sink, with the moments (time.monotonic) at which it did."""

    server: SoundServer
    start: int

    def samples(self) -> tuple[npt.NDArray[np.float64], float]:
        """All samples (-1 to 1) and the moment of the first one.

        The chunk that arrived with the least delay tells the moment of all: the sink runs on an even clock.
        """
        chunks, arrived = self.server.heard_since(self.start)
        if not chunks:
            return np.zeros(0), time.monotonic()
        ends = np.cumsum([len(chunk) for chunk in chunks]) / 2 / RATE
        first = float(np.min(np.array(arrived) - ends))
        return np.frombuffer(b"".join(chunks), np.int16).astype(np.float64) / 32768, first


@contextmanager
def running_sound_server(folder: Path) -> Iterator[SoundServer]:
    """A server whose socket and settings are in `folder`. Fails the test where PulseAudio isn't installed."""
    if missing := [name for name in _NEEDED if shutil.which(name) is None]:
        pytest.fail(
            f"The sound tests need {', '.join(missing)}: run `make test`, which installs them, or install the packages "
            "pulseaudio and pulseaudio-utils.",
            pytrace=False,
        )
    socket = folder / "native"
    environment = {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "PULSE_RUNTIME_PATH": str(folder)}
    environment.pop("PULSE_SERVER", None)
    log = folder / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
                f"--load=module-null-sink sink_name={SINK} rate={RATE} channels=1 format=s16le",
                # Last: who finds the socket finds the sink.
                f"--load=module-native-protocol-unix socket={socket} auth-anonymous=1",
            ],
            env=environment, stdout=errors, stderr=errors,
        )  # fmt: skip
    server = SoundServer(f"unix:{socket}", process)
    try:
        deadline = time.monotonic() + _WAIT_S
        while not socket.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"PulseAudio doesn't start:\n{log.read_text()}", pytrace=False)
            time.sleep(0.01)
        server.listen()
        yield server
    finally:
        server.close()


@pytest.fixture(scope="session")
def sound_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoundServer]:
    with running_sound_server(tmp_path_factory.mktemp("pulse")) as server:
        yield server


@pytest.fixture
def sound(sound_server: SoundServer, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> SoundServer:
    """libvlc plays into the test's own sound server, from here to the end of the test."""
    monkeypatch.setenv("PULSE_SERVER", sound_server.address)
    return sound_server

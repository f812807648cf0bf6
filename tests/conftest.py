"""Every test lives in a home of its own and reaches nothing outside this machine's loopback."""

import asyncio
import gc
import importlib
import itertools
import os
import re
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from player.library import Library
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.text import regional
from tests import templates
from tests.loopback import LoopbackServer
from tests.processes import is_ours, processes
from tests.quick import LONG, examples

# How long an example takes says something of the machine, and nothing of Earmark. The same examples come every time,
# so that a change is judged by what it changes: few of them every time, many with `make test-long`.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
settings.register_profile("same", _COMMON, derandomize=True, max_examples=examples(100))
settings.register_profile("many", _COMMON, derandomize=True)
settings.register_profile("new", _COMMON)
settings.load_profile(os.environ.get("EARMARK_EXAMPLES", "same"))
if not LONG:
    # Hypothesis reads all modules for constants to try, and would try others after every change of any of them.
    vars(providers)["_get_local_constants"] = lambda: providers._local_constants

# Nothing of what collecting makes goes away before the end; see `pytest_collection_finish`.
gc.disable()

_OURS = {
    "HOME", "EARMARK_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
    "NO_COLOR", "COLORTERM", "PULSE_SERVER", "DBUS_SESSION_BUS_ADDRESS",
    "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
}  # fmt: skip


def _in_memory() -> str | None:
    """Where files are written to memory, if there is enough of it and programs may be run from there."""
    folder = "/dev/shm"
    with suppress(OSError):
        disk = os.statvfs(folder)
        if os.access(folder, os.W_OK) and disk.f_bavail * disk.f_frsize > 1 << 30 and not disk.f_flag & os.ST_NOEXEC:
            return folder
    return None


def pytest_configure() -> None:
    """Temporary files are in memory: a library is written to disk many times in each test, and none has to outlast a
    power cut.

    A shell without job control, or nohup, has what it starts in the background ignore these signals; the commands
    that the tests start would inherit that, and could be interrupted by nobody.
    """
    if "TMPDIR" not in os.environ and (folder := _in_memory()):
        os.environ["TMPDIR"] = tempfile.tempdir = folder
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def pytest_collection(session: pytest.Session) -> None:
    """Each worker imports the tests in an order of its own before they are collected: what one has rewritten for its
    assertions is stored, and the others needn't rewrite it again. That is 12 s of work in a fresh clone."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    begin = len(files) * int(worker.removeprefix("gw")) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for file in files[begin:] + files[:begin]:
        with suppress(Exception):  # collecting will tell
            importlib.import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is heard takes its time: it comes first, the longest before the others, and the many short ones fill what
    is left."""

    def timeout_s(item: pytest.Item) -> float:
        marker = item.get_closest_marker("timeout")
        return float(marker.args[0]) if marker is not None else 0.0

    items.sort(key=lambda one: (not _is_heard(one), -timeout_s(one) if _is_heard(one) else 0.0))


def _is_heard(item: pytest.Item) -> bool:
    return item.get_closest_marker("sound") is not None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Silent tests go behind the others: a sound that waits for a processor is bent by libvlc, and the test would hear
    that."""
    if "PYTEST_XDIST_WORKER" in os.environ and not _is_heard(item) and os.nice(0) == 0:
        os.nice(19)


def pytest_collection_finish() -> None:
    """What was collected stays until the end: the garbage collector needn't look at it again in every test, and what
    one test leaves is little: it may wait."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 10, 10)


def pytest_make_parametrize_id(val: object) -> str | None:
    """A long text's beginning and length, so that a test's name stays short enough to be read and passed around."""
    if isinstance(val, str | bytes) and len(val) > 60:
        beginning = val[:30].encode("unicode_escape").decode() if isinstance(val, str) else ascii(val[:20])[2:-1]
        return f"{beginning}…{len(val)}"
    return None


_numbers = itertools.count()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Stands in for pytest's own, which reads the names of all the folders that were made before. What a test leaves is
    deleted, unless it has failed."""
    path = tmp_path_factory.getbasetemp() / f"{next(_numbers)}-{re.sub(r'[^a-z0-9_]', '-', request.node.name)[:20]}"
    path.mkdir(mode=0o700)
    failed = request.session.testsfailed
    yield path
    if request.session.testsfailed == failed:
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def nothing_plays_on(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fails in the end if a test has left an Earmark that outlives the tests."""
    yield
    deadline = time.monotonic() + 5  # for those that are ending
    while left := {pid: what for pid, what in processes(tmp_path_factory.getbasetemp()).items() if not is_ours(pid)}:
        if time.monotonic() > deadline:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            raise AssertionError(left)
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def new_libraries_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.library.library.migrate", templates.migrate)


@pytest.fixture(autouse=True)
def own_region() -> Iterator[None]:
    """A command that runs in the test's process adopts the locale that the test gives it, for that test alone."""
    restore = regional.use(regional.Region())
    yield
    restore()


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder and an EARMARK_HOME that go with the test; no proxy, no sound server of the tester's."""
    for name in _OURS & os.environ.keys():
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("EARMARK_HOME", str(tmp_path / "earmark"))
    monkeypatch.setenv("LANGUAGE", "en")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    # Programs that a test starts reach nothing outside either: this proxy answers nobody.
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/no-sound-server")
    monkeypatch.setattr("player.net.credentials.system_keyring", lambda: None)
    return home


@pytest.fixture(autouse=True)
def no_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connecting to anything but loopback fails the test at once."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in (
            "127.0.0.1",
            "::1",
            "localhost",
        ):
            raise ConnectionRefusedError(f"a test tried to reach {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def no_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices are looked for nowhere; a test that has some says where."""
    monkeypatch.setattr("player.playback.casting.finding.addresses", lambda: ())


@pytest.fixture
def notices_network() -> None:
    """In a test with this, Earmark notices by itself that the network is gone."""


@pytest.fixture(autouse=True)
def network_stays(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """That nothing but loopback can be reached mustn't take a test's Earmark offline."""
    if "notices_network" not in request.fixturenames:
        monkeypatch.setattr("player.net.connectivity.Connectivity._watch", lambda _self: None)


@pytest.fixture(autouse=True)
def networks_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Closes each network that a test has used and left open: a thread and eight descriptors."""
    used = set()
    running = NetworkLoop._running

    def noted(self: NetworkLoop) -> asyncio.AbstractEventLoop:
        used.add(self)
        return running(self)

    monkeypatch.setattr(NetworkLoop, "_running", noted)
    yield
    for one in used:
        one.close()


@pytest.fixture
def paths() -> Paths:
    return Paths.of()


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    """A new library, open."""
    opened = Library(paths)
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running

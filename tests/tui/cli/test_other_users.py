"""What another user of the machine can reach: nothing of what is Earmark's, not even in folders that everybody may
enter."""

import contextlib
import json
import logging
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.integrations.client import request
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.commands.test_play import HOUR_MS, wav
from tests.tui.cli.conftest import Earmark, feed
from tests.tui.cli.headless.conftest import headless, plays, wait_until

_TRY = """
import contextlib, json, os, socket, sys
user, group, *paths = json.load(sys.stdin)
os.setgroups([])
os.setgid(group)
os.setuid(user)

def connect(path):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20)
        client.connect(path)
        with contextlib.suppress(BrokenPipeError):  # it may have answered already
            client.sendall(b'{"command": "status"}\\n')
        return client.makefile().readline()

def attempts(path):
    if os.path.basename(path) == "control.sock":
        yield "connect", connect
    else:
        yield "read", lambda path: os.listdir(path) if os.path.isdir(path) else open(path, "rb").close()
        yield "write", lambda path: open(path + "/new" if os.path.isdir(path) else path, "ab").close()
    yield "delete", lambda path: os.rename(path, path + ".gone")

done = []
for path in paths:
    for name, attempt in attempts(path):
        try:
            done.append([name, path, attempt(path)])
        except OSError:
            pass
print(json.dumps(done))
"""
"""A process of another user's: what it could do to which of the paths, of all that it isn't to do."""


@pytest.fixture(params=["folders that Earmark makes", "folders that were there"])
def open_home(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An EARMARK_HOME that everybody may enter; so are the folders in it, where those were there before."""
    root = Path(tempfile.mkdtemp(prefix="earmark-test-"))
    monkeypatch.setenv("EARMARK_HOME", str(root))
    before = os.umask(0o022)
    root.chmod(0o755)
    for name in ("data", "config", "cache", "state", "run") if request.param.endswith("there") else ():
        (root / name).mkdir()
    yield root
    os.umask(before)
    shutil.rmtree(root)


@pytest.fixture
def another_user() -> Iterator[tuple[int, int]]:
    """The ids of a user that is made for the test, and of its group."""
    if os.getuid() or not (shutil.which("useradd") and shutil.which("userdel")):
        pytest.skip("only root makes users, with useradd")
    name = f"earmark-{os.getpid()}"
    made = subprocess.run(["useradd", "--system", "--user-group", name], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no user can be made: {made.stderr.strip()}")
    try:
        shown = subprocess.run(["id", "-u", name], capture_output=True, text=True, check=True).stdout
        group = subprocess.run(["id", "-g", name], capture_output=True, text=True, check=True).stdout
        yield int(shown), int(group)
    finally:
        subprocess.run(["userdel", name], capture_output=True, check=True)


def done_by(user: tuple[int, int], *paths: Path) -> list[list[str]]:
    given = json.dumps([*user, *map(str, paths)])
    tried = subprocess.run([sys.executable, "-c", _TRY], input=given, capture_output=True, text=True, check=True)
    done: list[list[str]] = json.loads(tried.stdout)
    return done


@pytest.fixture
def playing(open_home: Path, earmark: Earmark, server: LoopbackServer) -> Iterator[Paths]:
    """A player in the background, with one of everything that Earmark writes."""
    paths, mine = Paths.of(), open_home / "mine"
    mine.mkdir()
    audio = server.audio("/rain.wav", wav(HOUR_MS), "audio/wav")
    address = server.page("/feed", feed("Slow Radio", "Rain", "Snow", audio=audio, duration="1:00:00"))
    for words in (
        ("config", "set", "playback.engine", "silent"),
        ("config", "set", "feeds.refresh_on_start", "false"),
        ("add", address),
        ("download", "Rain"),
        ("bookmark", "Rain", "--at", "1:00"),
        ("search", "rain"),
        ("export", str(mine / "podcasts.opml")),
        ("export", "--all", str(mine / "all.json")),
        ("export", "--markdown", str(mine / "all.md")),
    ):
        assert earmark(*words).code == 0, words
    logging.getLogger().error("something went wrong")
    with headless("Snow") as process:
        wait_until(plays(paths), process)
        yield paths


def test_everything_that_earmark_writes_is_its_owners_alone(playing: Paths, open_home: Path) -> None:
    modes: dict[Path, int] = {}
    for path in open_home.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # the player goes on writing, and renames what it has written
            modes[path] = path.stat().st_mode
    files = {path: mode for path, mode in modes.items() if not stat.S_ISDIR(mode) and not path.name.startswith(".")}
    assert {path.name for path in files} >= {
        "library.db", "library.db-wal", "search.db", "config.toml", "earmark.log", "control.sock", "earmark.lock",
        "all.json", "all.md", "podcasts.opml",
    }  # fmt: skip
    assert any(path.is_relative_to(playing.media) for path in files)
    assert any(path.is_relative_to(playing.data / "episodes") for path in files)
    assert [str(path) for path, mode in sorted(files.items()) if mode & 0o077] == []


def test_another_user_reaches_nothing(playing: Paths, open_home: Path, another_user: tuple[int, int]) -> None:
    other = open_home / "for-all"
    other.write_text("")
    folders = (playing.data, playing.config, playing.cache, playing.state, playing.runtime)
    there = [path for path in open_home.rglob("*") if path not in (other, open_home / "mine", *folders)]
    done = done_by(another_user, other, *there)
    assert ["read", str(other), None] in done, "it is a process that reads what it may"
    assert [(name, path) for name, path, _answer in done if path != str(other)] == []


def test_the_control_socket_refuses_another_user_wherever_it_can_be_reached(
    playing: Paths, another_user: tuple[int, int]
) -> None:
    """As where somebody has opened the folder by hand. Root may talk to it, and the log has one line."""
    playing.runtime.chmod(0o755)
    playing.socket.chmod(0o666)
    for _ in range(3):
        [[name, _path, answer]] = done_by(another_user, playing.socket)
        assert (name, json.loads(answer)["ok"]) == ("connect", False)
        assert json.loads(answer)["error"] == "This Earmark belongs to another user"
        assert "status" not in json.loads(answer)
    assert request(playing.socket, "status")["status"]["state"] == "playing"
    told = [line for line in playing.log.read_text().splitlines() if f"user {another_user[0]} tried" in line]
    assert len(told) == 1

"""Whatever is pressed, clicked and resized, over whatever a feed sends: the app goes on, and quits when told to."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.pty.conftest import silence
from tests.pty.hostile import serve
from tests.pty.levels import Levels
from tests.pty.monkey import Monkey

pytestmark = pytest.mark.pty

LONG_S = float(os.environ.get("EARMARK_MONKEY_S", "600"))
SEED = int(os.environ.get("EARMARK_MONKEY_SEED", "1"))
EVENTS = int(os.environ.get("EARMARK_MONKEY_EVENTS", "400"))
MORE = Levels(resident_kb=100_000, threads=20, files=28)
"""Beyond what there was when each page had been opened once: pools of threads with their connections, and caches. Over
5,000 events at each of the four sizes it was 82,000 kB, 15 threads and 20 files at most."""
_BETWEEN_IMPORTS_S = 60.0
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """No network but loopback, no browser, no clipboard but the terminal's, no keyring."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("browser", "secret-tool"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n" if name == "secret-tool" else "#!/bin/sh\n")
        (programs / name).chmod(0o700)
    return {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "BROWSER": str(programs / "browser"),
        "DISPLAY": "", "WAYLAND_DISPLAY": "", "TMUX": "", "SSH_CONNECTION": "", "PYTHONPATH": str(Path.cwd()),
        "http_proxy": NOWHERE, "https_proxy": NOWHERE, "no_proxy": "127.0.0.1",
    }  # fmt: skip


def listed(server: LoopbackServer, folder: Path, rounds: int) -> Path:
    """A list of hostile feeds, for `earmark import`."""
    addresses = serve(server, server.audio("/tone.wav", silence(600), "audio/wav"), rounds)
    path = folder / "feeds.txt"
    path.write_text("\n".join(addresses))
    return path


def import_feeds(feeds: Path, environ: dict[str, str]) -> None:
    """One of them is gone, so it ends with 1."""
    ended = subprocess.run(
        [sys.executable, "-m", "tui", "import", str(feeds)], env=os.environ | environ, capture_output=True, text=True
    )
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr + ended.stdout
    assert "inside Earmark" not in ended.stderr


@contextmanager
def in_order(paths: Paths) -> Iterator[None]:
    """Nothing is left behind but a library that is whole, and a log without a traceback."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{error}\n{_log(paths)[-20_000:]}") from error
    assert "Traceback" not in _log(paths), _log(paths)[-20_000:]
    with sqlite3.connect(paths.library) as library:
        assert library.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert library.execute("PRAGMA foreign_key_check").fetchall() == []


def _log(paths: Paths) -> str:
    return paths.log.read_text(errors="replace") if paths.log.exists() else ""


@pytest.mark.long
def test_a_monkey_can_do_no_harm_in_seconds(
    silent: Paths, server: LoopbackServer, environ: dict[str, str], tmp_path: Path
) -> None:
    import_feeds(listed(server, tmp_path, rounds=1), environ)
    with in_order(silent), Monkey(SEED, environ, str(tmp_path)) as monkey:
        monkey.play(2)
        assert monkey.quit() == 0


@pytest.mark.long
@pytest.mark.timeout(LONG_S * 2 + 300)
def test_a_monkey_can_do_no_harm_in_minutes(
    silent: Paths, server: LoopbackServer, environ: dict[str, str], tmp_path: Path
) -> None:
    """EARMARK_MONKEY_S: for how long. What it removes another process adds again meanwhile."""
    left = LONG_S
    feeds = listed(server, tmp_path, rounds=3)
    with in_order(silent), Monkey(SEED, environ, str(tmp_path)) as monkey:
        while left > 0:
            import_feeds(feeds, environ)
            monkey.play(min(left, _BETWEEN_IMPORTS_S))
            left -= _BETWEEN_IMPORTS_S
        assert monkey.quit() == 0


@pytest.mark.long
@pytest.mark.timeout(EVENTS * 2 + 300)
@pytest.mark.parametrize("size", [(80, 24), (120, 30), (50, 15), (160, 45)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_monkey_can_do_no_harm_at_any_size(
    silent: Paths, server: LoopbackServer, environ: dict[str, str], tmp_path: Path, size: tuple[int, int]
) -> None:
    """EARMARK_MONKEY_EVENTS: how many keys, words, pastes and mouse events at each size. At the end the
    process holds as much memory and as many threads and files as before, but for pools and caches."""
    import_feeds(listed(server, tmp_path, rounds=1), environ)
    with in_order(silent), Monkey(SEED, environ, str(tmp_path), size) as monkey:
        began = monkey.levels()
        monkey.play_events(EVENTS)
        print(
            began, "after", EVENTS, "events", monkey.wait_for_levels(began, MORE), monkey.suspended, "times suspended"
        )
        assert monkey.quit() == 0

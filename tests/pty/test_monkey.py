"""Whatever is pressed, clicked and resized, over whatever a feed sends: the app goes on, and quits when told to."""

import os
import random
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.pty.census import Held
from tests.pty.conftest import silence
from tests.pty.hostile import serve
from tests.pty.levels import Levels, open_files
from tests.pty.monkey import Monkey
from tests.quick import NEW

pytestmark = pytest.mark.pty

LONG_S = float(os.environ.get("EARMARK_MONKEY_S", "600" if NEW else "300"))
SEED = int(os.environ.get("EARMARK_MONKEY_SEED") or (random.randrange(1_000_000) if NEW else 1))
EVENTS = int(os.environ.get("EARMARK_MONKEY_EVENTS", "400"))
THREADS = Counter({
    "MainThread": 1, "textual-input": 1, "earmark-screen": 1, "earmark-shutdown": 1, "earmark-session": 1,
    "earmark-saver": 1, "earmark-control": 1, "earmark-downloads": 1, "earmark-downloads-writes": 1, "earmark-rules": 1,
    "earmark-network": 1, "earmark-attachments": 1, "earmark-connectivity": 1, "earmark-covers": 2, "earmark-idle": 1,
    "earmark-spare": 2,
})  # fmt: skip
"""Those that stay once they were needed; `earmark-spare` are the scheduler's between two calls. What is needed for a
moment only, such as what fetches an episode, has ended, and so have the scheduler's other threads."""
FILES = Counter({
    "terminal": 8, "pipe": 4, "earmark.log": 1, "earmark.lock": 1, "library.lock": 1, "library.db-shm": 1,
    "library.db-wal": 6, "library.db": 14, "search.db": 6, "search.db-wal": 2, "search.db-shm": 1, "episode": 2,
    "socket": 12, "eventpoll": 4, "eventfd": 3, "census.json.part": 1,
})  # fmt: skip
"""library.db as often as it was read at once (`Connections`), its log for the writer and four readers that are kept;
search.db likewise, as one of its connections is kept, too: SQLite closes no descriptor of a file while the process has
a lock on it, and uses it again; sockets and the like for the event loops of the screen and of the network, the control
socket, and connections that the network keeps for the next request."""
SIZES = {(80, 24): 20_000, (120, 30): 20_000, (160, 45): 20_000, (50, 15): 34_000}
"""Columns and rows, and how many kB more may be in use than when each page had been opened once. After 400 or 1,000
events it was 9,000, 12,000, 10,000 and 27,000: the page of long notes that is shown (8 MB; the fewer columns, the more
lines), the texts parsed last (32, half a million characters), transcripts (4), SQLite's pages (2 MB a connection) and
Textual's caches. Most of it is there after 500 events."""
FEW, OF_MANY_KB = 1_000, 15_000
"""After more than a few events so much more may be in use: some caches fill slowly. At 80 x 24 it was 12,000, 18,500,
25,000, 20,000 and 19,500 after 1,000, 2,500, 5,000, 7,500 and 10,000 events, so it levels off. Of the highest, 6,000
were SQLite's: pages and 400 prepared statements (8 kB each) of five connections. Another 6,000 were what Textual, Rich
and the list of commands remember, in caches of up to 4,096 texts, regions or styles, and 3,000 libraries in C. The rest
were notes, modules that are imported when they are needed, and the screens that were closed last."""
MORE_RESIDENT_KB = 65_000
"""Besides, what the libraries for the network take (6 MB), and what two heaps and Python's arenas keep from their
busiest moment; it was 47,000 at most."""
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
        raise AssertionError(f"EARMARK_MONKEY_SEED={SEED}: {error}\n{_log(paths)[-20_000:]}") from error
    assert "Traceback" not in _log(paths), _log(paths)[-20_000:]
    with sqlite3.connect(paths.library) as library:
        assert library.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert library.execute("PRAGMA foreign_key_check").fetchall() == []


def _log(paths: Paths) -> str:
    return paths.log.read_text(errors="replace") if paths.log.exists() else ""


def too_much(began: tuple[Levels, Held], now: tuple[Levels, Held], files: Counter[str], more_kb: int) -> list[str]:
    """What there is more of than is known to stay."""
    (levels_before, before), (levels, held) = began, now
    threads = Counter(re.sub(r"_\d+$", "", name) for name in held.threads)
    grown = {
        "kB resident": levels.resident_kb - levels_before.resident_kb - MORE_RESIDENT_KB,
        "kB in use": in_use_kb(held) - in_use_kb(before) - more_kb,
    }
    more = [f"{count} {what} too many" for what, count in {**(threads - THREADS), **(files - FILES)}.items()]
    return more + [f"{by} {what} too many" for what, by in grown.items() if by > 0]


def in_use_kb(held: Held) -> int:
    """What can't be given back, as opposed to what is kept for later."""
    return held.python_kb + held.malloc_kb


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
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_monkey_can_do_no_harm_at_any_size(
    silent: Paths, server: LoopbackServer, environ: dict[str, str], tmp_path: Path, size: tuple[int, int]
) -> None:
    """EARMARK_MONKEY_EVENTS: how many keys, words, pastes and mouse events at each size. At the end the
    process holds the threads and files that are known to stay, and hardly more memory than before."""
    import_feeds(listed(server, tmp_path, rounds=1), environ)
    environ["EARMARK_CENSUS"] = str(tmp_path / "census.json")
    with in_order(silent), Monkey(SEED, environ, str(tmp_path), size) as monkey:
        monkey.tour()
        began = monkey.held()
        monkey.play_events(EVENTS)
        more_kb = SIZES[size] + (OF_MANY_KB if EVENTS > FEW else 0)
        monkey.wait_until_nothing(lambda: too_much(began, monkey.held(), open_files(monkey.process.pid), more_kb))
        levels, held = monkey.held()
        print(*began[0], in_use_kb(began[1]), "kB in use, after", EVENTS, "events", *levels, in_use_kb(held), "kB")
        print(monkey.suspended, "times suspended")
        assert monkey.quit() == 0

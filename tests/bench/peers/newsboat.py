"""newsboat, a feed reader for the terminal in C++ and Rust: the machine's own, or Debian's package unpacked."""

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.bench.house import BUILD
from tests.bench.peers.debian import libraries, unpack
from tests.bench.peers.peer import PATIENCE_S, Missing, environment, timed
from tests.pty.terminal import Terminal

_FOLDER = BUILD / "newsboat"
_PACKAGES = ("newsboat", "libstfl0", "libjson-c5")


class Newsboat:
    name = "newsboat"

    def __init__(self) -> None:
        own = shutil.which("newsboat")
        self._unpacked = own is None
        self._command = Path(own) if own else _FOLDER / "usr" / "bin" / "newsboat"

    def install(self) -> str:
        if self._unpacked:
            unpack(_FOLDER, _PACKAGES)
        ran = subprocess.run(
            [self._command, "-v"], env=self._environment(_FOLDER / "home"), capture_output=True, text=True, check=False
        )
        if ran.returncode:
            raise Missing((ran.stderr.strip().splitlines() or ["it doesn't start"])[-1])
        return ran.stdout.split()[1]

    def import_opml(self, home: Path, opml: Path) -> float:
        took = timed([self._command, "-i", opml], self._environment(home)) + self.refresh(home)
        # It keeps what a server says of the age of a feed from the second reading on.
        self.refresh(home)
        return took

    def refresh(self, home: Path) -> float:
        return timed([self._command, "-x", "reload"], self._environment(home))

    def episodes(self, home: Path) -> int:
        with closing(sqlite3.connect(home / ".newsboat" / "cache.db")) as database:
            (count,) = database.execute("SELECT count(*) FROM rss_item").fetchone()
        return int(count)

    @contextmanager
    def opened(self, home: Path) -> Iterator[Terminal]:
        environ = {**self._environment(home), "TERM": "xterm"}
        with Terminal(environ=environ, command=(str(self._command),)) as terminal:
            terminal.wait_for("Show 1\\d", deadline_s=PATIENCE_S)
            yield terminal

    def browse(self, terminal: Terminal) -> None:
        terminal.press("down", "down", "enter")
        terminal.wait_for("Episode \\d+ of show")
        terminal.press(*["down"] * 20)

    def _environment(self, home: Path) -> dict[str, str]:
        # It takes the old folder when there is one, and the new ones are the person's own otherwise.
        (home / ".newsboat").mkdir(parents=True, exist_ok=True)
        return environment(home, **({"LD_LIBRARY_PATH": libraries(_FOLDER)} if self._unpacked else {}))

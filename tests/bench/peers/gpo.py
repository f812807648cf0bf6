"""gpo, the command line of gPodder: Debian's packages unpacked, with the machine's own Python."""

import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.bench.house import BUILD
from tests.bench.peers.debian import libraries, unpack
from tests.bench.peers.peer import Missing, environment, timed
from tests.pty.terminal import Terminal

_FOLDER = BUILD / "gpo"
_PACKAGES = (
    "gpodder", "python3-mygpoclient", "python3-podcastparser", "python3-requests", "python3-urllib3", "python3-certifi",
    "python3-idna", "python3-chardet", "python3-six", "python3-gi", "gir1.2-glib-2.0", "libgirepository-1.0-1",
    "libglib2.0-0",
)  # fmt: skip
# What is compiled in them fits the Python of the same Debian.
_COMMAND = ("/usr/bin/python3", str(_FOLDER / "usr" / "bin" / "gpo"))


class Gpo:
    name = "gpo"

    def install(self) -> str:
        unpack(_FOLDER, _PACKAGES)
        home = _FOLDER / "home"
        ran = subprocess.run(
            [*_COMMAND, "help"], env=self._environment(home), capture_output=True, text=True, check=False
        )
        if ran.returncode:
            raise Missing((ran.stderr.strip().splitlines() or ["it doesn't start"])[-1])
        (about,) = (_FOLDER / "usr" / "lib" / "python3" / "dist-packages").glob("gpodder-*.egg-info")
        return about.name.removeprefix("gpodder-").removesuffix(".egg-info")

    def import_opml(self, home: Path, opml: Path) -> float:
        environ = self._environment(home)
        # By itself it keeps 200 episodes of a podcast.
        timed([*_COMMAND, "set", "limit.episodes", "1000000"], environ)
        return timed([*_COMMAND, "import", opml], environ)

    def refresh(self, home: Path) -> float:
        return timed([*_COMMAND, "update"], self._environment(home))

    def episodes(self, home: Path) -> int:
        with closing(sqlite3.connect(home / "gPodder" / "Database")) as database:
            (count,) = database.execute("SELECT count(*) FROM episode").fetchone()
        return int(count)

    @contextmanager
    def opened(self, home: Path) -> Iterator[Terminal]:
        """It has no screen: its own shell, and the list of podcasts."""
        with Terminal(environ=self._environment(home), command=_COMMAND) as terminal:
            terminal.wait_for("gpo>")
            terminal.press("list", "enter")
            terminal.wait_for("# Show 199")
            yield terminal

    def browse(self, terminal: Terminal) -> None:
        terminal.press("pending", "enter")
        terminal.wait_for("Episode \\d+ of show 199")

    def _environment(self, home: Path) -> dict[str, str]:
        return environment(
            home,
            PAGER="tail -n 20",
            GPODDER_HOME=str(home / "gPodder"),
            PYTHONPATH=str(_FOLDER / "usr" / "lib" / "python3" / "dist-packages"),
            LD_LIBRARY_PATH=libraries(_FOLDER),
            GI_TYPELIB_PATH=":".join(map(str, _FOLDER.glob("usr/lib/*/girepository-1.0"))),
        )

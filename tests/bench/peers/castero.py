"""castero, another player for the terminal on libvlc: installed into a folder of the bench, driven by its keys."""

import re
import shutil
import sqlite3
import subprocess
import time
import venv
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from xml.sax.saxutils import quoteattr

from tests.bench.house import BUILD, House, rest
from tests.bench.peers.peer import PATIENCE_S, Missing, environment, timed
from tests.pty.terminal import Terminal

_FOLDER = BUILD / "castero"
_PYTHON = _FOLDER / "bin" / "python"
_CASTERO = (str(_PYTHON), "-m", "castero")
_ITEM = """<item><title>{title}</title><guid>{title}</guid><link>{url}</link><description>-</description>
<pubDate>Mon, 02 Nov 2026 10:00:00 +0000</pubDate><enclosure url="{url}" type="audio/mpeg" length="1"/></item>"""
_FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>Long Radio</title><link>{url}</link>
<description>-</description>{items}</channel></rss>"""
_SETTINGS = """[client]
player = vlc
max_episodes = -1
reload_feeds_threshold = 100000
[downloads]
request_timeout = 60
"""
_SHOWN = re.compile(r"\[(\d\d):(\d\d):(\d\d)/")


class Castero:
    name = "castero"

    def install(self) -> str:
        return install()

    def import_opml(self, home: Path, opml: Path) -> float:
        return timed([*_CASTERO, "--import", opml], self._environment(home))

    def refresh(self, home: Path) -> float:
        """From its key until it says that all are reloaded: it has no command for it."""
        with self.opened(home) as terminal:
            rest(terminal, 1.0)
            start = time.perf_counter()
            terminal.press("r")
            terminal.wait_for("Successfully reloaded", deadline_s=PATIENCE_S)
            took = time.perf_counter() - start
            terminal.press("q")
            terminal.wait_exit()
        return took

    def episodes(self, home: Path) -> int:
        with closing(sqlite3.connect(home / ".local" / "share" / "castero" / "castero.db")) as database:
            (count,) = database.execute("SELECT count(*) FROM episode").fetchone()
        return int(count)

    @contextmanager
    def opened(self, home: Path) -> Iterator[Terminal]:
        with Terminal(environ={**self._environment(home), "TERM": "xterm"}, command=_CASTERO) as terminal:
            terminal.wait_for("Episode \\d+ of show")
            yield terminal

    def browse(self, terminal: Terminal) -> None:
        terminal.press(*["\x1bOB"] * 20)
        terminal.press("\x1bOC", *["\x1bOB"] * 20)

    def ask_for_help(self, terminal: Terminal) -> None:
        terminal.press("h")
        terminal.wait_for("castero help")

    def _environment(self, home: Path) -> dict[str, str]:
        _write_settings(home)
        return environment(home)


def install() -> str:
    """Its version. It comes from the package index, once. Raises Missing."""
    if not (version := _version()):
        shutil.rmtree(_FOLDER, ignore_errors=True)
        venv.create(_FOLDER, with_pip=True)
        # Elsewhere pip would take Earmark's own folder for something that is installed.
        pip = [str(_PYTHON), "-m", "pip", "install", "-qq", "castero"]
        subprocess.run(pip, cwd=_FOLDER, check=False)
        if not (version := _version()):
            raise Missing("pip could not install it")
    return version


def _version() -> str:
    asked = [str(_PYTHON), "-c", "import importlib.metadata as m; print(m.version('castero'))"]
    try:
        return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


# -- one long episode, for what is heard ----------------------------------------------------------------------


def subscribe(home: House, title: str, url: str) -> None:
    """Gives it a podcast of one episode, and libvlc as its player."""
    _write_settings(home.folder)
    feed = home.server.page("/castero.xml", _FEED.format(url=url, items=_ITEM.format(title=title, url=url)).encode())
    opml = home.folder / "castero.opml"
    outline = f'<outline type="rss" text="Long Radio" xmlUrl={quoteattr(feed)}/>'
    opml.write_text(f'<opml version="2.0"><head/><body>{outline}</body></opml>', encoding="utf-8")
    subprocess.run([*_CASTERO, "--import", opml], check=True, env=home.environment(), stdout=subprocess.DEVNULL)


@contextmanager
def running(home: House) -> Iterator[Terminal]:
    """Open, the episode selected."""
    environ = {**home.environment(), "TERM": "xterm"}
    with Terminal(environ=environ, command=_CASTERO) as terminal:
        terminal.wait_for("Long Radio")
        rest(terminal, 0.5)
        terminal.press("\x1bOC")
        rest(terminal, 0.3)
        yield terminal


def shown(terminal: Terminal) -> float | None:
    """The place it shows, in seconds."""
    found = _SHOWN.search(terminal.text)
    if not found:
        return None
    hours, minutes, seconds = map(int, found.groups())
    return hours * 3600.0 + minutes * 60 + seconds


def _write_settings(home: Path) -> None:
    settings = home / ".config" / "castero" / "castero.conf"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(_SETTINGS, encoding="utf-8")

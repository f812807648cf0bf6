"""Earmark, asked what the others are asked."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from player.library import Library
from player.paths import Paths
from tests.bench.peers.peer import environment, timed
from tests.pty.terminal import Terminal

_SETTINGS = "[feeds]\nrefresh_on_start = false\nrefresh_minutes = 0\n"


class Earmark:
    name = "Earmark"

    def install(self) -> str:
        return "as it is here"

    def import_opml(self, home: Path, opml: Path) -> float:
        self.subscribe(home, [])
        took = self._timed(home, "import", str(opml))
        with self._library(home) as library:
            start = time.perf_counter()
            library.search.catch_up()
            return took + time.perf_counter() - start

    def subscribe(self, home: Path, urls: Sequence[str]) -> None:
        """Podcasts that were never read, instead of those that a new library has."""
        with self._library(home) as library, library.transaction():
            for podcast in library.podcasts.all():
                library.podcasts.remove(podcast.id)
            for url in urls:
                library.podcasts.add(url, f"Show {url.rpartition('/')[2]}")

    def add(self, home: Path, url: str) -> float:
        return self._timed(home, "add", url)

    def refresh(self, home: Path) -> float:
        return self._timed(home, "refresh")

    def reload(self, terminal: Terminal, ended: str) -> float:
        """With `R`, until the app shows what matches `ended`."""
        start = time.perf_counter()
        terminal.press("R")
        terminal.wait_for(ended)
        return time.perf_counter() - start

    def episodes(self, home: Path) -> int:
        with self._library(home) as library:
            return library.episodes.counts().all

    @contextmanager
    def opened(self, home: Path) -> Iterator[Terminal]:
        with Terminal(environ=self._environment(home), last_frame=True) as terminal:
            terminal.wait_for("Episode \\d+ of show")
            yield terminal

    def browse(self, terminal: Terminal) -> None:
        terminal.press(*["j"] * 20, "G", "g", *["ctrl+d"] * 5)

    def ask_for_help(self, terminal: Terminal) -> None:
        terminal.press("?")
        terminal.wait_for("Commands and keys")

    @contextmanager
    def _library(self, home: Path) -> Iterator[Library]:
        library = Library(Paths.of(self._environment(home)))
        library.open()
        try:
            yield library
        finally:
            library.close()

    def _timed(self, home: Path, *arguments: str) -> float:
        return timed([sys.executable, "-m", "tui", *arguments], self._environment(home))

    def _environment(self, home: Path) -> dict[str, str]:
        environ = environment(home, EARMARK_HOME=str(home))
        paths = Paths.of(environ)
        paths.config.mkdir(parents=True, exist_ok=True)
        if not paths.settings.exists():
            paths.settings.write_text(_SETTINGS, encoding="utf-8")
        return environ

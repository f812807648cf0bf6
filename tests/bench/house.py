"""A home with one podcast on loopback, a sound server to listen at, and the real app on both."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from player.feeds.check import decide
from player.integrations.client import request
from player.library import Library
from player.media import EpisodeMedia, MediaStore
from player.model.episode import Episode, EpisodeId
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.paths import Paths
from tests.bench.long_audio import write_long_mp3
from tests.loopback import LoopbackServer
from tests.pty.terminal import Terminal
from tests.sound.sound_server import SoundServer, running_sound_server
from tui.chosen import write_view

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "bench"
"""For files that take time to make; removed by `make clean`."""

TWO_HOURS_S = 7_200
ROUNDS = 5
_NEWEST = datetime(2026, 11, 1, tzinfo=UTC)
_SETTINGS = "[feeds]\nrefresh_on_start = false\nrefresh_minutes = 0\n"
_DEADLINE_S = 60.0


@dataclass
class House:
    """`file` is the audio of every episode, served by `server`."""

    folder: Path
    sound: SoundServer
    server: LoopbackServer
    file: Path
    paths: Paths = field(init=False)

    def __post_init__(self) -> None:
        self.paths = Paths.of({"EARMARK_HOME": str(self.folder)})
        self.paths.config.mkdir(parents=True)
        self.paths.settings.write_text(_SETTINGS, encoding="utf-8")
        body = self.file.read_bytes()
        self.server.audio("/long.mp3", body)

    def environment(self) -> dict[str, str]:
        """For what is started here: nothing outside this machine can be reached."""
        return {
            **self.sound.environment(),
            "HOME": str(self.folder),
            "EARMARK_HOME": str(self.folder),
            "https_proxy": "http://127.0.0.1:9",
            "no_proxy": "127.0.0.1,localhost",
        }

    def stock(self, titles: Sequence[str], audio: Mapping[str, str] | None = None) -> dict[str, Episode]:
        """A podcast with these episodes, newest first. `audio`: the URL of each that isn't the house's file."""
        items = tuple(
            FeedEpisode(
                guid=title,
                title=title,
                url=(audio or {}).get(title) or f"{self.server.url('/long.mp3')}?{number}",
                media_type="audio/mpeg",
                published=_NEWEST - timedelta(days=number),
                duration_ms=None if audio else TWO_HOURS_S * 1000,
            )
            for number, title in enumerate(titles)
        )
        with self.library() as library:
            podcast = library.podcasts.add(self.server.url("/feed.xml"), "Long Radio")
            library.podcasts.apply(podcast.id, Feed(title="Long Radio", episodes=items), FeedState(), decide)
            ids = library.episodes.ids(View.of(ViewName.PODCAST, podcast.id))
            return {row.title: row for row in library.episodes.rows([EpisodeId(one) for one in ids])}

    def cache(self, episodes: Sequence[Episode]) -> None:
        """Caches all of their bytes, as playing them would."""
        store = MediaStore(self.paths)
        for episode in episodes:
            media = store.open(episode, lambda: None)
            try:
                _wait_complete(media, episode.title)
            finally:
                media.close()

    def leave_at(self, position_ms: int, *episodes: Episode) -> None:
        """As if the listener had stopped there; the cursor stands on the first of them."""
        with self.library() as library:
            for episode in episodes:
                library.progress.save(episode.id, position_ms, None, datetime.now(UTC))
            view = View.of(ViewName.PODCAST, PodcastId(episodes[0].podcast_id))
            library.state.set("screen", write_view(view, episodes[0].id))

    @contextmanager
    def library(self) -> Iterator[Library]:
        library = Library(self.paths)
        library.open()
        try:
            yield library
        finally:
            library.close()

    @contextmanager
    def app(self) -> Iterator[Terminal]:
        """The app, its first screen complete and its threads started."""
        with Terminal(environ=self.environment()) as terminal:
            terminal.wait_for("all keys")
            terminal.wait_until(self.paths.socket.exists, "the remote control to stand")
            rest(terminal, 0.5)
            yield terminal
            if terminal.process.isalive():
                terminal.press("q")
                terminal.wait_exit()

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """What the running Earmark says of itself after `command`."""
        status: dict[str, Any] = request(self.paths.socket, command, **arguments)["status"]
        return status


@contextmanager
def house(seconds: int = TWO_HOURS_S) -> Iterator[House]:
    """A house whose audio has `seconds` seconds."""
    audio = BUILD / f"{seconds}.mp3"
    write_long_mp3(audio, seconds)
    with (
        tempfile.TemporaryDirectory(prefix="earmark-bench-", ignore_cleanup_errors=True) as name,
        LoopbackServer() as server,
    ):
        pulse = Path(name) / "pulse"
        pulse.mkdir()
        with running_sound_server(pulse) as sound:
            yield House(Path(name) / "home", sound, server, audio)


@dataclass(frozen=True)
class Bare:
    """libvlc alone in a process of its own."""

    process: "subprocess.Popen[str]"

    def order(self, line: str) -> float:
        """Carries out a line (see bare.py); the moment at which it began to."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(line + "\n")
        return float(self.process.stdout.readline())


@contextmanager
def bare_libvlc(home: House) -> Iterator[Bare]:
    """Loaded, with the house's file."""
    command = [sys.executable, "-m", "tests.bench.bare", str(home.file)]
    with subprocess.Popen(
        command, env=home.environment(), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, bufsize=1,
    ) as process:  # fmt: skip
        assert process.stdout
        process.stdout.readline()
        yield Bare(process)
        process.kill()


def _wait_complete(media: EpisodeMedia, title: str) -> None:
    wait_until(lambda: media.complete, f"“{title}” to be cached")


def rest(terminal: Terminal, seconds: float) -> None:
    """Lets time pass, while the terminal shows what the app draws."""
    until = time.monotonic() + seconds
    terminal.wait_until(lambda: time.monotonic() >= until, "the time to pass", deadline_s=seconds + 5)


def wait_until(true: Callable[[], object], what: str, seconds: float = _DEADLINE_S) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:g} s in vain for {what}")
        time.sleep(0.01)


def median(values: Sequence[float | None]) -> float | None:
    """The median of the known values; None unless more than half are known."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if len(known) * 2 > len(values) else None


def cpu_seconds(pid: int) -> float:
    """What the process has used of the processor so far, all threads, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """The memory that the process holds now."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

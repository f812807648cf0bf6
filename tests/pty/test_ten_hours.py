"""Ten hours of use, compressed: the app holds no more at their end than after the first, and neither does its home."""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.processes import processes
from tests.pty.ten_hours import (
    PODCASTS,
    Device,
    Measured,
    World,
    app,
    census,
    children,
    grown,
    measure,
    table,
)
from tests.pty.terminal import Terminal
from tests.pty.test_lost_terminal import pythons, wait
from tests.sound.sound_server import SoundServer, sound, sound_server
from tests.tui.cli.conftest import own_logging
from tui.terminal.capabilities import LOG_LIMIT

__all__ = ["own_logging", "sound", "sound_server"]

HOURS = max(4, int(os.environ.get("EARMARK_HOURS", "10")))
"""How many compressed hours; all but the last eight are the warm-up. Each takes half a minute on a quiet machine."""
WARM_UP = max(2, HOURS - 8)
_PATIENCE_S = 90.0

pytestmark = [
    pytest.mark.pty,
    pytest.mark.long,
    pytest.mark.timeout(300 + 240 * HOURS),
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

_PAGES = {
    "w": "esc back", "i": "About show", "v": "J K episodes", "?": "╭─ Commands and keys",
    "ctrl+p": "╭─ Commands and keys", "t": "╭─ Sleep timer", "o": "╭─ Links", "c": "╭─ Settings for",
    "p": "╭─ Add 1 episode", "a": "╭─ Find podcasts",
}  # fmt: skip
"""By the key that opens each: what it shows."""
_PAGES_WITHOUT_KEY = {
    "theme": "╭─ Theme", "output": "╭─ Sound output", "sync": "╭─ Sync", "charts": "╭─ Find podcasts",
    "suggestions": "╭─ Find podcasts", "queue_sort": "╭─ Sort or clear the queue", "statistics": "Your listening",
    "tags": "╭─ Tags of",
}  # fmt: skip

ALLOWED = {
    "threads": 4, "descriptors": 4, "children": 2, "temporary": 4, "log": 200, "library_wal": 4_096,
    "search_wal": 4_096, "resident": 24_000, "malloc": 3_000, "blocks": 60_000, "objects": 40_000,
}  # fmt: skip
"""By how much each may be more in the end than at the end of the warm-up. A thread or file that each hour leaves behind
is too much, and so are 100 kB for each episode played. Caches of what was drawn are full only after some 15 hours."""


@dataclass
class Laptop:
    """The device that is looked at: one app, from the first hour to the last."""

    device: Device
    world: World
    terminal: Terminal

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """The app draws meanwhile."""
        self.terminal.wait_until(holds, what, deadline_s=_PATIENCE_S)

    def until_state(self, *states: str) -> None:
        self.until(lambda: self.device.status.get("state") in states, f"{' or '.join(states)}: {self.device.status}")

    def refresh(self, hour: int) -> list[int]:
        """Four times, with three new episodes each: their ids, in their order."""
        new = []
        for number in range(4):
            titles = self.world.publish((4 * hour + number + 20 * third) % PODCASTS for third in range(3))
            self.terminal.press("R")
            self.until(lambda titles=titles: len(self.device.episodes(titles)) == 3, f"{titles} in the library")  # type: ignore[misc]
            # Until then the app takes R for the same refresh, whatever else the footer has to say meanwhile.
            self.until(lambda: not self._reads_feeds(), "the end of the refresh")
            new += self.device.episodes(titles)
        return new

    def _reads_feeds(self) -> bool:
        for child in children(self.terminal.process.pid):
            with suppress(OSError):
                if b"jobs.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return True
        return False

    def listen(self, episodes: list[int]) -> None:
        """To each from its beginning to its end, with what one does meanwhile; the last two follow by the queue."""
        *first, second_last, last = episodes
        for episode in first:
            self.device.ask("play", episode=episode)
            self.until_playing(episode)
            self.terminal.press("right", "left", ".", "space")
            self.until_state("paused")
            self.terminal.press("b", "space")
            self.until_state("playing")
            self.to_the_end(episode)
        self.device.ask("queue", change="add", episodes=[second_last, last])
        self.terminal.press("n")
        for episode in (second_last, last):
            self.until_playing(episode)
            self.to_the_end(episode)

    def until_playing(self, episode: int) -> None:
        def plays() -> bool:
            status = self.device.status
            return status.get("state") == "playing" and status["episode"]["id"] == episode

        self.until(plays, f"episode {episode} to be playing: {self.device.status}")

    def to_the_end(self, episode: int) -> None:
        length = self.device.status["duration_ms"]
        self.device.ask("seek", to_ms=length - 1500)
        self.until(
            lambda: bool(self.device.query("SELECT 1 FROM episodes WHERE id = ? AND played", episode)),
            f"the end of episode {episode}",
        )

    def download(self, episodes: list[int]) -> None:
        """And delete them again; a rule does the same with other episodes meanwhile."""
        self.device.ask("download", episodes=episodes)
        marks = ", ".join("?" * len(episodes))
        sql = f"SELECT count(*) FROM downloads WHERE episode_id IN ({marks})"
        self.until(lambda: self.device.query(sql, *episodes)[0][0] == len(episodes), "the downloads")
        for episode in episodes:
            self.device.command("downloads", "--delete", str(episode))
        self.until(lambda: self.device.query(sql, *episodes)[0][0] == 0, "their deletion")

    def open_everything(self) -> None:
        """The list has the focus, with its cursor on an episode."""
        for key, shows in _PAGES.items():
            self.terminal.press(key)
            self._close(shows)
        for action, shows in _PAGES_WITHOUT_KEY.items():
            self.until(lambda action=action: bool(self.device.ask("run", action=action)), action)  # type: ignore[misc]
            self._close(shows)

    def search(self, hour: int) -> None:
        self.terminal.press("ctrl+f")
        self.terminal.wait_for("╭─ Search")
        for words in (f"show {hour:02}", "sentence", "notes link"):
            self.terminal.press(words)
            self.terminal.wait_for(r"▌.*Show \d\d")
            self.terminal.press("ctrl+u")
        self._close("╭─ Search")
        self.terminal.press("/", f"part {hour}")
        self.terminal.wait_for(r"match(?:es)?")
        self.terminal.press("escape")
        self.terminal.wait_gone(r"\d match(?:es)?")

    def _close(self, shows: str) -> None:
        self.terminal.wait_for(shows, deadline_s=_PATIENCE_S)
        self.terminal.press("escape")
        self.terminal.wait_gone(shows, deadline_s=_PATIENCE_S)

    def suspend(self) -> None:
        """ctrl+z, and what `fg` does."""
        pid = self.terminal.process.pid
        self.terminal.press("\x1a")
        self.until(lambda: _state(pid) == "T", "the app to be stopped")
        os.kill(pid, signal.SIGCONT)
        self.until(lambda: _state(pid) != "T", "the app to go on")
        self.terminal.wait_for("all keys")

    def lose_the_network(self, episode: int) -> None:
        """While an episode is opened of which nothing is here yet."""
        with self.world.cut():
            self.device.ask("play", episode=episode)
            self.until_state("opening", "buffering", "error")
        self.until_playing(episode)
        self.device.ask("stop")

    def resize(self) -> None:
        for size in ((60, 20), (160, 50), (120, 40)):
            self.terminal.resize(*size)
            self.terminal.wait_for("all keys|all k|LISTEN|unplayed")

    def sync(self) -> None:
        sync(self.device, self.until)

    def rest(self) -> Measured:
        """Until nothing is under way; then what the process holds."""
        pid = self.terminal.process.pid
        self.device.ask("stop")
        self.until_state("stopped", "ended")
        self.terminal.press("g")
        self.until(
            lambda: not (self.device.query("SELECT 1 FROM download_queue") or self.device.ask("sync")["sync"]["busy"]),
            "quiet",
        )
        return measure(self.device, pid, census(self.device, pid, self.until))


@dataclass
class Phone:
    """The other device, where the sound goes from the background player to an app and back."""

    device: Device
    until: Callable[[Callable[[], bool], str], None]

    def hand_over(self) -> Measured:
        """To an app, and from there to another background player, which is measured."""
        before = self.device.status["pid"]
        self.device.ask("seek", to_ms=0)
        with app(self.device) as terminal:
            terminal.wait_until(lambda: self._plays_in("app"), "the sound in the app", deadline_s=_PATIENCE_S)
            terminal.wait_for("▶", deadline_s=_PATIENCE_S)
            terminal.press("Q")
            terminal.wait_exit(deadline_s=_PATIENCE_S)
        self.until(lambda: self._plays_in("background"), f"the sound in the background {self.device.status}")
        pid = self.device.status["pid"]
        assert pid != before
        self.until(lambda: pythons(self.device.home) == [pid], f"the others to be gone: {processes(self.device.home)}")
        return measure(self.device, pid)

    def sync(self) -> None:
        sync(self.device, self.until)

    def _plays_in(self, where: str) -> bool:
        status = self.device.status
        return status.get("runs_in") == where and status["state"] == "playing"


def sync(device: Device, until: Callable[[Callable[[], bool], str], None]) -> None:
    """One round, to its end."""
    before: dict[str, Any] = {}

    def begun() -> bool:
        before.update(device.ask("sync", now=True).get("sync") or {})
        return bool(before)

    def ended() -> bool:
        now: dict[str, Any] = device.ask("sync").get("sync") or {}
        return bool(now) and not now["busy"] and now["rounds"] > before["rounds"]

    until(begun, "a round of syncing to begin")
    until(ended, f"the end of it: {device.ask('sync')}")


@contextmanager
def logged(device: Device, hour: int, until: Callable[[Callable[[], bool], str], None]) -> Iterator[None]:
    """Something within is logged, so that the log, which is full before, starts anew. No line is lost by that; the
    processes that had the log as their standard error have it still."""
    count = device.fill_log(hour)
    yield
    until(lambda: device.paths.log.stat().st_size < LOG_LIMIT, "a log that starts anew")
    assert [file.name for file in device.logs()] == ["earmark.log.1", "earmark.log"]
    assert device.filled(hour) == list(range(count))
    assert device.logs()[0].stat().st_size < 1.1 * LOG_LIMIT
    assert device.paths.log.stat().st_size < LOG_LIMIT / 10
    for pid in pythons(device.home):
        with suppress(FileNotFoundError):  # it has ended
            assert os.readlink(f"/proc/{pid}/fd/2") in (str(device.paths.log), "/dev/null")  # noqa: PTH115


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.fixture
def world() -> Iterator[World]:
    with World() as made:
        yield made


@pytest.fixture
def laptop(tmp_path: Path, world: World, sound: SoundServer) -> Iterator[Device]:
    yield from _device(tmp_path / "laptop", world)


@pytest.fixture
def phone(tmp_path: Path, world: World, sound: SoundServer) -> Iterator[Device]:
    yield from _device(tmp_path / "phone", world)


def _device(home: Path, world: World) -> Iterator[Device]:
    home.mkdir()
    device = Device(home, home.name)
    device.settle(world)
    yield device
    for pid in processes(home):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_ten_hours_leave_nothing_behind(laptop: Device, phone: Device, world: World, tmp_path: Path) -> None:
    """EARMARK_HOURS: how many."""
    folder = tmp_path / "carried"
    folder.mkdir()
    laptop.command("add", *world.urls)
    phone.command("add", world.long)
    laptop.command("set", world.urls[0], "download=newest:1")
    for device in (laptop, phone):
        device.command("sync", "setup", "folder", str(folder), "--device", device.name, "--yes")
    phone.command("refresh")
    phone.command("play", "--detach", "--stay", str(phone.episodes(["Show 99 part 1"])[0]))
    hours, phones = [], []
    with app(laptop, counts=True) as terminal:
        terminal.wait_for("enter play", deadline_s=_PATIENCE_S)
        app_there = Laptop(laptop, world, terminal)
        other = Phone(phone, app_there.until)
        terminal.press("g")
        for hour in range(HOURS):
            new = app_there.refresh(hour)
            app_there.listen(new[:6])
            app_there.open_everything()
            app_there.download(new[6:9])
            app_there.search(hour)
            app_there.suspend()
            app_there.lose_the_network(new[9])
            app_there.resize()
            app_there.sync()
            with logged(phone, hour, app_there.until):
                phones.append(other.hand_over())
            other.sync()
            with logged(laptop, hour, app_there.until):
                hours.append(app_there.rest())
            print(table(hours[-1:]), _kinds(hours[-2:]), sep="\n", flush=True)
        terminal.press("q")
        assert terminal.wait_exit(deadline_s=_PATIENCE_S) == 0
    phone.ask("quit")
    print(table(hours), table(phones), sep="\n")
    for device in (laptop, phone):
        assert wait(lambda home=device.home: not processes(home), _PATIENCE_S), processes(device.home)  # type: ignore[misc]
        log = "".join(file.read_text(errors="replace") for file in device.logs())
        assert "Traceback" not in log, log[-20_000:]
        with sqlite3.connect(device.paths.library) as library:
            assert library.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    _check(hours)
    _check(phones)


def _check(hours: list[Measured]) -> None:
    """The least of the last two hours against the most of the warm-up's last two: what comes and goes is no leak."""
    first, last = ([one.numbers() for one in part] for part in (hours[WARM_UP - 2 : WARM_UP], hours[-2:]))
    more = {name: min(one[name] for one in last) - max(one[name] for one in first) for name in ALLOWED}
    leaks = {name: by for name, by in more.items() if by > ALLOWED[name]}
    held = hours[-1].held
    kinds, threads = _kinds([hours[WARM_UP - 1], hours[-1]]), held.threads if held else ()
    assert not leaks, f"grown by {leaks}; objects: {kinds}; threads: {threads}\n{table(hours)}"


def _kinds(hours: list[Measured]) -> str:
    """Of which types there are more objects in the last one than in the first."""
    before, after = hours[0].held, hours[-1].held
    return grown(before.types, after.types) if before and after else ""

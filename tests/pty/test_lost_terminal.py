"""Whatever happens to the terminal, the position is saved and no process is left behind."""

import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.processes import processes, state
from tests.pty.conftest import saved_position
from tests.pty.levels import at_rest
from tests.pty.terminal import Terminal
from tests.pty.test_journeys import wait_elapsed
from tests.quick import mostly_long

pytestmark = [
    pytest.mark.pty,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]

HELP = "What to do, a key"
EARMARK = f"'{sys.executable}' -m tui"
LEADER = (sys.executable, "-m", "tui")
CHILD = ("/bin/sh", "-c", f"{EARMARK}; exit $?")
IGNORED = ("/bin/sh", "-c", f"trap '' HUP; exec {EARMARK}")
"""As under nohup: SIGHUP is ignored from the start."""
SHIELDED = ("/bin/sh", "-c", f"trap : HUP; {EARMARK}; while :; do sleep 1; done")
"""Below a parent that leads the session and survives SIGHUP: the kernel sends it to nobody else."""
MAKE = ("make", "--no-print-directory", "--silent", "--file", "{makefile}", "run")

ENDS_S = 2.0
"""Earmark's promise, from the event to the end of the process ..."""
SLACK_S = 4.0
"""... and what a busy machine needs to schedule, end and reap it."""


@dataclass
class Stage:
    """An Earmark in a terminal, as one way of starting it left it."""

    terminal: Terminal
    paths: Paths
    pid: int
    shown_ms: int = 0
    shown_at: float = 0.0
    """By the monotonic clock, in s; 0 while nothing played."""
    before_loss: Callable[[], None] = lambda: None

    def close(self) -> None:
        self.before_loss()
        self.terminal.close()

    def send(self, number: int) -> None:
        self.before_loss()
        os.kill(self.pid, number)

    def press_quit(self) -> None:
        self.before_loss()
        os.write(self.terminal.process.fd, b"\x11")  # ctrl+q

    def kill_parent(self) -> None:
        self.before_loss()
        self.terminal.process.kill(signal.SIGKILL)

    def fill(self) -> None:
        """Makes Earmark draw, and reads none of it, until the terminal takes no more."""
        columns = [100, 120]
        while not wait(lambda: not self._takes_more(), 0.1):
            self.terminal.process.setwinsize(40, columns[0])
            columns.reverse()

    def _takes_more(self) -> bool:
        other_side = os.open(f"/proc/{self.pid}/fd/0", os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return bool(select.select([], [other_side], [], 0)[1])
        finally:
            os.close(other_side)


def wait(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def pythons(home: Path) -> list[int]:
    return [pid for pid, command in processes(home).items() if command.startswith(sys.executable)]


@contextmanager
def earmark(paths: Paths, command: tuple[str, ...], tmp_path: Path) -> Iterator[Stage]:
    makefile = tmp_path / "Makefile"
    makefile.write_text(f".PHONY: run\nrun:\n\t@true\n\t@exec {EARMARK}\n")
    filled_in = [word.format(makefile=makefile) if word == "{makefile}" else word for word in command]
    with Terminal(command=filled_in) as terminal:
        terminal.wait_for("enter play")
        try:
            yield Stage(terminal, paths, int(paths.lock.read_text()))
        finally:
            for pid in processes(paths.data.parent):
                os.kill(pid, signal.SIGKILL)


def assert_gone(stage: Stage) -> None:
    """All of its processes, that is; the shell or make above it may live on."""

    def gone() -> bool:
        return not pythons(home)

    home = stage.paths.data.parent
    began = time.monotonic()
    assert wait(gone, ENDS_S + SLACK_S), f"after {time.monotonic() - began:.1f} s: {processes(home)}"
    assert saved_position(stage.paths.library) >= stage.shown_ms - 1000


def _hang(answering: threading.Event) -> None:
    """A server that takes a request and never answers, while the test lasts."""
    answering.wait(30)


def paused(stage: Stage) -> None:
    """As it opens."""


def playing(stage: Stage) -> None:
    stage.terminal.press("enter")
    stage.shown_ms = wait_elapsed(stage.terminal, 1000)
    stage.shown_at = time.monotonic()


def in_a_dialog(stage: Stage) -> None:
    playing(stage)
    stage.terminal.press("a")
    stage.terminal.wait_for("Words; or a URL")
    stage.terminal.press("https://exam")


def in_help(stage: Stage) -> None:
    playing(stage)
    stage.terminal.press("?")
    stage.terminal.wait_for(HELP)


def close(stage: Stage) -> None:
    stage.close()


def stop_reading_then_close(stage: Stage) -> None:
    stage.fill()
    stage.close()


def terminate(stage: Stage) -> None:
    stage.send(signal.SIGTERM)


def hang_up(stage: Stage) -> None:
    stage.send(signal.SIGHUP)


def interrupt(stage: Stage) -> None:
    stage.send(signal.SIGINT)


def stop_reading_then(number: int) -> Callable[[Stage], None]:
    def act(stage: Stage) -> None:
        stage.fill()
        stage.send(number)

    act.__name__ = f"stop_reading_then_{signal.Signals(number).name}"
    return act


def stop_reading_then_quit(stage: Stage) -> None:
    stage.fill()
    stage.press_quit()


def kill_the_parent(stage: Stage) -> None:
    stage.kill_parent()


STARTS = {LEADER: "leader", CHILD: "child", IGNORED: "ignored", SHIELDED: "shielded", MAKE: "make"}
WAYS = mostly_long(
    [
        (MAKE, paused, stop_reading_then_close),
        (MAKE, playing, kill_the_parent),
        (LEADER, paused, close),
        (LEADER, playing, close),
        (CHILD, playing, close),
        (IGNORED, paused, close),
        (IGNORED, playing, close),
        (SHIELDED, paused, close),
        (SHIELDED, playing, close),
        (SHIELDED, in_a_dialog, close),
        (SHIELDED, in_help, close),
        (MAKE, paused, close),
        (MAKE, playing, close),
        (LEADER, playing, stop_reading_then_close),
        (SHIELDED, playing, stop_reading_then_close),
        (LEADER, playing, terminate),
        (LEADER, playing, hang_up),
        (LEADER, playing, interrupt),
        (SHIELDED, in_a_dialog, interrupt),
        (LEADER, playing, stop_reading_then(signal.SIGTERM)),
        (LEADER, paused, stop_reading_then(signal.SIGHUP)),
        (SHIELDED, playing, stop_reading_then(signal.SIGINT)),
        (LEADER, playing, stop_reading_then_quit),
        (CHILD, playing, kill_the_parent),
    ],
    quick=2,
)
"""How Earmark was started, what it was doing, and what happened to its terminal; the others take minutes."""


@pytest.mark.parametrize(
    ("command", "doing", "event"),
    WAYS,
    ids=lambda value: value.__name__ if callable(value) else STARTS[value],
)
def test_it_ends_at_once_with_the_position_saved(
    silent: Paths,
    tmp_path: Path,
    command: tuple[str, ...],
    doing: Callable[[Stage], None],
    event: Callable[[Stage], None],
) -> None:
    with earmark(silent, command, tmp_path) as stage:
        doing(stage)
        event(stage)
        assert_gone(stage)


@pytest.mark.parametrize(
    "event", mostly_long([close, terminate, stop_reading_then_close]), ids=lambda event: event.__name__
)
def test_it_ends_in_the_middle_of_an_import_with_all_its_processes(
    silent: Paths, server: LoopbackServer, tmp_path: Path, event: Callable[[Stage], None]
) -> None:
    answering = threading.Event()
    urls = [server.answer(f"/{number}", lambda _: _hang(answering)) for number in range(20)]
    outlines = "".join(f'<outline type="rss" text="{url}" xmlUrl="{url}"/>' for url in urls)
    opml = tmp_path / "podcasts.opml"
    opml.write_text(f"<opml version='2.0'><body>{outlines}</body></opml>")
    with earmark(silent, SHIELDED, tmp_path) as stage:
        playing(stage)
        stage.terminal.press("ctrl+p")
        stage.terminal.wait_for("Commands and keys")
        stage.terminal.press("import", "enter")
        stage.terminal.wait_for("OPML")
        stage.terminal.press(str(opml), "enter")
        stage.terminal.wait_for("20 podcasts")
        stage.terminal.press("enter")
        stage.terminal.wait_until(lambda: bool(server.seen), "a feed to be asked for")
        assert len(processes(silent.data.parent)) > 2
        event(stage)
        assert_gone(stage)
    answering.set()


@pytest.mark.parametrize("number", mostly_long([signal.SIGTERM, signal.SIGHUP, signal.SIGINT]))
@pytest.mark.parametrize("moment_s", mostly_long([0.4, *(number / 20 for number in range(20))]))
def test_a_signal_while_it_opens_leaves_the_terminal_as_it_was(silent: Paths, number: int, moment_s: float) -> None:
    """Wherever it hits: what is tested is that the terminal is given back, however far it was taken over."""
    with Terminal(command=("/bin/sh", "-c", f"{EARMARK}; stty -a; echo it ended; read line")) as terminal:
        assert wait(lambda: bool(pythons(silent.data.parent)), 20)
        wait(lambda: False, moment_s)
        for pid in pythons(silent.data.parent):
            os.kill(pid, number)
        terminal.wait_for("it ended")
        assert re.search(r"(?<!-)icanon", terminal.text)
        assert re.search(r"(?<!-)echo\b", terminal.text)
        modes = dict(re.findall(rb"\x1b\[\?(1049|1000|1003|1004|2004)([hl])", bytes(terminal.raw)))
        assert set(modes.values()) <= {b"l"}


@pytest.mark.parametrize("before", mostly_long(["trap : HUP; ", ""]), ids=["shielded", "leader"])
def test_play_in_the_foreground_ends_with_its_terminal(silent: Paths, before: str) -> None:
    subprocess.run([*LEADER, "episodes"], check=True, capture_output=True)
    play = ("/bin/sh", "-c", f"{before}{EARMARK} play 1; while :; do sleep 1; done")
    with Terminal(command=play) as terminal:
        terminal.wait_for("0:01")
        stage = Stage(terminal, silent, int(silent.lock.read_text()), shown_ms=1000)
        stage.close()
        assert_gone(stage)
        for pid in processes(silent.data.parent):
            os.kill(pid, signal.SIGKILL)


STUCK = """
import logging
import time
from tui.cli.main import process
from tui.controllers.lists.marks import MarksController

MarksController.star = lambda self: (logging.info("hanging"), time.sleep(60))
process()
"""


@pytest.mark.parametrize(
    ("event", "reading"),
    mostly_long([(terminate, False), (close, True), (terminate, True), (close, False)]),
    ids=lambda value: value.__name__ if callable(value) else "reading" if value else "not reading",
)
def test_a_screen_that_hangs_is_ended_all_the_same(
    silent: Paths, tmp_path: Path, event: Callable[[Stage], None], reading: bool
) -> None:
    with earmark(silent, (sys.executable, "-c", STUCK), tmp_path) as stage:
        playing(stage)
        if not reading:
            stage.fill()
        os.write(stage.terminal.process.fd, b"s")
        assert wait(lambda: silent.log.exists() and "hanging" in silent.log.read_text(), 10)
        event(stage)
        assert_gone(stage)
        assert "without waiting" in silent.log.read_text()
        if event is terminate:
            stage.terminal.wait_exit()
            assert b"\x1b[?1049l" in stage.terminal.raw


@pytest.mark.long
def test_after_a_pause_in_reading_the_screen_is_what_it_should_be(silent: Paths, tmp_path: Path) -> None:
    with earmark(silent, LEADER, tmp_path) as stage:
        playing(stage)
        stage.terminal.press("space")
        stage.terminal.wait_for("⏸")
        stage.fill()
        stage.terminal.resize(120, 40)
        os.write(stage.terminal.process.fd, b"?")
        stage.terminal.wait_for(HELP)
        stage.terminal.press("escape")
        stage.terminal.wait_gone(HELP)
        stage.terminal.read_all()
        shown = stage.terminal.lines
        stage.send(signal.SIGCONT)  # draws everything again
        stage.terminal.feed(b"\x1b[2J")
        stage.terminal.wait_until(lambda: stage.terminal.lines == shown, "the same screen, drawn anew")
        stage.terminal.press("q")
        assert stage.terminal.wait_exit() == 0


@pytest.mark.parametrize("stop", mostly_long([signal.SIGTSTP, signal.SIGSTOP]))
def test_stopped_and_continued_it_draws_everything_again_and_takes_each_key_once(
    silent: Paths, tmp_path: Path, stop: int
) -> None:
    with earmark(silent, LEADER, tmp_path) as stage:
        terminal = stage.terminal
        terminal.press("j")
        terminal.wait_for("newest first +2. Find your way")
        terminal.wait_for("The mouse works as well")
        terminal.wait_for("Notes Chapters Transcript Links")
        seen: list[list[str]] = []

        def is_still() -> bool:
            seen.append(terminal.lines if at_rest(stage.pid) else [])
            return len(seen) >= 5 and all(one == seen[-1] != [] for one in seen[-5:])

        terminal.wait_until(is_still, "the end of what a start does")
        before = seen[-1]
        stage.send(stop)
        assert wait(lambda: state(stage.pid) == "T", 5)
        terminal.feed(b"\x1b[2J\x1b[HSomebody else drew this")
        stage.send(signal.SIGCONT)
        terminal.wait_until(lambda: terminal.lines == before, "the screen of before")
        terminal.press("j")
        terminal.wait_for("▌.*3. ")
        terminal.press("k")
        terminal.wait_for("▌.*2. Find your way")
        terminal.press("q")
        assert terminal.wait_exit() == 0


@pytest.mark.long
def test_suspended_and_continued_twenty_times_it_answers_keys_with_no_more_threads_and_files(
    silent: Paths, tmp_path: Path
) -> None:
    with earmark(silent, LEADER, tmp_path) as stage:
        levels = []
        for _ in range(20):
            os.write(stage.terminal.process.fd, b"\x1a")
            assert wait(lambda: state(stage.pid) == "T", 5)
            stage.send(signal.SIGCONT)
            stage.terminal.press("?")
            stage.terminal.wait_for(HELP)
            stage.terminal.press("escape")
            stage.terminal.wait_gone(HELP)
            levels.append([len(list(Path(f"/proc/{stage.pid}/{what}").iterdir())) for what in ("task", "fd")])
        assert max(levels[-1][0] - levels[4][0], levels[-1][1] - levels[4][1]) <= 1, levels
        stage.terminal.press("q")
        assert stage.terminal.wait_exit() == 0

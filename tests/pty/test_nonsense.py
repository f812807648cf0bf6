"""Whatever the terminal sends, the app goes on and answers the next key."""

import os
import random
import statistics
import sys
import time
from typing import NamedTuple

import pytest

from player.paths import Paths
from tests.pty.levels import cpu_s, most_resident_kb
from tests.pty.terminal import Terminal
from tests.quick import seeded
from tests.tui.terminal.nonsense import cases

pytestmark = pytest.mark.pty

LONG_S = float(os.environ.get("EARMARK_NONSENSE_S", "60"))
ANSWERED_S = 0.3
"""From a key to what is drawn: of the processor's time, however busy the machine is. By the clock at the median."""
_FROZEN_S = 10.0
_QUIET_S, _MOST_S = 0.15, 10.0
"""A sequence that was cut, or a paste, is over after a moment without anything more."""


class Answer(NamedTuple):
    """How long it took, in s."""

    processor_s: float
    clock_s: float


def answered(terminal: Terminal, key: str) -> Answer:
    pid = terminal.process.pid
    before, began_s, began = len(terminal.raw), cpu_s(pid), time.monotonic()
    terminal.press(key)
    terminal.wait_until(lambda: len(terminal.raw) > before, f"an answer to {key}", deadline_s=_FROZEN_S)
    return Answer(cpu_s(pid) - began_s, time.monotonic() - began)


def send(terminal: Terminal, data: bytes) -> None:
    for at in range(0, len(data), 1024):
        terminal.process.write(data[at : at + 1024])
        terminal.pump()


def attack(terminal: Terminal, chance: random.Random, seconds: float, count: int) -> list[Answer]:
    """To a key after each case."""
    taken: list[Answer] = []
    end = time.monotonic() + seconds
    for case in cases(chance, count, flood=10_000):
        if time.monotonic() > end:
            break
        try:
            send(terminal, case)
            terminal.read_all(_QUIET_S)
            send(terminal, b"\x1b[201~\x1b\\")
            terminal.read_all(_QUIET_S)
            taken.append(took := answered(terminal, "?"))  # the help opens, or a letter is typed
            assert took.processor_s <= ANSWERED_S, f"a key took {took}"
            terminal.press("escape")
            terminal.read_all(_QUIET_S)
        except (AssertionError, OSError) as error:
            raise AssertionError(f"after {case[:300]!r}: {error}") from error
    return taken


def report(taken: list[Answer], pid: int) -> str:
    processor, clock = (sorted(times) for times in zip(*taken, strict=True))
    return (
        f"{len(taken)} cases: processor median {statistics.median(processor):.3f} s, most {processor[-1]:.3f} s; "
        f"clock {statistics.median(clock):.3f} s and {clock[-1]:.3f} s; {most_resident_kb(pid)} kB"
    )


def test_a_key_that_cannot_be_a_letter_and_sizes_that_cannot_be_end_nothing(silent: Paths) -> None:
    with Terminal(columns=100, rows=30) as terminal:
        terminal.wait_for("enter play")
        send(terminal, b"\x1b[1114112u\x1b[97;1:3u\x1b[?2048;2$y\x1b[48;99999;99999;0;0t\x1b[<35;5;5M\x1b[8;5000;5000t")
        send(terminal, b"\x1b[<35;5;5M\x1b[I\x1b[O" * 5_000)
        terminal.press("?")
        terminal.wait_for("What to do, a key")
        assert most_resident_kb(terminal.process.pid) < 300_000
        terminal.press("escape")
        terminal.wait_gone("What to do, a key")
        terminal.press("q")
        assert terminal.wait_exit() == 0
    assert "Traceback" not in silent.log.read_text()


BROKEN = """
from tui.cli.main import process
from {module} import {owner}

def fail(*_):
    raise TypeError("a bug")

{owner}.{method} = fail
process()
"""


@pytest.mark.parametrize(
    ("module", "owner", "method"),
    [("tui.controllers.lists.marks", "MarksController", "star"), ("tui.terminal.driver", "TerminalDriver", "_read")],
    ids=["a key", "reading the terminal"],
)
def test_a_bug_ends_the_app_with_a_sentence_and_never_with_exit_code_0(
    silent: Paths, module: str, owner: str, method: str
) -> None:
    command = (sys.executable, "-c", BROKEN.format(module=module, owner=owner, method=method))
    with Terminal(command=command) as terminal:
        terminal.wait_for("enter play")
        terminal.press("s")
        assert terminal.wait_exit() == 1
    # The emulator has no alternate screen: the sentence begins, and may wrap, wherever the last frame left the cursor.
    printed = terminal.raw.decode(errors="replace")
    said = printed.rpartition("\x1b[?1049l")[2]
    assert "Something went wrong inside Earmark (TypeError). Your position is saved." in said
    assert "Traceback" not in printed
    assert "a bug" in silent.log.read_text()


@pytest.mark.long
@pytest.mark.timeout(LONG_S * 3 + 120)
def test_every_form_of_nonsense_leaves_keys_answered(silent: Paths) -> None:
    """EARMARK_NONSENSE_S: for how long."""
    with Terminal(columns=100, rows=30) as terminal:
        terminal.wait_for("enter play")
        taken = attack(terminal, seeded(), LONG_S, 1_000_000)
        print(report(taken, terminal.process.pid))
        assert statistics.median(took.clock_s for took in taken) < ANSWERED_S
        assert most_resident_kb(terminal.process.pid) < 400_000
    assert "Traceback" not in (silent.log.read_text() if silent.log.exists() else "")

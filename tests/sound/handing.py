"""Hand-overs heard at the sink: how long the silence is, and what is heard twice or lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.sound.pitch import heard, steady
from tests.sound.sound_server import RATE, Recording

ROOT = Path(__file__).parents[2]
_WORD = "please"
_SILENCE = 0.01
_BREAK_S = 0.02
_BLUR_S = 0.06
"""Where sound begins or ends, a tone can't be read any closer."""
_READINGS = 8
_DEADLINE_S = 30.0


@dataclass(frozen=True)
class Gap:
    """The silence between two sounds, in seconds; `lost_s`: what lies between them in the episode, below 0 what was
    heard twice. `at`: when it began (time.monotonic)."""

    at: float
    seconds: float
    lost_s: float


def gaps(recording: Recording, since: float = 0.0) -> list[Gap]:
    """All silences within the sound after a moment. Raises AssertionError where a tone can't be read."""
    samples, first = recording.samples()
    skipped = max(0, int((since - first) * RATE))
    loud = np.flatnonzero(np.abs(samples[skipped:]) > _SILENCE) + skipped
    sounds = steady(heard(recording, since))
    found = []
    for index in np.flatnonzero(np.diff(loud) > _BREAK_S * RATE):
        ended, began = first + loud[index] / RATE, first + loud[index + 1] / RATE
        before = [one for one in sounds if one.at < ended - _BLUR_S][-_READINGS:]
        after = [one for one in sounds if one.at > began + _BLUR_S][:_READINGS]
        last = np.median([one.position_s + ended - one.at for one in before if one.position_s is not None])
        next_ = np.median([one.position_s + began - one.at for one in after if one.position_s is not None])
        found.append(Gap(float(ended), float(began - ended), float(next_ - last)))
    return found


@dataclass
class Holder:
    """A process that plays (`tests/sound/holder.py`)."""

    role: str
    process: "subprocess.Popen[str]"
    said: list[str] = field(default_factory=list)

    @classmethod
    def start(cls, role: str, environ: Mapping[str, str], *episodes: object) -> "Holder":
        command = [sys.executable, "-m", "tests.sound.holder", role, *map(str, episodes)]
        process = subprocess.Popen(
            command, env={**os.environ, **environ, "EARMARK_WORD": _WORD}, cwd=ROOT, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        return cls(role, process)

    def wait_for(self, word: str) -> str:
        """The line that begins so. Raises AssertionError where the process says something else, or ends."""
        assert self.process.stdout
        line = self.process.stdout.readline().rstrip()
        self.said.append(line)
        assert line.startswith(word), (self.role, self.said, self.process.poll())
        return line

    def expect(self) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{_WORD}\n")
        self.process.stdin.flush()
        while not self.wait_for("").startswith("expects"):  # what it said before and nobody waited for
            assert self.alive, self.said

    def wait_for_end(self) -> None:
        self.process.wait(_DEADLINE_S)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    @property
    def alive(self) -> bool:
        return self.process.poll() is None


@contextmanager
def holders() -> Iterator[list[Holder]]:
    """Those that are in the list at the end are ended."""
    started: list[Holder] = []
    try:
        yield started
    finally:
        for one in started:
            one.kill()
            for stream in (one.process.stdin, one.process.stdout):
                if stream:
                    with suppress(OSError):
                        stream.close()


def hand_over(giver: Holder, role: str, environ: Mapping[str, str]) -> Holder:
    """To a new process, which it returns, once the old one has ended."""
    if giver.role == "app":
        giver.expect()
    taker = Holder.start(role, environ)
    taker.wait_for("open")
    taker.wait_for("sounds")
    giver.wait_for_end()
    return taker


def rest(seconds: float) -> None:
    """While something is heard."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.02)

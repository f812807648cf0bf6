"""Programs that a test runs, and what became of them."""

import threading
from collections.abc import Sequence
from pathlib import Path

from player.integrations.hooks.program_runner import Outcome, ProgramRunner
from tests.player.playback.support import wait_until


def script(path: Path, body: str, *, mode: int = 0o755) -> str:
    """The path of a shell script."""
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(mode)
    return str(path)


class Running:
    """Runs programs in their process, and keeps the outcomes."""

    def __init__(self, folder: Path, idle_s: float = 30.0) -> None:
        self.folder = folder
        self.failures = folder / "state" / "failures.jsonl"
        self.outcomes: list[Outcome] = []
        self.runner = ProgramRunner(self.failures, self.outcomes.append, idle_s)
        self.ran = 0

    def run(self, *words: str, setting: str = "started", given: str = "", seconds: float = 20, **more: str) -> None:
        self.ran += 1
        environment = {f"EARMARK_{name}": value for name, value in more.items()}
        self.runner.run(setting, words, given, environment, str(self.folder), seconds)

    def all_over(self) -> list[Outcome]:
        """In the order of the programs' start."""
        wait_until(lambda: len(self.outcomes) == self.ran, "the programs")
        return sorted(self.outcomes, key=lambda one: one.id)


def alive(pid: int) -> bool:
    """Whether a process is there that isn't only waiting to be waited for."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def names_of(outcomes: Sequence[Outcome]) -> list[str]:
    return [one.outcome for one in outcomes]


def threads_named(name: str) -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == name]

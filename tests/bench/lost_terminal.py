"""A terminal that goes away, in every way that is tested: how long Earmark takes to end, and what it saved."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from player.paths import Paths
from tests.bench.table import print_table
from tests.processes import processes
from tests.pty.conftest import saved_position
from tests.pty.test_lost_terminal import STARTS, WAYS, Stage, earmark, wait

_LONGEST_S = 30.0
_SETTINGS = '[playback]\nengine = "silent"\n[feeds]\nrefresh_on_start = false\n'


@dataclass
class Loss:
    """Seconds and ticks of the kernel's clock from the loss of the terminal on; those of the last look are counted."""

    gone_s: float | None
    ticks: int
    off_s: float | None


def measure() -> None:
    rows = []
    for command, doing, event in map(_way, WAYS):
        with _home() as (paths, folder), earmark(paths, command, folder) as stage:
            doing(stage)
            loss = _measured(stage, event)
        gone = "never" if loss.gone_s is None else f"{loss.gone_s:.2f} s"
        off = "nothing played" if loss.off_s is None else f"{loss.off_s:+.2f} s"
        rows.append((f"{STARTS[command]}, {doing.__name__}, {event.__name__}", gone, str(loss.ticks), off))
    print_table(
        "A terminal is lost",
        ("started as, doing, event", "gone after", "CPU", "saved position"),
        rows,
        f"CPU in ticks of {1000 // os.sysconf('SC_CLK_TCK')} ms, all of Earmark's processes, after the loss; "
        "the position is compared with the one that played at the loss.",
    )


def _way(way: Any) -> tuple[tuple[str, ...], Callable[[Stage], None], Callable[[Stage], None]]:
    """One of a test's rows, with a mark or without."""
    return tuple(getattr(way, "values", way))


def _measured(stage: Stage, event: Callable[[Stage], None]) -> Loss:
    home = stage.paths.data.parent
    ours = [pid for pid, command in processes(home).items() if command.startswith(sys.executable)]
    lost_at = 0.0
    ticks_before: dict[int, int] = {}
    ticks: dict[int, int] = {}

    def lose() -> None:
        nonlocal lost_at
        ticks_before.update(_ticks(ours))
        lost_at = time.monotonic()

    def gone() -> bool:
        now = _ticks(ours)
        ticks.update(now)
        return not now

    stage.before_loss = lose
    event(stage)
    gone_s = time.monotonic() - lost_at if wait(gone, _LONGEST_S) else None
    used = sum(count - ticks_before.get(pid, 0) for pid, count in ticks.items())
    if not stage.shown_at:
        return Loss(gone_s, used, None)
    played_ms = stage.shown_ms + (lost_at - stage.shown_at) * 1000
    return Loss(gone_s, used, (saved_position(stage.paths.library) - played_ms) / 1000)


def _ticks(pids: list[int]) -> dict[int, int]:
    """Of those that still live: what they have used."""
    used = {}
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            used[pid] = int(fields[11]) + int(fields[12])
    return used


@contextmanager
def _home() -> Iterator[tuple[Paths, Path]]:
    """A silent Earmark's folders, as those of the environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environ = {"EARMARK_HOME": str(folder / "earmark"), "HOME": name, "https_proxy": "http://127.0.0.1:9"}
        with mock.patch.dict(os.environ, environ):
            paths = Paths.of()
            paths.config.mkdir(parents=True)
            paths.settings.write_text(_SETTINGS, encoding="utf-8")
            yield paths, folder

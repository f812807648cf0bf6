"""What status bars, scripts, shells and hostile programs cost: commands to the app that runs, and keys in it while
50,000 lines of nonsense come over the control socket from 500 connections."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

from player.paths import Paths
from tests.bench.keys import _key, _settle
from tests.bench.scale import stocked
from tests.bench.table import ms, print_table
from tests.pty.terminal import Terminal

_SIZE = 10_000
_ROUNDS = 31
_LINES = 50_000
_LINE_S = 0.060
_TAB_S = 0.100
_KEYS = (None, 0.033, None)
_FORMAT = "{icon} {title:.30} {position}/{duration}"


def measure() -> None:
    paths = stocked(_SIZE)
    environ = {"EARMARK_HOME": str(paths.data.parent)}
    with Terminal(environ=environ) as terminal:
        terminal.wait_for(r"▌\S* Episode \d+:")
        terminal.wait_until(paths.socket.exists, "the control socket")
        _settle(terminal)
        _line_table(environ)
        _key_table(terminal, paths)
        terminal.press("q")
        terminal.wait_exit()


def _line_table(environ: dict[str, str]) -> None:
    earmark = [sys.executable, "-m", "tui"]
    rows = []
    for name, command, bar in (
        ("python alone", [sys.executable, "-c", "pass"], None),
        ("earmark status --format", [*earmark, "status", "--format", _FORMAT], _LINE_S),
        ("the same in Japanese", [*earmark, "status", "--format", f"再生中 {_FORMAT}"], None),
        ("earmark status", [*earmark, "status"], None),
        ("earmark volume 100", [*earmark, "volume", "100"], None),
        ("earmark run down", [*earmark, "run", "down"], None),
        ("earmark episodes --limit 5", [*earmark, "episodes", "--limit", "5"], None),
        ("tab after earmark play", [*earmark, "complete", "bash", "episode", "Ep"], _TAB_S),
        ("earmark --spec", [*earmark, "--spec"], None),
    ):
        found = [_timed(command, environ) for _ in range(_ROUNDS)]
        wall, cpu = (statistics.median(one[part] for one in found) for part in (0, 1))
        held = "" if bar is None else "holds" if wall < bar else "MISSED"
        rows.append([name, ms(wall), ms(cpu), "" if bar is None else ms(bar), held])
    print_table(f"Commands to the app that runs, medians of {_ROUNDS}", ("", "wall", "cpu", "bar (wall)", ""), rows)


def _key_table(terminal: Terminal, paths: Paths) -> None:
    during: list[float] = []
    waits = {"at rest": [_key(terminal, key) for key in ["j", "k"] * 100], "while 50,000 lines come": during}
    with subprocess.Popen([sys.executable, "-m", "tests.socket_storm", str(paths.socket), str(_LINES)]) as senders:
        while senders.poll() is None:
            during.append(_key(terminal, "jk"[len(during) % 2]))
    rows = []
    for name, found in waits.items():
        ordered = sorted(found)
        shown = [ordered[int((len(ordered) - 1) * share)] for share in (0.5, 0.99, 1)]
        held = all(bar is None or one < bar for one, bar in zip(shown, _KEYS, strict=True))
        rows.append([name, str(len(ordered)), *map(ms, shown), ms(_KEYS[1]), "holds" if held else "MISSED"])
    print_table(
        "Keys in the app while programs send nonsense", ("", "keys", "median", "p99", "worst", "bar (p99)", ""), rows
    )


def _timed(command: Sequence[str], environ: dict[str, str]) -> tuple[float, float]:
    """Seconds of wall time, and of processor time, for one run."""
    start = time.perf_counter()
    pid = os.posix_spawn(
        command[0],
        list(command),
        {**os.environ, **environ},
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _pid, status, used = os.wait4(pid, 0)
    took = time.perf_counter() - start
    assert status == 0, f"{' '.join(command)} ended with {status}"
    return took, used.ru_utime + used.ru_stime

"""What playing costs: processor time beside libvlc's own decoding."""

import time

from tests.bench.house import Bare, House, bare_libvlc, cpu_seconds, house, rest
from tests.bench.table import print_table, ratio
from tests.pty.terminal import Terminal

_LISTEN_S = 30.0
_BAR = 3.0
"""Percent of a core."""


def measure() -> None:
    with house() as home:
        episode = home.stock(["cached"])["cached"]
        home.cache([episode])
        home.leave_at(60_000, episode)
        with home.app() as terminal:
            idle = _share(terminal, home)
            terminal.press("enter")
            terminal.wait_for("▶")
            rest(terminal, 3)
            playing = _share(terminal, home)
        with bare_libvlc(home) as bare:
            bare.order("play 60000")
            time.sleep(3)
            alone = _bare_share(bare)
    beside = playing - alone
    print_table(
        f"Processor time while playing, percent of a core over {_LISTEN_S:g} s",
        ("", "cpu", "to libvlc alone", "bar", ""),
        [
            ("app open, paused", f"{idle:.1f} %", "", "", ""),
            ("app open, playing", f"{playing:.1f} %", ratio(playing, alone), "", ""),
            ("libvlc alone, playing", f"{alone:.1f} %", "", "", ""),
            ("Earmark beside libvlc", f"{beside:.1f} %", "", f"{_BAR:g} %", "holds" if beside < _BAR else "MISSED"),
        ],
    )


def _share(terminal: Terminal, home: House) -> float:
    pid = terminal.process.pid
    start, used = time.monotonic(), cpu_seconds(pid)
    rest(terminal, _LISTEN_S)
    return 100 * (cpu_seconds(pid) - used) / (time.monotonic() - start)


def _bare_share(bare: Bare) -> float:
    start, used = time.monotonic(), cpu_seconds(bare.process.pid)
    time.sleep(_LISTEN_S)
    return 100 * (cpu_seconds(bare.process.pid) - used) / (time.monotonic() - start)

"""What playing costs, with effects and without: processor time beside libvlc's own decoding. And what it costs to
measure an hour of audio."""

import os
import time

from player.measuring.decoding import measure as measure_audio
from player.measuring.kinds import folders, measurements
from player.measuring.measurement import PIECE_MS, Audio
from tests.bench.house import Bare, House, bare_libvlc, cpu_seconds, house, rest
from tests.bench.table import print_table, ratio
from tests.pty.terminal import Terminal

_LISTEN_S = 30.0
_BAR, _EFFECTS_BAR = 3.0, 1.5
"""Percent of a core."""
_MEASURING_BAR = 8.0
"""Seconds."""
_HOUR_MS = 3_600_000
_EFFECTS = """
[audio]
level = "-16"
boost = "strong"
trim = "strong"
mono = true
"""


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
        with home.paths.settings.open("a", encoding="utf-8") as settings:
            settings.write(_EFFECTS)
        with home.app() as terminal:
            terminal.press("enter")
            terminal.wait_for("▶")
            rest(terminal, 3)
            effects = _share(terminal, home) - playing
        measuring = _measuring(home)
    beside = playing - alone
    print_table(
        f"Processor time while playing, percent of a core over {_LISTEN_S:g} s",
        ("", "cpu", "to libvlc alone", "bar", ""),
        [
            ("app open, paused", f"{idle:.1f} %", "", "", ""),
            ("app open, playing", f"{playing:.1f} %", ratio(playing, alone), "", ""),
            ("libvlc alone, playing", f"{alone:.1f} %", "", "", ""),
            ("Earmark beside libvlc", f"{beside:.1f} %", "", f"{_BAR:g} %", _held(beside, _BAR)),
            ("all effects, besides", f"{effects:.1f} %", "", f"{_EFFECTS_BAR:g} %", _held(effects, _EFFECTS_BAR)),
            ("measuring an hour", f"{measuring:.1f} s", "", f"{_MEASURING_BAR:g} s", _held(measuring, _MEASURING_BAR)),
        ],
    )


def _held(found: float, bar: float) -> str:
    return "holds" if found < bar else "MISSED"


def _measuring(home: House) -> float:
    """Seconds of processor time."""
    size, used = home.file.stat().st_size, time.process_time()
    audio = Audio(os.fsencode(home.file), ((0, size),), size)
    measure_audio(audio, measurements(folders()), 0, _HOUR_MS // PIECE_MS)
    return time.process_time() - used


def _share(terminal: Terminal, home: House) -> float:
    pid = terminal.process.pid
    start, used = time.monotonic(), cpu_seconds(pid)
    rest(terminal, _LISTEN_S)
    return 100 * (cpu_seconds(pid) - used) / (time.monotonic() - start)


def _bare_share(bare: Bare) -> float:
    start, used = time.monotonic(), cpu_seconds(bare.process.pid)
    time.sleep(_LISTEN_S)
    return 100 * (cpu_seconds(bare.process.pid) - used) / (time.monotonic() - start)

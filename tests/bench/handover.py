"""The sound handed over by `Q`, and taken back by opening the app: the silence, and what is heard twice or lost."""

import os
import time
from collections.abc import Sequence

from player.errors import ControlError
from tests.bench.house import House, house, rest, wait_until
from tests.bench.table import ms, print_table
from tests.pty.terminal import Terminal
from tests.sound.handing import Gap, gaps
from tests.sound.pitch import pitch_coded

_KINDS = {"MP3 VBR": "mp3 vbr", "AAC": "m4a", "Opus": "opus", "WAV": "wav"}
_TIMES = 25
"""Each way."""
_LISTEN_S = 1.2
_SECONDS = 400
_BAR_S = 0.3
_NEAR_S = 0.06
_WAYS = ("detached", "taken back")


def measure() -> None:
    rows = []
    for name, kind in _KINDS.items():
        found = _measured(kind)
        for way in _WAYS:
            of_way = found[_WAYS.index(way) :: 2]
            took = sorted(one.seconds for one in of_way)
            off = max((one.lost_s for one in of_way), key=abs)
            good = took[-1] < _BAR_S and abs(off) <= _NEAR_S
            middle = took[len(took) // 2]
            verdict = "holds" if good else "MISSED"
            rows.append(
                (f"{name}, {way}", ms(took[0]), ms(middle), ms(took[-1]), ms(_BAR_S), f"{off * 1000:+.0f} ms", verdict)
            )
    print_table(
        f"Silence while the sound changes hands, at the sink, of {_TIMES} each way",
        ("", "least", "median", "most", "bar", "lost (+) or twice (-)", ""),
        rows,
        f"Load of this machine now: {os.getloadavg()[0]:.1f}.",
    )


def _measured(kind: str) -> Sequence[Gap]:
    with house(8) as home:
        audio = home.server.audio("/tones", pitch_coded(kind, _SECONDS))
        episode = home.stock(["Tones"], {"Tones": audio})["Tones"]
        home.cache([episode])
        home.leave_at(0, episode)
        with home.sound.recording() as recording:
            terminal = _open(home)
            terminal.press("enter")
            _wait_for(home, "app")
            rest(terminal, 2 * _LISTEN_S)
            began = time.monotonic() - _LISTEN_S / 2
            for _ in range(_TIMES):
                terminal.press("Q")
                terminal.wait_exit()
                _wait_for(home, "background")
                time.sleep(_LISTEN_S)
                terminal = _open(home)
                _wait_for(home, "app")
                rest(terminal, _LISTEN_S)
            found = gaps(recording, began)
            terminal.press("q")
            terminal.wait_exit()
    if len(found) != 2 * _TIMES:
        raise AssertionError(f"{len(found)} silences were heard, not {2 * _TIMES}")
    return found


def _open(home: House) -> Terminal:
    terminal = Terminal(environ=home.environment())
    terminal.wait_for("all keys")
    return terminal


def _wait_for(home: House, runs_in: str) -> None:
    def plays() -> bool:
        try:
            status = home.ask("status")
        except ControlError:
            return False
        return bool(status["runs_in"] == runs_in and status["state"] == "playing")

    wait_until(plays, f"the sound in the {runs_in}")

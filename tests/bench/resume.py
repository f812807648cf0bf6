"""The same resume through Earmark and through another player on libvlc: jump, listen, leave, come back."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from tests.bench.house import House, house, rest
from tests.bench.long_audio import onset_after, position_at
from tests.bench.peers import castero
from tests.bench.peers.peer import Missing
from tests.bench.table import ms, print_table, ratio
from tests.pty.terminal import Terminal
from tests.sound.sound_server import Recording

_SECONDS = 600
_JUMPS = 13
_LISTEN_S = 3.0
_WAYS = ("q", "SIGKILL")


@dataclass(frozen=True)
class Rival:
    """A player as this test uses it: `jump` is the key for 30 s forward, `shown` the position it shows, in s."""

    name: str
    running: Callable[[], AbstractContextManager[Terminal]]
    jump: str
    shown: Callable[[Terminal], float | None]


@dataclass(frozen=True)
class Found:
    """Seconds; None where there was no sound. `moved`: how far from the last sound before the first one after is."""

    off_after_jumps: float | None
    to_sound: float | None
    moved: float | None
    off_after_resume: float | None


def measure() -> None:
    try:
        version = castero.install()
    except Missing as error:
        print(f"  castero isn't here to be compared with: {error}")
        return
    found: dict[str, list[Found]] = {}
    for way in _WAYS:
        with house(_SECONDS) as home:
            home.leave_at(0, home.stock(["Ten minutes"])["Ten minutes"])
            castero.subscribe(home, "Ten minutes", home.server.url("/long.mp3"))
            for rival in (
                Rival("Earmark", home.app, "right", lambda _terminal: home.ask("status")["position_ms"] / 1000),
                Rival(f"castero {version}", lambda: castero.running(home), "f", castero.shown),
            ):
                found.setdefault(rival.name, []).append(_resumed(rival, home, way))
    (_, ours), (theirs_name, theirs) = found.items()
    rows = []
    for index, way in enumerate(_WAYS):
        us, them = ours[index], theirs[index]
        after = "q" if way == "q" else "SIGKILL"
        rows += [
            _row(f"shown - heard after {_JUMPS} jumps of 30 s", us.off_after_jumps, them.off_after_jumps),
            _row(f"after {after}: heard again - heard last", us.moved, them.moved),
            _row(f"after {after}: shown - heard", us.off_after_resume, them.off_after_resume),
            (f"after {after}: key to sound", ms(us.to_sound), ms(them.to_sound), ratio(us.to_sound, them.to_sound)),
        ]
    print_table("Resume in a 10 min VBR MP3 on loopback", ("", "Earmark", theirs_name, "ratio of sizes"), rows)


def _row(what: str, ours: float | None, theirs: float | None) -> tuple[str, ...]:
    sizes = (abs(ours) if ours is not None else None, abs(theirs) if theirs is not None else None)
    return (what, _seconds(ours), _seconds(theirs), ratio(*sizes))


def _seconds(value: float | None) -> str:
    return "silent" if value is None else f"{value:+.2f} s"


def _resumed(rival: Rival, home: House, way: str) -> Found:
    with home.sound.recording() as recording:
        with rival.running() as terminal:
            terminal.press("enter")
            rest(terminal, _LISTEN_S)
            for _ in range(_JUMPS):
                terminal.press(rival.jump)
                rest(terminal, 0.5)
            rest(terminal, _LISTEN_S)
            off = _off(rival, terminal, recording)
            last = position_at(recording, time.monotonic() - 0.1)
            left = time.monotonic() - 0.1
            if way == "q":
                terminal.press("q")
            else:
                terminal.kill()
            terminal.wait_exit()
            # It plays on until it has gone.
            for later in range(40):
                heard = position_at(recording, left + later * 0.05)
                last = heard if heard is not None and last is not None and abs(heard - last) < 1 else last
        with rival.running() as terminal:
            rest(terminal, 0.5)
            moment = time.monotonic()
            terminal.press("enter")
            rest(terminal, _LISTEN_S)
            onset = onset_after(recording, moment)
            if onset is None:
                return Found(off, None, None, None)
            first = position_at(recording, onset + 0.15)
            moved = None if first is None or last is None else first - 0.15 - last
            return Found(off, onset - moment, moved, _off(rival, terminal, recording))


def _off(rival: Rival, terminal: Terminal, recording: Recording) -> float | None:
    """The position shown minus the one heard at that moment, in s."""
    shown = rival.shown(terminal)
    moment = time.monotonic()
    rest(terminal, 0.4)
    heard = position_at(recording, moment)
    return None if shown is None or heard is None else shown - heard

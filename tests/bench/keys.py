"""Keys pressed in the app while 200 feeds are first read and refreshed, and while 100,000 episodes are marked: how long
until another row is selected."""

import re
import select
import shutil
import time
from pathlib import Path

from tests.bench.feed_server import FEEDS, FeedServer, feed_server
from tests.bench.house import BUILD
from tests.bench.peers.earmark import Earmark
from tests.bench.scale import stocked
from tests.bench.table import ms, print_table
from tests.pty.terminal import KEYS, Terminal

_ROUNDS = 3
_GIVEN_UP_S = 5.0
_SELECTED = re.compile(r"▌\S* (Episode \d+ of show \d+|Episode \d+:)")
_ENDED = "new episodes|Nothing new"
"""What the app shows for some seconds after a refresh."""
_AT_REST = ("at rest", 0.008, 0.025, 0.08)
_FIRST_READ = ("while 200 feeds are first read", None, 0.033, 0.08)
_ALL_NEW = ("while 200 feeds bring something new", None, 0.033, 0.08)
_MANY = 100_000
_MARKING = (f"while {_MANY:,} are marked (un)played", None, 0.033, 0.08)
_AFTER_IT = 40
"""Keys that are still measured when all are marked: the rows are read again then."""
"""What is measured; limits in s of the median, p99 and the worst."""


def measure() -> None:
    waits: dict[str, list[float]] = {}
    with feed_server() as server:
        for number in range(_ROUNDS):
            for name, found in _round(BUILD / "feeds" / f"keys-{number}", server).items():
                waits.setdefault(name, []).extend(found)
    waits[_MARKING[0]] = _keys_in_marking()
    rows = []
    for name, *bars in (_AT_REST, _FIRST_READ, _ALL_NEW, _MARKING):
        ordered = sorted(waits[name])
        found = [ordered[int((len(ordered) - 1) * share)] for share in (0.5, 0.99, 1)]
        held = all(bar is None or one < bar for one, bar in zip(found, bars, strict=True))
        shown = " / ".join("–" if bar is None else ms(bar) for bar in bars)
        rows.append([name, str(len(ordered)), *map(ms, found), shown, "holds" if held else "MISSED"])
    print_table("Keys in the app, in a terminal", ("", "keys", "median", "p99", "worst", "bars", ""), rows)


def _round(home: Path, server: FeedServer) -> dict[str, list[float]]:
    """Keys at rest, with one feed read; then while the other 199 are first read, and while all have a new episode."""
    shutil.rmtree(home, ignore_errors=True)
    earmark = Earmark()
    earmark.subscribe(home, server.feeds[1:])
    earmark.add(home, server.feeds[0])
    with earmark.opened(home) as terminal:
        _settle(terminal)
        terminal.press("j")
        _settle(terminal)
        found = {_AT_REST[0]: [_key(terminal, key) for key in ["j", "k"] * 40]}
        found[_FIRST_READ[0]] = _keys_in_refresh(terminal)
        server.grow(FEEDS)
        found[_ALL_NEW[0]] = _keys_in_refresh(terminal)
        terminal.press("q")
        terminal.wait_exit()
    return found


def _keys_in_refresh(terminal: Terminal) -> list[float]:
    terminal.wait_gone(_ENDED)
    terminal.press("R")
    terminal.wait_for("Refreshing")
    waits: list[float] = []
    while not re.search(_ENDED, terminal.text):
        waits.append(_key(terminal, "jk"[len(waits) % 2]))
    _settle(terminal)
    return waits


def _keys_in_marking() -> list[float]:
    """While all episodes are marked as played, as unplayed again, and so on."""
    paths = stocked(_MANY)
    waits: list[float] = []
    with Terminal(environ={"EARMARK_HOME": str(paths.data.parent)}) as terminal:
        terminal.wait_for(r"▌\S* Episode \d+:")
        _settle(terminal)
        for _ in range(2 * _ROUNDS):
            terminal.wait_gone(f"Marked {_MANY:,}")
            terminal.press("ctrl+a")
            terminal.wait_for(f"{_MANY:,} selected")
            terminal.press("m")
            terminal.wait_gone(f"{_MANY:,} selected")
            left = _AFTER_IT
            while left:
                waits.append(_key(terminal, "jk"[len(waits) % 2]))
                left -= f"Marked {_MANY:,}" in terminal.text
        terminal.press("q")
        terminal.wait_exit()
    return waits


def _key(terminal: Terminal, key: str) -> float:
    """Seconds from the key until another episode is selected; what else is drawn meanwhile doesn't count.

    Raises AssertionError when the key selects nothing else: whatever is measured then, it isn't Earmark.
    """
    before = _selected(terminal)
    assert before, f"no row looks like a selected episode; the screen:\n{terminal.text}"
    start = time.perf_counter()
    terminal.process.write(KEYS.get(key, key).encode())
    while time.perf_counter() - start < _GIVEN_UP_S:
        if not select.select([terminal.process.fd], [], [], 0.02)[0]:
            continue
        came = time.perf_counter()
        terminal.feed(terminal.process.read(65536))
        if _selected(terminal) not in (before, ""):
            return came - start
    raise AssertionError(f"{key} selected no other episode within {_GIVEN_UP_S:g} s; the screen:\n{terminal.text}")


def _selected(terminal: Terminal) -> str:
    """The title in the selected row; empty while the row is still blank."""
    found = (_SELECTED.search(line) for line in terminal.lines)
    return next((match[1] for match in found if match), "")


def _settle(terminal: Terminal) -> None:
    while select.select([terminal.process.fd], [], [], 0.5)[0]:
        terminal._read(0.01)

"""From Enter to the first sound, and from a seek key to sound at the new place."""

import sys
import time

from player.model.episode import Episode
from tests.bench.house import ROUNDS, House, bare_libvlc, house, median, rest, wait_until
from tests.bench.long_audio import first_place_beyond, onset_after, position_at
from tests.bench.table import ms, print_table, ratio
from tests.pty.terminal import Terminal

FAR_MS = 115 * 60_000
_PLACES = (("the start", 0), ("1 h 55 min", FAR_MS))
_BARS = {"kept": 0.3, "loopback": 0.5}
_PATIENCE_S = 8.0
_NEAR_S = 1.0
_SEEK_BAR_S = 0.2


def measure() -> None:
    with house() as home:
        _first_sounds(home)
        _seeks(home)


def _first_sounds(home: House) -> None:
    titles = ["kept a", "kept b"]
    titles += [f"{part} {number} {which}" for part, _ in _PLACES for number in range(ROUNDS) for which in "ab"]
    episodes = home.stock(titles)
    kept = (episodes["kept a"], episodes["kept b"])
    home.cache(kept)
    rows = []
    for part, position_ms in _PLACES:
        floor = _bare(home, position_ms)
        for source, bar in _BARS.items():
            firsts, laters, wrong = [], [], 0
            for number in range(ROUNDS):
                pair = kept if source == "kept" else tuple(episodes[f"{part} {number} {which}"] for which in "ab")
                home.leave_at(position_ms, *pair)
                first, later, misplaced = _two_enters(home, pair, position_ms)
                firsts.append(first)
                laters.append(later)
                wrong += misplaced
                _tick()
            first, later = median(firsts), median(laters)
            row = (f"{source}, {part}", ms(first), ms(later), ms(floor), ratio(later, floor), ms(bar))
            rows.append((*row, _verdict(first, bar), _verdict(later, bar), str(wrong)))
    print_table(
        f"Enter to first sound of a 2 h VBR MP3, medians of {ROUNDS}",
        ("", "first in the app", "later", "libvlc alone", "ratio", "bar", "first", "later", "off by > 1 s"),
        rows,
        "The first Enter in an app loads libvlc as well. libvlc alone: avformat on the file, libvlc loaded already.\n"
        "  A place whose bytes have not come yet is a guess until they have.",
    )


def _verdict(seconds: float | None, bar: float) -> str:
    return "holds" if seconds is not None and seconds <= bar else "MISSED"


def _two_enters(home: House, pair: tuple[Episode, ...], position_ms: int) -> tuple[float | None, float | None, int]:
    """Seconds to the sound of the first and of a later Enter, and how many of them sounded at a wrong place."""
    with home.app() as terminal:
        first, wrong = _enter(home, terminal, position_ms)
        terminal.press("space")
        terminal.wait_until(lambda: home.ask("status")["state"] == "paused", "the pause")
        rest(terminal, 0.5)
        terminal.press("j")
        rest(terminal, 0.3)
        later, wrong_later = _enter(home, terminal, position_ms)
    return first, later, wrong + wrong_later


def _enter(home: House, terminal: Terminal, position_ms: int) -> tuple[float | None, bool]:
    with home.sound.recording() as recording:
        rest(terminal, 0.1)
        moment = time.monotonic()
        terminal.press("enter")
        until = moment + _PATIENCE_S
        terminal.wait_until(
            lambda: onset_after(recording, moment) is not None or time.monotonic() > until,
            "sound",
            deadline_s=_PATIENCE_S + 2,
        )
        onset = onset_after(recording, moment)
        if onset is None:
            return None, False
        rest(terminal, 0.8)
        heard = position_at(recording, onset + 0.5)
        return onset - moment, heard is None or abs(heard - 0.5 - position_ms / 1000) > _NEAR_S


def _bare(home: House, position_ms: int) -> float | None:
    found = []
    with bare_libvlc(home) as bare:
        for _ in range(ROUNDS):
            with home.sound.recording() as recording:
                moment = bare.order(f"play {position_ms}")
                wait_until(lambda: onset_after(recording, moment) is not None, "libvlc's sound")  # noqa: B023
                found.append((onset_after(recording, moment) or moment) - moment)
                bare.order("stop")
    return median(found)


def _seeks(home: House) -> None:
    with home.library() as library:
        episode = library.episodes.find("kept a")
    rows = []
    for key, by_s, where, position_ms in (
        ("right", 30, "at 1 min", 60_000),
        ("left", -15, "at 1 min", 60_000),
        ("right", 30, "at 1 h 50 min", 110 * 60_000),
        ("left", -15, "at 1 h 50 min", 110 * 60_000),
    ):
        home.leave_at(position_ms, episode)
        took = []
        with home.app() as terminal:
            _enter(home, terminal, position_ms)
            for _ in range(ROUNDS):
                rest(terminal, 1.2)
                took.append(_seek(home, terminal, key, by_s))
        result = median(took)
        floor = _bare_seek(home, position_ms, by_s)
        row = (f"{key} {where}", ms(result), ms(floor), ratio(result, floor), ms(_SEEK_BAR_S))
        rows.append((*row, _verdict(result, _SEEK_BAR_S)))
        _tick()
    print_table(
        f"Seek key to sound at the new place on kept bytes, medians of {ROUNDS}",
        ("", "Earmark", "libvlc alone", "ratio", "bar", ""),
        rows,
    )


def _seek(home: House, terminal: Terminal, key: str, by_s: int) -> float | None:
    with home.sound.recording() as recording:
        rest(terminal, 0.2)
        before = position_at(recording, time.monotonic() - 0.1)
        moment = time.monotonic()
        terminal.press(key)
        rest(terminal, 1.5)
        if before is None:
            return None
        target = before + 0.1 + by_s
        found = first_place_beyond(recording, moment, target - 3, target + 3)
        return found[0] - moment if found else None


def _bare_seek(home: House, position_ms: int, by_s: int) -> float | None:
    took: list[float | None] = []
    with bare_libvlc(home) as bare:
        with home.sound.recording() as recording:
            moment = bare.order(f"play {position_ms}")
            wait_until(lambda: onset_after(recording, moment) is not None, "libvlc's sound")
        part = position_ms / 1000
        for _ in range(ROUNDS):
            time.sleep(1.2)
            with home.sound.recording() as recording:
                target = part + by_s + 1
                moment = bare.order(f"seek {int(target * 1000)}")
                time.sleep(1.5)
                found = first_place_beyond(recording, moment, target - 3, target + 3)
                took.append(found[0] - moment if found else None)
                part = target + 1.5
    return median(took)


def _tick() -> None:
    print(".", end="", file=sys.stderr, flush=True)

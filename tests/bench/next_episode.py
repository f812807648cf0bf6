"""The silence between two episodes of the queue whose bytes are cached, in the app."""

from itertools import pairwise
from typing import Any

from tests.bench.house import ROUNDS, House, house, median
from tests.bench.table import ms, print_table
from tests.pty.terminal import Terminal
from tests.sound.gap import FROM_MS, SECONDS, gap
from tests.sound.pitch import tone

_KINDS = {"WAV": "wav", "Opus": "opus", "AAC": "m4a", "MP3": "mp3"}
_BAR_S = 0.1


def measure() -> None:
    with house(SECONDS) as home:
        titles = [f"{name} {number}" for name in _KINDS for number in range(ROUNDS + 1)]
        audio = {title: home.server.audio(f"/{title.replace(' ', '-')}", _tone(title)) for title in titles}
        stocked = home.stock(titles, audio)
        episodes = [stocked[title] for title in titles]
        home.cache(episodes)
        home.leave_at(0, episodes[0])
        with home.library() as library:
            library.queue.add_last([one.id for one in episodes[1:]])
        with home.app() as terminal:
            gaps = _gaps(home, terminal, titles)
    rows = []
    for name in _KINDS:
        found = [seconds for title, seconds in gaps.items() if title.startswith(f"{name} ")]
        middle = median(found) or 0.0
        rows.append([name, ms(min(found)), ms(middle), ms(max(found)), ms(_BAR_S), _verdict(middle)])
    print_table(
        f"Silence between two cached episodes, at the sink, of {ROUNDS}",
        ("", "least", "median", "most", "bar", ""),
        rows,
    )


def _gaps(home: House, terminal: Terminal, titles: list[str]) -> dict[str, float]:
    """After each episode but the last of its kind, in seconds."""

    def position() -> tuple[str, int]:
        status: dict[str, Any] = home.ask("status")
        playing = status["episode"] and status["state"] == "playing"
        return (status["episode"]["title"], status["position_ms"]) if playing else ("", 0)

    def wait(true: Any, what: str) -> None:
        terminal.wait_until(lambda: bool(true()), what)

    terminal.press("enter")
    found = {}
    for title, after in pairwise(titles):
        wait(lambda: position()[0] == title, f"“{title}” to play")  # noqa: B023
        seconds = gap(home.sound, lambda: home.ask("seek", to_ms=FROM_MS), position, wait)
        if title.split()[0] == after.split()[0]:
            found[title] = seconds
    return found


def _verdict(seconds: float) -> str:
    return "holds" if seconds < _BAR_S else "MISSED"


def _tone(title: str) -> bytes:
    """No two neighbours sound alike."""
    name, number = title.split()
    return tone(_KINDS[name], 440.0 + 220 * (int(number) % 2), SECONDS)

"""What the app holds in memory with libraries of any size: moved about in, searched, filtered, and playing."""

import sqlite3
import statistics
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from player.paths import Paths
from tests.bench.house import BUILD, resident_mb, rest
from tests.bench.long_audio import write_long_mp3
from tests.bench.scale import SIZES, stocked
from tests.bench.table import print_table
from tests.loopback import LoopbackServer
from tests.pty.terminal import Terminal
from tests.sound.sound_server import SoundServer, running_sound_server

_ROUNDS = 3
_BARS_MB = {50_000: 100, 1_000_000: 130}
_AUDIO_S = 600
_LISTEN_S = 3.0
_CTRL_F = "\x06"
_BROWSING = (
    *(["j"] * 30, ["ctrl+d", "ctrl+d", "ctrl+u"] * 10, ["G", "g"] * 5),
    *(["/"], ["episode"], ["escape"], [_CTRL_F], ["the episode"], ["escape"], ["g"]),
)
"""Keys of a listener who looks about, with a rest after each of these."""


def measure() -> None:
    homes = {size: stocked(size) for size in SIZES}
    rows = []
    with _playable(list(homes.values())) as sound:
        for size, paths in homes.items():
            found = [_browse_and_play(paths, sound) for _ in range(_ROUNDS)]
            opened, browsed, played = (statistics.median(column) for column in zip(*found, strict=True))
            bar = _BARS_MB.get(size)
            held = "" if bar is None else "holds" if played < bar else "MISSED"
            rows.append([f"{size:,} episodes", *map(_mb, (opened, browsed, played)), _mb(bar) if bar else "", held])
    print_table(
        f"Memory of the app, resident; medians of {_ROUNDS}",
        ("", "opened", "moved about, searched", "playing", "bar", ""),
        rows,
    )


def _browse_and_play(paths: Paths, sound: SoundServer) -> tuple[float, float, float]:
    home = str(paths.data.parent)
    environ = {**sound.environment(), "HOME": home, "EARMARK_HOME": home, "https_proxy": "http://127.0.0.1:9"}
    with Terminal(environ=environ) as terminal:
        terminal.wait_for("Episode \\d+")
        rest(terminal, 1.0)
        pid = terminal.process.pid
        opened = resident_mb(pid)
        for keys in _BROWSING:
            terminal.press(*keys)
            rest(terminal, 0.5)
        browsed = resident_mb(pid)
        terminal.press("enter")
        terminal.wait_for("▶")
        rest(terminal, _LISTEN_S)
        terminal.press("right")
        rest(terminal, 1.0)
        played = resident_mb(pid)
        terminal.press("q")
        terminal.wait_exit()
    return opened, browsed, played


@contextmanager
def _playable(homes: list[Paths]) -> Iterator[SoundServer]:
    """The newest episode of each library is one that can be heard."""
    audio = BUILD / f"{_AUDIO_S}.mp3"
    write_long_mp3(audio, _AUDIO_S)
    with (
        tempfile.TemporaryDirectory(prefix="earmark-memory-", ignore_cleanup_errors=True) as name,
        LoopbackServer() as server,
        running_sound_server(Path(name)) as sound,
    ):
        url = server.audio("/long.mp3", audio.read_bytes())
        for paths in homes:
            with closing(sqlite3.connect(paths.library, isolation_level=None)) as library:
                newest = "(SELECT id FROM episodes ORDER BY sort DESC, id LIMIT 1)"
                library.execute(f"UPDATE episodes SET url = ? WHERE id = {newest}", (url,))
                library.execute("DELETE FROM progress")
        yield sound


def _mb(size: float) -> str:
    return f"{size:.0f} MB"

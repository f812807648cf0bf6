"""Makes the recording of the README from a real session: earmark.cast (asciicast v2) and, drawn from it, earmark.gif;
in docs, or in the folder that is given. `asciinema play docs/earmark.cast` shows the former.

Two panes of tmux: above, Earmark plays an episode from a server on 127.0.0.1 with libvlc, whose sound goes nowhere;
below, a shell ends it with `kill -9`. Started again, it stands at the same second. Needs tmux and DejaVu Sans Mono.
"""

import codecs
import json
import os
import select
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from cast_frames import Frames  # noqa: E402
from cast_picture import make_gif  # noqa: E402
from ptyprocess import PtyProcess  # noqa: E402
from screenshot import EPISODE, fill  # noqa: E402

from player.paths import Paths  # noqa: E402
from tests.bench.long_audio import write_long_mp3  # noqa: E402
from tests.loopback import LoopbackServer  # noqa: E402

COLUMNS, ROWS, SHELL_ROWS = 124, 34, 3
_QUIET_S = 0.04
_START_S = 20.0
_LENGTH_S = 24 * 60
SETTINGS = """
[audio]
output = "adummy"
[feeds]
refresh_on_start = false
refresh_minutes = 0
[appearance]
theme = "ink"
"""
TMUX = """
set -g status off
set -ga terminal-features ',*:RGB'
set -ga terminal-overrides ',*:indn@:rin@:rep@:ech@:bce@'
set -g default-command "PS1='$ ' exec bash --norc --noprofile"
set -g pane-border-style fg=#3b4048
set -g pane-active-border-style fg=#3b4048
set -s escape-time 0
"""
KILL = "kill -9 $(pgrep -nx earmark)"

Event = tuple[float, str, str]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, LoopbackServer() as server:
        audio = Path(home) / "episode.mp3"
        write_long_mp3(audio, _LENGTH_S)
        events = Session(home, server.audio("/episode.mp3", audio.read_bytes())).record()
    head = {"version": 2, "width": COLUMNS, "height": ROWS, "title": "Earmark", "env": {"TERM": "xterm-256color"}}
    cast = folder / "earmark.cast"
    lines = (json.dumps(line, ensure_ascii=False) for line in (head, *events))
    cast.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(cast)
    print(make_gif(cast, folder / "earmark.gif"))


class Session:
    """What a terminal shows around tmux, in whose panes somebody types."""

    def __init__(self, home: str, audio: str) -> None:
        self._home = home
        self._environ = {
            "EARMARK_HOME": home,
            "HOME": home,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "SHELL": "/bin/bash",
            "TMUX_TMPDIR": home,
        }
        paths = Paths.of(self._environ)
        fill(paths)
        with closing(sqlite3.connect(paths.library)) as database, database:
            # The picture's font has no Hebrew and no Korean.
            database.execute("UPDATE podcasts SET title = 'Real Python' WHERE title GLOB '*[א-ת]*'")
            database.execute("UPDATE podcasts SET title = 'Software Unscripted' WHERE title GLOB '*[가-힣]*'")
            database.execute("UPDATE episodes SET url = ? WHERE title = ?", (audio, EPISODE))
        paths.settings.parent.mkdir(parents=True, exist_ok=True)
        paths.settings.write_text(SETTINGS, encoding="utf-8")
        configuration = Path(home) / "tmux.conf"
        configuration.write_text(
            TMUX,
            encoding="utf-8",
        )
        self._tmux = ["tmux", "-f", str(configuration)]
        self._frames = Frames(COLUMNS, ROWS)
        self._text = codecs.getincrementaldecoder("utf-8")("replace")
        self._events: list[Event] = []
        self._process: PtyProcess | None = None
        self._began = 0.0

    def record(self) -> list[Event]:
        """Seconds since the start, "o", text."""
        command = [*self._tmux, "new-session", "-s", "earmark"]
        self._process = PtyProcess.spawn(command, dimensions=(ROWS, COLUMNS), env=self._environ, cwd=ROOT)
        try:
            self._look(1.0, keep=False)
            self._do("split-window", "-v", "-l", str(SHELL_ROWS), "-d")
            self._look(0.7, keep=False)
            self._began = monotonic()
            self._events = [(0.0, "o", "\x1b[?25l\x1b[2J")]
            self._play()
            self._keys(0, "q")
            self._look(1.0, keep=False)
        finally:
            self._do("kill-server")
            self._process.close(force=True)
        return self._events

    def _play(self) -> None:
        self._type(0, "earmark")
        self._look(0.4)
        self._keys(0, "Enter")
        self._until("Post-grad FX passes", "the app")
        self._look(2.0)
        self._keys(0, "Enter")
        self._until("▶", "what plays")
        self._look(2.0)
        for key, look_s in (("l", 0.6), ("3", 3.0), ("2", 1.6), ("1", 1.6)):
            self._keys(0, key)
            self._look(look_s)
        self._type(1, KILL)
        self._look(0.8)
        self._keys(1, "Enter")
        self._until("Killed", "the end")
        self._look(1.6)
        self._type(0, "clear")
        self._keys(0, "Enter")
        self._look(0.4)
        self._type(0, "earmark")
        self._look(0.4)
        self._keys(0, "Enter")
        self._until("Post-grad FX passes", "the app again")
        self._look(2.5)
        self._keys(0, "space")
        self._look(3.5)

    def _type(self, pane: int, words: str) -> None:
        for one in words:
            self._keys(pane, "-l", one)
            self._look(0.06)

    def _keys(self, pane: int, *keys: str) -> None:
        self._do("send-keys", "-t", f"earmark:0.{pane}", *keys)

    def _do(self, *words: str) -> None:
        subprocess.run([*self._tmux, *words], env=self._environ, check=False, capture_output=True)

    def _until(self, words: str, what: str) -> None:
        end = monotonic() + _START_S
        while words not in self._frames.text():
            if monotonic() > end:
                raise TimeoutError(f"{what} didn't come; the screen shows\n{self._frames.text()}")
            self._look(0.05)

    def _look(self, seconds: float, *, keep: bool = True) -> None:
        """Records what is shown until then, whenever nothing more is written for a moment."""
        assert self._process is not None
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            if not select.select([self._process.fd], [], [], min(left, _QUIET_S))[0]:
                if keep and (shown := self._frames.next()):
                    self._events.append((round(monotonic() - self._began, 2), "o", shown))
                continue
            self._frames.feed(self._text.decode(self._process.read(65536)))


if __name__ == "__main__":
    main()

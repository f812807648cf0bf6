"""Makes the recording of the documentation, earmark.cast (asciicast v2), from the running app: in docs, or in the
folder that is given. `asciinema play docs/earmark.cast` shows it.

The app runs in a real terminal, on a library of its own in a temporary folder, without sound or network.
"""

import codecs
import json
import select
import sys
import tempfile
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from cast_frames import Frames  # noqa: E402
from ptyprocess import PtyProcess  # noqa: E402
from screenshot import fill  # noqa: E402

from player.paths import Paths  # noqa: E402
from tests.pty.terminal import KEYS  # noqa: E402

COLUMNS, ROWS = 110, 32
_QUIET_S = 0.04
SETTINGS = '[playback]\nengine = "silent"\n[feeds]\nrefresh_on_start = false\nrefresh_minutes = 0\n'

STEPS: tuple[tuple[str, float], ...] = (
    ("", 1.5), *[("j", 0.3)] * 4, ("k", 0.8), ("/", 0.6), *[(one, 0.12) for one in "graph"], ("enter", 1.0),
    ("escape", 0.8), ("h", 0.5), ("j", 0.5), ("j", 0.9), ("l", 0.6), ("enter", 2.5), ("3", 2.5), ("2", 1.2),
    ("s", 1.2), ("w", 4.0), (".", 2.5), ("]", 1.5), ("escape", 0.8), ("?", 2.0), ("escape", 0.5), ("space", 1.0),
    ("q", 0.5),
)  # fmt: skip
"""A key, and how long to look at what it does, in seconds."""


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        events = record(home)
    head = {"version": 2, "width": COLUMNS, "height": ROWS, "title": "Earmark", "env": {"TERM": "xterm-256color"}}
    target = folder / "earmark.cast"
    target.write_text(
        "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in (head, *events)), encoding="utf-8"
    )
    print(target)


def record(home: str) -> list[tuple[float, str, str]]:
    """What the app writes to the terminal while the keys of STEPS are pressed: seconds since the start, "o", text."""
    environ = {
        "EARMARK_HOME": home,
        "HOME": home,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
    }
    paths = Paths.of(environ)
    fill(paths)
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(SETTINGS, encoding="utf-8")
    process = PtyProcess.spawn([sys.executable, "-m", "tui"], dimensions=(ROWS, COLUMNS), env=environ, cwd=ROOT)
    frames = Frames(COLUMNS, ROWS)
    text = codecs.getincrementaldecoder("utf-8")("replace")
    events: list[tuple[float, str, str]] = [(0.0, "o", "\x1b[?25l\x1b[2J")]
    began = monotonic()

    def read_for(seconds: float) -> bool:
        """Records what is shown until then, whenever nothing more is written for a moment; False when the app ends."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            if not select.select([process.fd], [], [], min(left, _QUIET_S))[0]:
                if shown := frames.next():
                    events.append((round(monotonic() - began, 2), "o", shown))
                continue
            try:
                frames.feed(text.decode(process.read(65536)))
            except EOFError:
                return False
        return True

    try:
        for key, look_s in STEPS:
            process.write(KEYS.get(key, key).encode())
            if not read_for(look_s):
                return events
        while read_for(1):
            pass
    finally:
        process.close(force=True)
    return events


if __name__ == "__main__":
    main()

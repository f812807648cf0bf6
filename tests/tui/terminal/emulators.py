"""Real terminal emulators on a screen in memory: rows of text are written to them, and what they draw is compared.

Each row is written at a place of its own, as Earmark would write it, and the emulator is asked for its cursor's place
after it (DSR 6, ECMA-48). On the screen, the cells of a row can be cut out as a picture.
"""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote

from msgspec import Struct
from PIL import Image, ImageChops, ImageGrab

COLUMNS, ROWS = 60, 40
_DEADLINE_S = 60.0
_MARK, _LAST = (250, 0, 0), (0, 0, 250)
"""Colours of grounds that show where the cells of the first and last line are."""

_HAS_VTE = """
import gi
gi.require_version("Gtk", "3.0"); gi.require_version("Vte", "2.91")
from gi.repository import GLib, Gtk, Vte
"""
_VTE = f"""{_HAS_VTE}
import sys
window, terminal = Gtk.Window(), Vte.Terminal()
terminal.set_size(int(sys.argv[1]), int(sys.argv[2]))
terminal.connect("child-exited", lambda *_: Gtk.main_quit())
terminal.spawn_async(0, None, sys.argv[3:], None, GLib.SpawnFlags.DEFAULT, None, None, -1, None, None)
window.add(terminal); window.show_all(); Gtk.main()
"""


class Emulator(Struct, frozen=True):
    """`line` begins a command that runs what follows it in a window of as many cells. `environ` is for the emulator;
    what it `sets` in the environment of its programs tells Earmark which it is."""

    name: str
    line: str
    environ: Mapping[str, str] = {}
    sets: Mapping[str, str] = {}

    def command(self, probe: list[str]) -> list[str]:
        words = shlex.split(self.line)
        return [*(word.format(columns=COLUMNS, rows=ROWS) for word in words), *probe]

    @property
    def missing(self) -> str:
        """Why it can't be tried here; "" if it can."""
        program = self.command([])[0]
        for name in ("Xvfb", program):
            if not shutil.which(name):
                return f"{name} isn't installed"
        if (
            self.name == "vte"
            and subprocess.run([program, "-c", _HAS_VTE], capture_output=True, check=False).returncode
        ):
            return "VTE or its module for Python isn't installed"
        return ""


_IN_KITTY = "-o remember_window_size=no -o initial_window_width={columns}c -o initial_window_height={rows}c"
EMULATORS = (
    Emulator("xterm", "xterm -fa Monospace -fs 11 -geometry {columns}x{rows} -e"),
    Emulator("urxvt", "urxvt -geometry {columns}x{rows} -e"),
    Emulator("mlterm", "mlterm -g {columns}x{rows} -e", sets={"MLTERM": "3.9.0"}),
    Emulator("kitty", f"kitty --config NONE {_IN_KITTY}", {"LIBGL_ALWAYS_SOFTWARE": "1"}, {"TERM": "xterm-kitty"}),
    Emulator(
        "konsole",
        "konsole --hide-menubar --hide-tabbar -p TerminalColumns={columns} -p TerminalRows={rows} -e",
        {"QT_QPA_PLATFORM": "xcb"},
        {"KONSOLE_VERSION": "221203"},
    ),
    Emulator("vte", f"/usr/bin/python3 -c {quote(_VTE)} {{columns}} {{rows}}", sets={"VTE_VERSION": "7006"}),
)


class Page(Struct, frozen=True):
    """What an emulator made of some rows: `cursors` are the columns after each, from 1; `image` is its screen."""

    cursors: list[int]
    image: Image.Image
    left: float
    top: float
    width: float
    height: float

    def cells(self, line: int, first: int, end: int) -> Image.Image:
        """The picture of cells of a line; lines and columns from 1."""
        x, y = self.left + (first - 1) * self.width, self.top + (line - 1) * self.height
        return self.image.crop((round(x), round(y), round(x + (end - first) * self.width), round(y + self.height)))


class Shown:
    """An emulator with `probe` in it. Each page is a list of rows, the text of each as it is to be written."""

    def __init__(self, display: str, folder: Path) -> None:
        self._display = display
        self._folder = folder
        self._pages = 0

    def page(self, rows: list[str], good: Callable[[Page], bool]) -> Page:
        """Writes the rows below each other from the second line on, and waits until they are on the screen and `good`;
        after a while, returns what there is all the same."""
        mark = [
            f"\x1b[{line};1H\x1b[48;2;{';'.join(map(str, colour))}m{' ' * COLUMNS}\x1b[0m"
            for line, colour in ((1, _MARK), (ROWS, _LAST))
        ]
        written = [f"\x1b[{line};1H{row}" for line, row in enumerate(rows, 2)]
        self._pages += 1
        asked = self._folder / f"page{self._pages}"
        asked.with_suffix(".new").write_text("\x00".join(["".join(mark), *written]), "utf-8")
        asked.with_suffix(".new").rename(asked)
        seen = self._folder / f"seen{self._pages}"
        end = time.monotonic() + _DEADLINE_S
        while not seen.exists():
            assert time.monotonic() < end, "the emulator doesn't answer"
            time.sleep(0.02)
        cursors = [int(one.split(";")[1]) for one in seen.read_text().split()]
        end = time.monotonic() + 10.0
        while True:
            image = ImageGrab.grab(xdisplay=self._display).convert("RGB")
            first, last = _box(image, _MARK), _box(image, _LAST)
            if first is not None and last is not None:
                width, height = (first[2] - first[0]) / COLUMNS, (last[3] - first[1]) / ROWS
                page = Page(cursors, image, first[0], first[1], width, height)
                if good(page) or time.monotonic() > end:
                    return page
            assert time.monotonic() < end, "the emulator draws nothing"
            time.sleep(0.05)

    def end(self) -> None:
        (self._folder / f"page{self._pages + 1}").write_text("")


def _box(image: Image.Image, colour: tuple[int, int, int]) -> tuple[int, int, int, int] | None:
    """The bounds of what is of that colour."""
    bands = [
        band.point(lambda value, wanted=wanted: 255 * (abs(value - wanted) < 30))
        for band, wanted in zip(image.split(), colour, strict=True)
    ]
    return ImageChops.darker(ImageChops.darker(bands[0], bands[1]), bands[2]).getbbox()


_PROBE = """
import os, sys, time, tty
folder, number = sys.argv[1], 1
tty.setraw(0)
os.write(1, b"\\x1b[?25l\\x1b[?7l" + sys.argv[2].encode())
while True:
    while not os.path.exists(f"{folder}/page{number}"):
        time.sleep(0.02)
    mark, *rows = open(f"{folder}/page{number}", encoding="utf-8", newline="").read().split("\\0")
    if not mark:
        break
    os.write(1, ("\\x1b[2J" + mark).encode())
    seen = []
    for row in rows:
        os.write(1, (row + "\\x1b[6n").encode())
        answer = b""
        while not answer.endswith(b"R"):
            answer += os.read(0, 1)
        seen.append(answer.decode("ascii", "replace").rpartition("[")[2][:-1])
    open(f"{folder}/new", "w").write(" ".join(seen))
    os.rename(f"{folder}/new", f"{folder}/seen{number}")
    number += 1
"""


@contextmanager
def shown(emulator: Emulator, folder: Path, begin: str = "") -> Iterator[Shown]:
    """`begin` is written first."""
    (folder / "probe.py").write_text(_PROBE)
    reading, writing = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1200x1000x24"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    display = f":{os.read(reading, 20).decode().strip()}"
    unset = ("WAYLAND_DISPLAY", "COLUMNS", "LINES")
    environ = {name: value for name, value in os.environ.items() if name not in unset}
    probe = [sys.executable, str(folder / "probe.py"), str(folder), begin]
    window = subprocess.Popen(
        emulator.command(probe),
        env=environ | {"DISPLAY": display, "LC_ALL": "C.UTF-8", "HOME": str(folder)} | dict(emulator.environ),
        stderr=subprocess.DEVNULL,
    )
    one = Shown(display, folder)
    try:
        yield one
        one.end()
    finally:
        for process in (window, screen):
            with suppress(ProcessLookupError):
                process.terminate()
            process.wait(10)
        os.close(reading)

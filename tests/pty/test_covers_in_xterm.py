"""A cover in a real terminal with sixels, on a real screen: its pixels are there. Needs Xvfb and xterm."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time

import pytest
from PIL import Image, ImageGrab

from player.paths import Paths
from player.player import Player
from player.settings import Settings
from tests.loopback import LoopbackServer
from tests.player.artwork.images import BLUE, RED, close, halves

DEADLINE_S = 40.0
pytestmark = [
    pytest.mark.pty,
    pytest.mark.long,
    pytest.mark.skipif(not (shutil.which("Xvfb") and shutil.which("xterm")), reason="Xvfb or xterm isn't installed"),
]


def pixels_of(image: Image.Image, colour: tuple[int, int, int]) -> int:
    found = image.convert("RGB").getcolors(1 << 24) or []
    return sum(count for count, one in found if isinstance(one, tuple) and close(one, colour))


def test_the_cover_is_on_the_screen_in_its_colours(silent: Paths, server: LoopbackServer) -> None:
    player = Player(silent, Settings())
    player.open()
    player.close()
    url = server.page("/cover.png", halves(), "image/png")
    with sqlite3.connect(silent.library) as connection:
        connection.execute("UPDATE podcasts SET image_url = ?", (url,))
    reading, writing = os.pipe()
    screen = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x900x24"], pass_fds=[writing])
    os.close(writing)
    display = f":{os.read(reading, 20).decode().strip()}"
    command = f"COLORTERM=truecolor exec {sys.executable} -m tui"
    terminal = subprocess.Popen(
        ["xterm", "-ti", "vt340", "-tn", "xterm-256color", "-xrm", "XTerm*numColorRegisters: 256", "-geometry",
         "160x45", "-e", "sh", "-c", command],
        env={**os.environ, "DISPLAY": display},
    )  # fmt: skip
    try:
        end = time.monotonic() + DEADLINE_S
        # Twelve by six cells of the font `fixed` are 72 by 78 pixels, half of them red.
        while min(pixels_of(image := ImageGrab.grab(xdisplay=display), one) for one in (RED, BLUE)) < 2000:
            assert time.monotonic() < end, f"no cover; the screen has the colours {image.getcolors(999_999)!r:.500}"
            time.sleep(0.2)
    finally:
        for process in (terminal, screen):
            process.terminate()
            process.wait(10)
        os.close(reading)

"""Covers in a real terminal that can show pictures, or can't: what is written to it, decoded as it would."""

import base64
import io
import re
import sqlite3
import struct
import termios
from collections.abc import Callable
from fcntl import ioctl
from typing import Self

import pytest
from PIL import Image

from player.paths import Paths
from player.player import Player
from player.settings import Settings
from tests.loopback import LoopbackServer
from tests.player.artwork.images import BLUE, RED, close, halves
from tests.player.artwork.sixels import decode
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

CELL = 9, 18
COLUMNS, ROWS = 12, 6
_SIXEL = re.compile(rb"\x1b\[(\d+);(\d+)H(\x1bP[^\x1b]*\x1b\\)")
_KITTY = re.compile(rb"\x1b_G([^;\x1b]*);?([^\x1b]*)\x1b\\")


class Answering(Terminal):
    """Answers what it is asked, as a terminal of some kind. `answers`: a question, and what comes back."""

    def __init__(self, answers: dict[bytes, bytes], **more: object) -> None:
        self._answers = answers
        self._asked = 0
        super().__init__(columns=160, rows=45, **more)  # type: ignore[arg-type]
        size = struct.pack("4H", 45, 160, 160 * CELL[0], 45 * CELL[1])
        ioctl(self.process.fd, termios.TIOCSWINSZ, size)

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def reply(self) -> None:
        for question, answer in self._answers.items():
            for _ in range(self.raw.count(question, self._asked)):
                self.process.write(answer)
        self._asked = max(0, len(self.raw) - 8)

    def wait_answering(self, condition: Callable[[], object], what: str) -> None:
        def met() -> bool:
            self.reply()
            return bool(condition())

        self.wait_until(met, what)


@pytest.fixture
def covered(silent: Paths, server: LoopbackServer) -> Paths:
    """The built-in podcast has a cover, red on the left, blue on the right."""
    player = Player(silent, Settings())
    player.open()
    player.close()
    url = server.page("/cover.png", halves(), "image/png")
    with sqlite3.connect(silent.library) as connection:
        connection.execute("UPDATE podcasts SET image_url = ?", (url,))
    return silent


def is_red_and_blue(image: Image.Image) -> bool:
    """By the mean colours of its left and right parts."""
    width, height = image.size
    parts = [
        image.convert("RGB").crop(box).resize((1, 1), Image.Resampling.BOX)
        for box in ((0, 0, width // 2 - 2, height), (width // 2 + 2, 0, width, height))
    ]
    left, right = (part.getpixel((0, 0)) for part in parts)
    assert isinstance(left, tuple)
    assert isinstance(right, tuple)
    return close(left, RED) and close(right, BLUE)


SIXEL = {b"\x1b[c": b"\x1b[?64;4c", b"\x1b[?1;1;0S": b"\x1b[?1;0;256S"}


def test_a_terminal_with_sixels_shows_the_cover_where_its_cells_are(covered: Paths) -> None:
    with Answering(SIXEL) as terminal:
        terminal.wait_answering(lambda: len(_SIXEL.findall(terminal.raw)) >= ROWS, "a picture")
        found = _SIXEL.findall(terminal.raw)[:ROWS]
        whole = Image.new("RGB", (COLUMNS * CELL[0], ROWS * CELL[1]))
        first = int(found[0][0])
        for row, column, sixel in found:
            assert int(column) == int(found[0][1])
            whole.paste(decode(sixel.decode()).convert("RGB"), (0, (int(row) - first) * CELL[1]))
        assert is_red_and_blue(whole)
        terminal.press("j")
        terminal.wait_answering(lambda: terminal.lines[-1], "a frame")
        before = len(terminal.raw)
        terminal.press("j", "k", "j")
        terminal.wait_for("▌")
        assert b"\x1bP" not in terminal.raw[before:], "the same cover isn't drawn again"
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert b"\x1b_G" not in terminal.raw
    assert "64;4c" not in "".join(terminal.lines)


KITTY = {b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\": b"\x1b_Gi=31;OK\x1b\\", b"\x1b[c": b"\x1b[?62;c"}


def test_kitty_gets_the_picture_once_and_is_told_to_forget_it(covered: Paths) -> None:
    def codes() -> list[tuple[dict[str, str], bytes]]:
        made = []
        for head, data in _KITTY.findall(terminal.raw):
            made.append((dict(part.split("=") for part in head.decode().split(",")), data))
        return [one for one in made if one[0].get("i") != "31"]

    with Answering(KITTY, environ={"TERM": "xterm-kitty"}) as terminal:
        terminal.wait_answering(lambda: any(head.get("a") == "p" for head, _ in codes()), "a picture")
        sent = b"".join(data for head, data in codes() if head.get("a") in ("t", None))
        image = Image.open(io.BytesIO(base64.b64decode(sent)))
        assert image.size == (COLUMNS * CELL[0], ROWS * CELL[1])
        assert is_red_and_blue(image)
        [placed] = [head for head, _ in codes() if head.get("a") == "p"]
        assert (placed["c"], placed["r"]) == (str(COLUMNS), str(ROWS))
        terminal.press("?")
        terminal.wait_answering(lambda: any(head.get("d") == "i" for head, _ in codes()), "the picture to be hidden")
        terminal.press("escape")
        terminal.wait_answering(
            lambda: len([head for head, _ in codes() if head.get("a") == "p"]) == 2, "the picture again"
        )
        assert len([head for head, _ in codes() if head.get("a") == "t"]) == 1
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert [head for head, _ in codes() if head.get("d") == "I"], "the terminal keeps the picture"


@pytest.mark.parametrize("name", ["xterm-256color", pytest.param("linux", marks=pytest.mark.long)])
def test_a_terminal_that_knows_no_pictures_is_sent_none(name: str, covered: Paths) -> None:
    with Answering({b"\x1b[c": b"\x1b[?1;2c"}, environ={"TERM": name}) as terminal:
        if name == "xterm-256color":
            terminal.wait_answering(lambda: b"48;2;200;30;40" in terminal.raw, "the cover in blocks")
        else:
            terminal.wait_for("Press play")
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert b"\x1bP" not in terminal.raw
        assert b"\x1b_G" not in terminal.raw

"""Columns are straight beside texts that terminals give different widths."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyte
import pytest
from rich.cells import cell_len
from wcwidth import wcswidth

from player.text.cleaning import clean_line
from tests.tui.terminal.hard_cases import CASES
from tui.drawing.bidi import reordered
from tui.drawing.cells import fit, steady
from tui.terminal.anchors import anchored
from tui.terminal.bidi import Bidi

TITLE, REST = 12, "  12 Nov  10:00"
_INDIAN = {"devanagari matra", "tamil", "tamil o", "bengali", "telugu", "malayalam", "sinhala", "khmer", "myanmar"}
"""Earmark counts no cell for marks that these scripts write beside a letter, wcwidth and tmux count one."""


def row(text: str) -> str:
    """A title in its column, as it is written to the terminal, and the columns after it."""
    column = fit(clean_line(text), TITLE)
    return "".join(piece for piece, _ in reordered([(column, "")], Bidi.EARMARK)) + REST


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_the_columns_after_it_are_straight_and_nothing_is_left_of_what_was_there(name: str) -> None:
    screen = pyte.Screen(40, 3)
    stream = pyte.Stream(screen)
    stream.feed("\x1b[2;1H" + "~" * 40)
    stream.feed(anchored(f"\x1b[2;3H{row(CASES[name])}"))
    cells = [screen.buffer[1][x].data for x in range(2, 2 + TITLE + len(REST))]
    assert "".join(cells[TITLE:]) == REST
    assert "~" not in cells


@pytest.mark.parametrize("name", sorted(set(CASES) - _INDIAN - {"half flag"}))
def test_earmark_and_wcwidth_agree_on_what_is_drawn(name: str) -> None:
    text = steady(clean_line(CASES[name]))
    assert cell_len(text) == wcswidth(text)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux isn't installed")
def test_the_columns_are_straight_in_tmux(tmp_path: Path) -> None:
    """A real terminal emulator: where it draws, its cursor says."""
    rows = tmp_path / "rows"
    rows.write_text("\n".join(anchored(f"\x1b[2;3H{row(text)}") for text in CASES.values()), "utf-8")
    probe = tmp_path / "probe.py"
    probe.write_text(
        "import os, sys, tty\n"
        "tty.setraw(0)\n"
        f"for row in open({str(rows)!r}, encoding='utf-8').read().split(chr(10)):\n"
        "    os.write(1, ('\\x1b[2J' + row + '\\x1b[6n').encode())\n"
        "    answer = b''\n"
        "    while not answer.endswith(b'R'):\n"
        "        answer += os.read(0, 1)\n"
        f"    print(answer.decode('ascii', 'replace')[2:-1], file=open({str(tmp_path / 'seen')!r}, 'a'))\n"
        f"open({str(tmp_path / 'done')!r}, 'w')\n"
    )
    socket = tmp_path / "socket"
    command = ["tmux", "-S", str(socket), "-f", "/dev/null"]
    done = f"{sys.executable} {probe}; tmux -S {socket} wait-for -S done; cat"  # the server ends with its last program
    subprocess.run(
        [*command, "new", "-d", "-x", "60", "-y", "5", done],
        check=True,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    subprocess.run([*command, "wait-for", "done"], check=True, timeout=30)
    subprocess.run([*command, "kill-server"], check=True)
    seen = (tmp_path / "seen").read_text().split()
    wrong = [name for name, at in zip(CASES, seen, strict=True) if at != f"2;{3 + TITLE + len(REST)}"]
    assert wrong == []


def test_what_is_sure_is_written_as_it_is() -> None:
    plain = "\x1b[1;1H\x1b[1m● Épisode 3 ━━ шестой, 第5回… שלום\x1b[0m 12 Nov"
    assert anchored(plain) == plain
    assert re.findall(r"\x1b\[\d+G", anchored("\x1b[1;5Hकी x")) == ["\x1b[6G"]

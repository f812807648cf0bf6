"""Lines that nobody has to read."""

import os
import time

from player.background.report_lines import LineWriter


def test_lines_arrive_in_order_and_without_control_characters() -> None:
    reader, writer = os.pipe()
    lines = LineWriter(writer)
    lines.write("Playing: Rain")
    lines.write("Paused\x1b at 0:10\n")
    lines.close(5.0)
    assert os.read(reader, 1000).decode().splitlines() == ["Playing: Rain", "Paused at 0:10"]
    os.close(reader)
    os.close(writer)


def test_a_full_pipe_keeps_nobody_waiting() -> None:
    reader, writer = os.pipe()
    lines = LineWriter(writer)
    begun = time.monotonic()
    for _ in range(2_000):
        lines.write("x" * 1_000)
    lines.close(0.05)
    assert time.monotonic() - begun < 5.0
    os.close(reader)  # lets the thread go
    os.close(writer)


def test_a_closed_pipe_or_none_at_all_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    for lines in (LineWriter(writer), LineWriter(None)):
        lines.write("one")
        lines.write("two")
        lines.close(5.0)
    os.close(writer)

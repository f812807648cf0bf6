"""Copying through what is around a terminal, and the words about it."""

from base64 import b64decode

import pytest

from tui.terminal.clipboard import passed_through


@pytest.mark.parametrize(
    ("environ", "found"),
    [({}, None), ({"TMUX": "/tmp/tmux,1,0"}, "/usr/bin/tmux")],
)
def test_where_the_terminal_or_tmux_itself_copies_nothing_is_wrapped_up(
    environ: dict[str, str], found: str | None
) -> None:
    assert passed_through("text", environ, lambda _name: found) == ""


def test_tmux_without_its_command_passes_it_on() -> None:
    wrapped = passed_through("été", {"TMUX": "x"}, lambda _name: None)
    assert wrapped.startswith("\x1bPtmux;\x1b\x1b]52;c;")
    assert wrapped.endswith("\a\x1b\\")
    assert b64decode(wrapped.split(";")[-1].partition("\a")[0]).decode() == "été"


def test_screen_gets_it_in_pieces() -> None:
    text = "0123456789" * 100
    pieces = passed_through(text, {"STY": "1.pts"}).split("\x1bP")[1:]
    assert all(len(piece) < 768 and piece.endswith("\x1b\\") for piece in pieces)
    joined = "".join(piece.removesuffix("\x1b\\") for piece in pieces)
    assert b64decode(joined.partition(";c;")[2].removesuffix("\a")).decode() == text

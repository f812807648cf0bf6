"""Notifications through the terminal: only where it knows them, and nothing in a title ends the sequence."""

import re
from base64 import b64decode

import pytest

from tui.terminal.notifications import Way, sequence, through_tmux, way_of

HOSTILE = "A\x1b\\B\x07C\x9cD\u009dE\nF\x1b]0;G;H\x00"


@pytest.mark.parametrize(
    ("environ", "way"),
    [
        ({"TERM": "xterm-kitty"}, Way.KITTY),
        ({"TERM": "foot"}, Way.RXVT),
        ({"TERM": "foot-direct"}, Way.RXVT),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, Way.RXVT),
        ({"TERM": "xterm-ghostty"}, Way.RXVT),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, Way.ITERM),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "footing"}, None),
        ({"TERM": "linux"}, None),
        ({}, None),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/x,1,0", "TERM_PROGRAM": "tmux"}, None),
        ({"TERM": "screen.xterm-kitty", "TERM_PROGRAM": "WezTerm"}, None),
    ],
)
def test_only_terminals_that_are_known_get_one(environ: dict[str, str], way: Way | None) -> None:
    assert way_of(environ) is way


@pytest.mark.parametrize("way", Way)
def test_nothing_in_a_text_ends_the_sequence(way: Way) -> None:
    text = sequence(way, HOSTILE, HOSTILE)
    parts = re.findall(r"\x1b\]([^\x1b\x07\x9c]*)\x1b\\", text)
    assert "".join(f"\x1b]{part}\x1b\\" for part in parts) == text
    assert all(part.isprintable() for part in parts)


def test_each_terminal_gets_its_own() -> None:
    assert sequence(Way.ITERM, "4;1", "a body") == "\x1b]9;Earmark: 4;1 (a body)\x1b\\"
    assert sequence(Way.RXVT, "a; b", "c; d") == "\x1b]777;notify;a, b;c, d\x1b\\"
    head, rest = re.findall(r"\x1b\]99;([^;]*;[^\x1b]*)\x1b\\", sequence(Way.KITTY, "head ü", "body"))
    assert head.startswith("i=earmark:d=0:")
    assert b64decode(head.partition(";")[2]).decode() == "head ü"
    assert (rest.partition(";")[0], b64decode(rest.partition(";")[2])) == ("i=earmark:p=body:e=1", b"body")


def test_tmux_gets_each_sequence_wrapped() -> None:
    assert through_tmux("\x1b]9;a\x1b\\\x1b]9;b\x1b\\") == (
        "\x1bPtmux;\x1b\x1b]9;a\x1b\x1b\\\x1b\\\x1bPtmux;\x1b\x1b]9;b\x1b\x1b\\\x1b\\"
    )

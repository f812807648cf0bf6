"""Bytes from a terminal, as keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.cli.keyboard import split_keys


@pytest.mark.parametrize(
    ("received", "keys", "rest"),
    [
        (b" q", ["space", "q"], b""),
        (b"\x1b[D\x1b[C", ["left", "right"], b""),
        (b"\x1bOD", ["left"], b""),
        (b"\x1b[1;2D\x1b[1;2C", ["shift+left", "shift+right"], b""),
        (b"[]-=0u", ["[", "]", "-", "=", "0", "u"], b""),
        (b"\x1b[5~\x1b[200~q", ["q"], b""),
        (b"\x1bq", ["q"], b""),
        ("ü".encode(), [], b""),
        (b"\x1b", [], b"\x1b"),
        (b"a\x1b[1;", ["a"], b"\x1b[1;"),
        (b"", [], b""),
    ],
)
def test_keys_are_told_from_sequences(received: bytes, keys: list[str], rest: bytes) -> None:
    assert split_keys(received) == (keys, rest)


@given(st.lists(st.sampled_from([b"\x1b[D", b"\x1b[1;2C", b" ", b"q", b"\x1b[6~"])), st.integers(1, 4))
def test_it_does_not_matter_how_the_bytes_come_in(pieces: list[bytes], step: int) -> None:
    whole = b"".join(pieces)
    keys: list[str] = []
    rest = b""
    for start in range(0, len(whole), step):
        found, rest = split_keys(rest + whole[start : start + step])
        keys += found
    assert (keys, rest) == split_keys(whole)


@given(st.binary())
def test_no_bytes_do_harm(received: bytes) -> None:
    split_keys(received)

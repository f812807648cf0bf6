"""Packed bodies: whole, cut short, one after the other."""

import gzip
import itertools
import zlib

import brotli
import pytest

from player.net.decompression import unpacker

TEXT = b"<rss>" + bytes(range(256)) * 40 + b"</rss>"


def deflated(text: bytes, bits: int) -> bytes:
    packer = zlib.compressobj(wbits=bits)
    return packer.compress(text) + packer.flush()


PACKED = {
    "gzip": gzip.compress(TEXT),
    "deflate": deflated(TEXT, zlib.MAX_WBITS),
    "deflate ": deflated(TEXT, -zlib.MAX_WBITS),
    "br": brotli.compress(TEXT),
}


def unpacked(encoding: str, body: bytes, at_once: int = 7) -> tuple[bytes, bool]:
    made = unpacker(encoding)
    assert made is not None
    pieces = (body[start : start + at_once] for start in range(0, len(body), at_once))
    return b"".join(itertools.chain.from_iterable(map(made.unpack, pieces))), made.whole


@pytest.mark.parametrize("encoding", PACKED)
@pytest.mark.parametrize("at_once", [1, 7, 100_000])
def test_a_body_is_whole_when_its_end_has_come(encoding: str, at_once: int) -> None:
    assert unpacked(encoding, PACKED[encoding], at_once) == (TEXT, True)
    assert unpacked(encoding, b"", at_once) == (b"", True)


@pytest.mark.parametrize("encoding", PACKED)
def test_a_body_that_was_cut_is_not_whole(encoding: str) -> None:
    packed = PACKED[encoding]
    for end in (1, len(packed) // 2, len(packed) - 1):
        assert not unpacked(encoding, packed[:end])[1]


@pytest.mark.parametrize("at_once", [1, 7, 100_000])
def test_several_gzip_files_in_a_row_are_one_body(at_once: int) -> None:
    packed = PACKED["gzip"]
    assert unpacked("gzip", packed * 3, at_once) == (TEXT * 3, True)
    assert unpacked("gzip", packed * 3 + packed[:-9], at_once)[1] is False


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_what_follows_on_the_end_is_ignored_and_not_kept(encoding: str) -> None:
    made = unpacker(encoding)
    assert made is not None
    assert b"".join(made.unpack(PACKED[encoding])) == TEXT
    for _ in range(100):
        assert b"".join(made.unpack(b"\0" * 100_000)) == b""
    assert made.whole

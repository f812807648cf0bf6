"""Decompresses bodies in pieces of bounded size, however large the whole body is.

libcurl could do it, but doesn't report compressed data that ends early: it takes half a gzip body for a whole one. It
also refuses several gzip members in a row, and bytes after the last member (libcurl 8.23).
"""

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import brotli

ACCEPTED = "gzip, deflate, br"
_STEP = 1 << 20
"""The most bytes in a piece."""


class Broken(ValueError):
    """The body isn't compressed as its header says."""


class Unpacker(Protocol):
    def unpack(self, piece: bytes) -> Iterator[bytes]:
        """Decompresses `piece`, in pieces of its own. Raises Broken."""

    @property
    def whole(self) -> bool:
        """Whether the compressed data so far is complete; after the last piece, whether the body was complete."""


def unpacker(encoding: str) -> Unpacker | None:
    """The decoder for a Content-Encoding; None for an encoding that Earmark never asks for."""
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":
            return _Zlib(16 + zlib.MAX_WBITS)
        case "deflate":
            return _Zlib(None)
        case "br":
            return _Brotli()
        case _:
            return None


class _Plain:
    whole = True

    def unpack(self, piece: bytes) -> Iterator[bytes]:
        yield piece


class _Zlib:
    """`bits` is None for `deflate`, which comes with zlib's header, or from some servers without it."""

    def __init__(self, bits: int | None) -> None:
        self._bits = bits
        self._made: zlib._Decompress | None = None
        self._over = False

    @property
    def whole(self) -> bool:
        return self._over or self._made is None or self._made.eof

    def unpack(self, piece: bytes) -> Iterator[bytes]:
        try:
            while piece and not self._over:
                if self._made is None or self._made.eof:
                    self._begin(piece)
                    continue
                yield self._made.decompress(piece, _STEP)
                piece = self._made.unconsumed_tail or self._made.unused_data
        except zlib.error as error:
            raise Broken(str(error)) from error

    def _begin(self, piece: bytes) -> None:
        """A gzip member may follow another (RFC 1952, 2.2); other trailing bytes are ignored."""
        if self._made is not None and not (self._bits and b"\x1f\x8b".startswith(piece[:2])):
            self._over = True
            return
        has_header = piece[0] & 0x8F == 0x08
        self._made = zlib.decompressobj(self._bits or (zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS))


class _Brotli:
    def __init__(self) -> None:
        self._made: brotli.Decompressor | None = None

    @property
    def whole(self) -> bool:
        return self._made is None or bool(self._made.is_finished())

    def unpack(self, piece: bytes) -> Iterator[bytes]:
        import brotli

        if self._made is None:
            self._made = brotli.Decompressor()
        try:
            yield self._made.process(piece, output_buffer_limit=_STEP)
            while not self._made.can_accept_more_data():
                yield self._made.process(b"", output_buffer_limit=_STEP)
        except brotli.error as error:
            raise Broken(str(error)) from error

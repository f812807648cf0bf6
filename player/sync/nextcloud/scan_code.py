"""An address as a code to scan with a phone (QR code, ISO/IEC 18004), in characters."""

from itertools import zip_longest

_QUIET = 2
"""Modules without anything around the code. The standard has four; phones read it with two, and it fits a terminal."""
_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def scan_code(address: str, *, light_background: bool = False) -> tuple[str, ...]:
    """Lines of half blocks, two modules high each; drawn are the light ones, or the dark ones on a light background.

    Raises ValueError for an address that doesn't fit into a code (2,900 characters).
    """
    import segno  # 20 ms, and needed once

    code = segno.make_qr(address, error="l", boost_error=False)
    drawn = [[bool(module) is light_background for module in row] for row in code.matrix_iter(border=_QUIET)]
    empty = [False] * len(drawn[0])
    pairs = zip_longest(drawn[::2], drawn[1::2], fillvalue=empty)
    return tuple("".join(_BLOCKS[pair] for pair in zip(above, below, strict=True)) for above, below in pairs)

"""An address as a QR code (ISO/IEC 18004) of characters, to scan with a phone."""

from collections.abc import Sequence
from itertools import zip_longest

_QUIET = 2
"""The width of the empty margin in modules. The standard requires four; phones read codes with two, which fit into more
terminals."""
_BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
_SEXTANTS = 0x1FB00
"""From this code on, Unicode has the characters of two by three parts, except the four that it had already."""
_ELSEWHERE = {0b000000: " ", 0b010101: "▌", 0b101010: "▐", 0b111111: "█"}


def scan_code(address: str, *, light_background: bool = False) -> tuple[str, ...]:
    """The code in half blocks, with two rows of modules per line. Light modules are drawn, or dark ones on a light
    background.

    Raises ValueError for an address that doesn't fit into a code (2,900 characters).
    """
    drawn = _modules(address, dark=light_background)
    empty = [False] * len(drawn[0])
    pairs = zip_longest(drawn[::2], drawn[1::2], fillvalue=empty)
    return tuple("".join(_BLOCKS[pair] for pair in zip(above, below, strict=True)) for above, below in pairs)


def small_scan_code(address: str) -> tuple[str, ...]:
    """The code in less room, with two by three modules per cell. Light modules are drawn. Not all fonts have these
    characters."""
    drawn = _modules(address, dark=False)
    size = len(drawn)
    padded = [[*row, False] for row in drawn] + [[False] * (size + 1)] * 2
    return tuple(
        "".join(_sextant([padded[top + at // 2][left + at % 2] for at in range(6)]) for left in range(0, size, 2))
        for top in range(0, size, 3)
    )


def _modules(address: str, *, dark: bool) -> list[list[bool]]:
    """The rows of modules: whether each is drawn."""
    import segno  # 20 ms, and needed once

    code = segno.make_qr(address, error="l", boost_error=False)
    return [[bool(module) is dark for module in row] for row in code.matrix_iter(border=_QUIET)]


def _sextant(parts: Sequence[bool]) -> str:
    """The character with these parts, given from left to right, then downwards."""
    number = sum(1 << at for at, part in enumerate(parts) if part)
    before = sum(other < number for other in _ELSEWHERE)
    return _ELSEWHERE.get(number) or chr(_SEXTANTS + number - before)

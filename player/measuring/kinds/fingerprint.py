"""The acoustic fingerprint of an episode, by which the same sound is found again in another file: Chromaprint's, from
the library that libvlc's own plugins need on most systems. Where it isn't installed there are none."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from player.measuring.measurement import SPEECH_RATE, Measurement, Meter, Second

_LIBRARIES = ("libchromaprint.1.dylib",) if sys.platform == "darwin" else ("libchromaprint.so.1",)
_ALGORITHM = 1
"""CHROMAPRINT_ALGORITHM_TEST2, Chromaprint's default."""
_BEYOND_S = 3
"""A value stands for 2.6 s of sound: so that those at the end of a piece are whole."""


class Fingerprint(Struct, frozen=True):
    """Little-endian values of 32 bits by the numbers of the pieces, 8.08 for each second."""

    pieces: dict[int, bytes]


class _Meter(Meter[bytes]):
    def __init__(self, _begins_ms: int) -> None:
        self._library = _library()
        self._context = None
        if self._library is not None:
            self._context = ctypes.c_void_p(self._library.chromaprint_new(_ALGORITHM))
            self._library.chromaprint_start(self._context, SPEECH_RATE, 1)

    def hear_second(self, second: Second) -> None:
        if self._library is not None:
            data = bytes(second.samples)
            self._library.chromaprint_feed(self._context, data, len(data) // 2)

    def result(self) -> bytes | None:
        library = self._library
        if library is None:
            return None
        values, count = ctypes.POINTER(ctypes.c_uint32)(), ctypes.c_int()
        try:
            library.chromaprint_finish(self._context)
            made = library.chromaprint_get_raw_fingerprint(self._context, ctypes.byref(values), ctypes.byref(count))
            if not made or not count.value:
                return None
            data = ctypes.string_at(values, 4 * count.value)
            library.chromaprint_dealloc(values)
            return data
        finally:
            library.chromaprint_free(self._context)
            self._library = None


def _library() -> Any:
    """None where it isn't installed."""
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            library.chromaprint_new.restype = ctypes.c_void_p
            library.chromaprint_feed.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
            library.chromaprint_dealloc.argtypes = [ctypes.c_void_p]
        except (OSError, AttributeError):
            continue
        return library
    return None


def _joined(parts: Mapping[int, bytes]) -> Fingerprint:
    return Fingerprint(dict(parts))


MEASUREMENT = Measurement("fingerprint", bytes, _Meter, _joined, beyond_s=_BEYOND_S)

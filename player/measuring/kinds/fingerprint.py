"""The acoustic fingerprint of an episode, by which the same sound is found again in another file: Chromaprint's, from
the library that libvlc's own plugins need on most systems. Where it isn't installed there are none."""

from __future__ import annotations

import ctypes
import sys
from array import array
from collections.abc import Mapping
from math import ceil
from typing import Any

from msgspec import Struct

from player.measuring.measurement import PIECE_MS, SPEECH_RATE, Measurement, Meter, Second

_LIBRARIES = (
    ("libchromaprint.1.dylib", "/opt/homebrew/lib/libchromaprint.1.dylib")
    if sys.platform == "darwin"
    else ("libchromaprint.so.1",)
)
_ALGORITHM = 1
"""CHROMAPRINT_ALGORITHM_TEST2, Chromaprint's default."""
_STEP = 1_365
"""A value begins so many samples after the one before it (chroma.h: frames of 4,096 samples, two thirds in common)."""
VALUE_MS = 1000 * _STEP / SPEECH_RATE
"""123.8 ms: 8.08 values a second."""
HEARD_MS = 1000 * (19 * _STEP + 4_096) / SPEECH_RATE
"""The sound that one value is made of, from where it begins: 20 frames."""
_BEYOND_S = ceil(HEARD_MS / 1000)
"""So that the values at the end of a piece are whole."""


class Fingerprint(Struct, frozen=True):
    """Chromaprint's values for the whole episode, one for every VALUE_MS from its start on; 0 where there are none."""

    values: array[int]


class _Meter(Meter[bytes]):
    """Little-endian values of 32 bits. The first begins where a value would begin if the episode were heard from its
    start."""

    def __init__(self, begins_ms: int) -> None:
        self._skipped = -(begins_ms * SPEECH_RATE // 1000) % _STEP
        self._library = _library()
        self._context = None
        if self._library is not None:
            self._context = ctypes.c_void_p(self._library.chromaprint_new(_ALGORITHM))
            self._library.chromaprint_start(self._context, SPEECH_RATE, 1)

    def hear_second(self, second: Second) -> None:
        if self._library is not None:
            data = bytes(second.samples[self._skipped :])
            self._skipped = max(0, self._skipped - len(second.samples))
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


def is_installed() -> bool:
    """Whether there are fingerprints on this computer."""
    return _library() is not None


def _joined(parts: Mapping[int, bytes]) -> Fingerprint:
    """Pieces share the sound at their edges: the values there are the same, and one of each is left out."""
    values = array("I")
    for number, part in sorted(parts.items()):
        begins = -(-(number * PIECE_MS * SPEECH_RATE) // (1000 * _STEP))
        del values[begins:]
        values.extend([0] * (begins - len(values)))
        found = array("I", part[: len(part) // 4 * 4])
        if sys.byteorder == "big":
            found.byteswap()
        values.extend(found)
    return Fingerprint(values)


MEASUREMENT = Measurement("fingerprint from the start", bytes, _Meter, _joined, _BEYOND_S, is_installed)

"""What is remembered of the sound that an episode was heard in: enough to find the same sound in other bytes."""

from __future__ import annotations

import sys
from array import array
from math import sqrt

from msgspec import Struct

from player.measuring.kinds import fingerprint, waveform
from player.measuring.measurement import NOTHING, Record

VALUE_MS = fingerprint.VALUE_MS
HEARD_MS = fingerprint.HEARD_MS
LEVEL_MS = 120
_TOGETHER = LEVEL_MS // waveform.STEP_MS


class Sound(Struct, frozen=True):
    """The sound of the bytes that `version` identifies (`AvailableBytes`).

    `values` is the whole episode's fingerprint: value i stands for the HEARD_MS (2.7 s) from i x VALUE_MS on, and is 0
    where nothing could be decoded. Silence has one and the same value everywhere. `levels` has the square root of the
    mean amplitude of every LEVEL_MS, in even numbers from 0 to 254: odd ones would take a fifth more space.
    """

    version: str
    duration_ms: int
    values: array[int]
    levels: bytes

    @staticmethod
    def value_ms(index: int) -> int:
        """The moment in the episode at which the sound of a value begins."""
        return round(index * VALUE_MS)


def has_sound(record: Record) -> bool:
    """Whether all of the episode has been measured, with a fingerprint."""
    names = [fingerprint.MEASUREMENT.name, waveform.MEASUREMENT.name]
    if not record.pieces or not record.is_whole or any(record.lacks(number, names) for number in record.pieces):
        return False
    return any(parts[names[0]] != NOTHING for parts in record.pieces.values())


def sound_of(record: Record) -> Sound | None:
    """None unless the record has it."""
    found = record.result(fingerprint.MEASUREMENT) if has_sound(record) else None
    steps = waveform.all_levels(record.parts(waveform.MEASUREMENT))
    if found is None or not steps:
        return None
    levels = bytes(_together(steps[at : at + _TOGETHER]) for at in range(0, len(steps), _TOGETHER))
    return Sound(record.version, len(steps) * waveform.STEP_MS, found.values, levels)


def in_file_order(values: array[int]) -> array[int]:
    """The same values with the byte order of files; and back."""
    if sys.byteorder == "little":
        return values
    turned = array("I", values)
    turned.byteswap()
    return turned


def _together(levels: bytes) -> int:
    return round(sqrt(sum(level * level for level in levels) / len(levels))) & ~1

"""What it costs to compare an hour of audio with a year of weekly episodes, and to align two versions of an hour:
processor time and memory of a process of its own."""

import json
import resource
import subprocess
import sys
import time
from array import array

import numpy as np

from player.measuring.sound import LEVEL_MS, VALUE_MS, Sound
from player.sounds.alignment import aligned
from player.sounds.matching import keys_of, occurrences, shared
from tests.bench.table import print_table

_WEEKS = 52
_HOUR = round(3_600_000 / VALUE_MS)
_JINGLE = 260
"""Values: 32 s."""
_CPU_BAR_S, _MEMORY_BAR_MB = 2.0, 200


def measure() -> None:
    command = [sys.executable, "-c", "from tests.bench.sounds import compare; compare()"]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    verdict = "holds" if found["year"] <= _CPU_BAR_S and found["mb"] <= _MEMORY_BAR_MB else "MISSED"
    print_table(
        "Fingerprints compared, one core",
        ("", "processor time", "found", "bar", ""),
        [
            ("an hour with a year of hours", f"{found['year']:.2f} s", f"{found['found']} of {_WEEKS}", "2 s", verdict),
            ("a segment with a year of hours", f"{found['segment']:.2f} s", f"{found['segments']} of {_WEEKS}", "", ""),
            ("two versions of an hour aligned", f"{found['align']:.3f} s", f"{found['parts']} of 3 parts", "", ""),
        ],
        f"At most {found['mb']} MB resident (bar {_MEMORY_BAR_MB} MB).",
    )


def compare() -> None:
    """Prints JSON."""
    chance = np.random.default_rng(1)
    jingle = _values(chance, _JINGLE)
    year = [_with(_values(chance, _HOUR), jingle, int(chance.integers(1_000, 20_000))) for _ in range(_WEEKS)]
    one = _with(_values(chance, _HOUR), jingle, 5_000)
    began = time.process_time()
    keys = keys_of(one)
    found = sum(bool(shared(one, other, keys)) for other in year)
    compared = time.process_time()
    keys = keys_of(jingle)
    segments = sum(bool(occurrences(jingle, other, keys)) for other in year)
    searched = time.process_time()
    old = _sound(one)
    new = _sound(one[:6_000] + _values(chance, 240) + one[6_000:15_000] + _values(chance, 500) + one[15_500:])
    before = time.process_time()
    alignment = aligned(old, new)
    print(
        json.dumps(
            {
                "year": compared - began,
                "found": found,
                "segment": searched - compared,
                "segments": segments,
                "align": time.process_time() - before,
                "parts": len(alignment.parts) if alignment else 0,
                "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )


def _values(chance: np.random.Generator, count: int) -> "array[int]":
    return array("I", chance.integers(0, 2**32, count, np.uint32).tobytes())


def _with(values: "array[int]", part: "array[int]", at: int) -> "array[int]":
    return values[:at] + part + values[at + len(part) :]


def _sound(values: "array[int]") -> Sound:
    levels = bytes(value & 0xFE for value in values)
    return Sound("", round(len(values) * VALUE_MS), values, levels[: round(len(values) * VALUE_MS / LEVEL_MS)])

"""What all formats are read into before it is put in order, and the times they write."""

import re
from typing import NamedTuple

MOST = 300_000
"""Cues of one file, of which each may be a word: 20 hours."""

MOST_ROWS = 1_000_000
"""Lines of a file that are read."""

_LONGEST_MS = 1000 * 3_600_000

CLOCK = r"(?:\d{1,4}:)?\d{1,4}:\d{1,2}(?:[.,:]\d{1,9})?"
_PARTS = re.compile(r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2})(?:[.,:](\d{1,9}))?", re.ASCII)


class Cue(NamedTuple):
    """Text as it stands in the file, line breaks too, with its times and its speaker where they are known."""

    text: str
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str = ""


class Read(NamedTuple):
    """What a file says; `language` is "" where it doesn't tell."""

    cues: list[Cue]
    language: str = ""


def clock_ms(text: str) -> int | None:
    """`1:02`, `01:02:03.5`, `00:00:01,500`; None for anything else."""
    found = _PARTS.fullmatch(text.strip())
    if not found:
        return None
    hours, minutes, seconds, fraction = found.groups()
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return bounded(whole * 1000 + int((fraction or "0").ljust(3, "0")[:3]))


def bounded(ms: float) -> int | None:
    """Whole milliseconds; None for what no episode is long enough for."""
    return round(max(0, ms)) if -_LONGEST_MS < ms <= _LONGEST_MS else None

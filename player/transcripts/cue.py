"""The cues that all formats are read into, and their times."""

import re
from typing import NamedTuple

MOST = 300_000
"""Most cues of a file: 20 hours, if each is a word."""

MOST_ROWS = 1_000_000
"""Most lines of a file that are read."""

_LONGEST_MS = 1000 * 3_600_000

CLOCK = r"(?:\d{1,4}:)?\d{1,4}:\d{1,2}(?:[.,:]\d{1,9})?"
_PARTS = re.compile(r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2})(?:[.,:](\d{1,9}))?", re.ASCII)


class Cue(NamedTuple):
    """The file's text, with line breaks, and its times and speaker where known."""

    text: str
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str = ""


class Read(NamedTuple):
    """The contents of a file; `language` is "" if unknown."""

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
    """Whole milliseconds; None beyond the length of any episode."""
    return round(max(0, ms)) if -_LONGEST_MS < ms <= _LONGEST_MS else None

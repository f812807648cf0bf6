"""The cues that all formats are parsed into; single words are joined, and repetitions in rolling captions removed."""

import re
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple

MOST = 300_000
"""Most cues of a file: 20 hours, if each is a word."""

MOST_ROWS = 1_000_000
"""Most lines of a file that are read."""

_LONGEST_MS = 1000 * 3_600_000

CLOCK = r"(?:\d{1,4}:)?\d{1,4}:\d{1,2}(?:[.,:]\d{1,9})?"
_PARTS = re.compile(r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2})(?:[.,:](\d{1,9}))?", re.ASCII)


class Cue(NamedTuple):
    """The file's text, with line breaks, and its times and speaker if known; `words` are the words, or parts of words,
    whose beginnings are known, in ms."""

    text: str
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str = ""
    words: tuple[tuple[str, int], ...] = ()


class Read(NamedTuple):
    """The contents of a file; `language` and `made_by` are "" if unknown."""

    cues: list[Cue]
    language: str = ""
    made_by: str = ""


def clock_ms(text: str) -> int | None:
    """The milliseconds of `1:02`, `01:02:03.5` or `00:00:01,500`; None for anything else."""
    found = _PARTS.fullmatch(text.strip())
    if not found:
        return None
    hours, minutes, seconds, fraction = found.groups()
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return bounded(whole * 1000 + int((fraction or "0").ljust(3, "0")[:3]))


def bounded(ms: float) -> int | None:
    """Whole milliseconds, at least 0; None beyond the length of any episode."""
    return round(max(0, ms)) if -_LONGEST_MS < ms <= _LONGEST_MS else None


LONGEST_MS = 6000
_MOST_LETTERS_OF_A_LINE = 1000
_PAUSE_MS = 1500
_SINGLE, _MOST_LETTERS = 0.6, 10
"""A file needs joining if at least this share of its cues are single words, and their mean length in characters is at
most this."""
_ENDS = frozenset(".!?…。！？")
_CLOSING = "\"'”’»)]"
_NO_BLANK_BEFORE = frozenset(",.!?;:…%)]}’”»")


def joined(cues: Sequence[Cue]) -> Sequence[Cue]:
    """Joins the cues of a file of single words into lines of one speaker, up to the end of a sentence or for six
    seconds."""
    if not _are_words(cues):
        return cues
    # In some files the words include the spaces; then none are added.
    blank = "" if any(cue.text[:1] == " " or cue.text[-1:] == " " for cue in cues) else " "
    lines: list[Cue] = []
    parts: list[str] = []
    words: list[tuple[str, int]] = []
    length = 0
    for cue in cues:
        text = cue.text.replace("\n", " ")
        length += len(text) + 1
        if parts and length < _MOST_LETTERS_OF_A_LINE and _goes_on(lines[-1], parts[-1], cue):
            parts += ["", text] if clings(parts[-1], text) else [blank, text]
            ends = [ms for ms in (lines[-1].end_ms, cue.end_ms) if ms is not None]
            lines[-1] = lines[-1]._replace(end_ms=max(ends, default=None))
            words += _as_word(cue)
        else:
            lines[-1:] = [lines[-1]._replace(text="".join(parts), words=tuple(words))] if parts else []
            lines.append(cue)
            parts, words, length = [text], [*_as_word(cue)], len(text)
    if parts:
        lines[-1] = lines[-1]._replace(text="".join(parts), words=tuple(words))
    return lines


def _as_word(cue: Cue) -> tuple[tuple[str, int], ...]:
    return cue.words or (() if cue.start_ms is None else ((cue.text, cue.start_ms),))


def _are_words(cues: Sequence[Cue]) -> bool:
    if len(cues) < 2 or any(cue.start_ms is None for cue in cues):
        return False
    letters = sum(len(cue.text.strip()) for cue in cues)
    single = sum(len(cue.text.split()) == 1 for cue in cues)
    return single >= len(cues) * _SINGLE and letters <= len(cues) * _MOST_LETTERS


def _goes_on(line: Cue, last: str, cue: Cue) -> bool:
    if line.speaker != cue.speaker or line.start_ms is None or cue.start_ms is None:
        return False
    end_ms = cue.end_ms if cue.end_ms is not None else cue.start_ms
    silence = cue.start_ms - line.end_ms if line.end_ms is not None else 0
    text = last.rstrip().rstrip(_CLOSING)
    return end_ms - line.start_ms <= LONGEST_MS and silence < _PAUSE_MS and text[-1:] not in _ENDS


def clings(before: str, text: str) -> bool:
    """Whether no space belongs between two texts: before punctuation, and in scripts without spaces."""
    last, first = before[-1:], text[:1]
    return first in _NO_BLANK_BEFORE or (last >= "\u2e80" and first >= "\u2e80") or not text


_SAMPLE = 400
_LONGEST = 40
"""Most words that a cue can share with the next."""
_FEWEST = 3


def unrolled(cues: Sequence[Cue]) -> Sequence[Cue]:
    """Removes repetitions if most cues repeat; other files stay as they are, as people do say things twice."""
    if not _rolls(cues):
        return cues
    shown: list[Cue] = []
    before: list[str] = []
    for cue in cues:
        words = cue.text.split()
        again = _repeated(before, words) if shown and shown[-1].speaker == cue.speaker else 0
        if new := words[again:]:
            timed = cue.words[-len(new) :] if len(cue.words) == len(words) else ()
            shown.append(cue._replace(text=" ".join(new), words=timed))
        elif again and cue.end_ms is not None:
            shown[-1] = shown[-1]._replace(end_ms=max(shown[-1].end_ms or 0, cue.end_ms))
        before = words
    return shown


def _rolls(cues: Sequence[Cue]) -> bool:
    rolling = total = 0
    words = (cue.text.split() for cue in islice(cues, _SAMPLE))
    for before, after in pairwise(words):
        total += 1
        count = _repeated(before, after)
        rolling += count >= _FEWEST or (count > 0 and count in (len(before), len(after)))
    return rolling >= _FEWEST and rolling * 5 >= total * 2


def _repeated(before: Sequence[str], after: Sequence[str]) -> int:
    """How many of the last words of `before` are the first words of `after`."""
    for count in range(min(len(before), len(after), _LONGEST), 0, -1):
        if before[-count] == after[0] and before[-count:] == after[:count]:
            return count
    return 0

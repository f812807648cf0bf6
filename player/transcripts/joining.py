"""Joins single words and half sentences, each with its own time, into readable lines."""

from collections.abc import Sequence

from player.transcripts.cue import Cue

LONGEST_MS = 6000
_MOST_LETTERS_OF_A_LINE = 1000
_PAUSE_MS = 1500
_SINGLE, _MOST_LETTERS = 0.6, 10
"""The share of single-word cues, and the mean length, of files that need joining."""
_ENDS = frozenset(".!?…。！？")
_CLOSING = "\"'”’»)]"
_NO_BLANK_BEFORE = frozenset(",.!?;:…%)]}’”»")


def joined(cues: Sequence[Cue]) -> Sequence[Cue]:
    """Lines of one speaker, to the end of a sentence or for six seconds."""
    if not _are_words(cues):
        return cues
    # Some files put the spaces into the words; then none are added.
    blank = "" if any(cue.text[:1] == " " or cue.text[-1:] == " " for cue in cues) else " "
    lines: list[Cue] = []
    parts: list[str] = []
    length = 0
    for cue in cues:
        text = cue.text.replace("\n", " ")
        length += len(text) + 1
        if parts and length < _MOST_LETTERS_OF_A_LINE and _goes_on(lines[-1], parts[-1], cue):
            parts += ["", text] if _clings(parts[-1], text) else [blank, text]
            ends = [ms for ms in (lines[-1].end_ms, cue.end_ms) if ms is not None]
            lines[-1] = lines[-1]._replace(end_ms=max(ends, default=None))
        else:
            if parts:
                lines[-1] = lines[-1]._replace(text="".join(parts))
            lines.append(cue)
            parts, length = [text], len(text)
    if parts:
        lines[-1] = lines[-1]._replace(text="".join(parts))
    return lines


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


def _clings(before: str, text: str) -> bool:
    """Whether no space comes between: before punctuation, and in scripts without spaces."""
    last, first = before[-1:], text[:1]
    return first in _NO_BLANK_BEFORE or (last >= "\u2e80" and first >= "\u2e80") or not text

"""The sentence that is said at a moment of a transcript, whose lines may be parts of sentences or several of them."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from player.model.episode import Transcript, TranscriptLine
from player.transcripts.cue import clings

SAID_MS = 15_000
"""How long after its end a line still belongs to a moment."""
_LINES = 10
"""The most lines before and after a line in which its sentence is looked for."""
_LONGEST = 600
"""Most characters of a sentence."""
_MS_A_LETTER = 67
"""Speed of speech, in ms per character, for a line whose end isn't known."""
_END = re.compile(
    r"(?<!\b[A-Z])(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bSt)(?<!\bProf)(?<!\bvs)"
    r"[.!?…]+[\"'”’»)\]]*(?=\s+[^\sa-z]|$)|[。！？]+[”’」』）]*"
)


def sentence_at(transcript: Transcript, position_ms: int) -> str:
    """The sentence that is heard at that position, or was heard shortly before; "" if nothing was."""
    row = transcript.at(position_ms)
    if row is None:
        return ""
    line = transcript.lines[row]
    start_ms = line.start_ms or 0
    if position_ms > (start_ms if line.end_ms is None else line.end_ms) + SAID_MS:
        return ""
    first = last = row
    while first > max(0, row - _LINES) and transcript.lines[first - 1].speaker == line.speaker:
        first -= 1
    while last < min(len(transcript.lines) - 1, row + _LINES) and transcript.lines[last + 1].speaker == line.speaker:
        last += 1
    said = [one.text for one in transcript.lines[first : last + 1]]
    return sentence(said, row - first, _offset(line, position_ms - start_ms, position_ms))


def sentence(lines: Sequence[str], row: int, offset: int) -> str:
    """The whole sentence of which that character of that line is part; the line itself if it isn't known where the
    sentence begins or ends."""
    first, last = max(0, row - _LINES), min(len(lines), row + _LINES + 1)
    text, at = "", 0
    for number in range(first, last):
        text += "" if not text or clings(text, lines[number]) else " "
        at = len(text) + min(offset, len(lines[row]) - 1) if number == row else at
        text += lines[number]
    ends = [found.end() for found in _END.finditer(text)]
    which = bisect_right(ends, at)
    begin = ends[which - 1] if which else 0
    end = ends[which] if which < len(ends) else len(text)
    known = (which or first == 0) and (which < len(ends) or last == len(lines))
    return text[begin:end].strip() if ends and known and end - begin <= _LONGEST else lines[row]


def _offset(line: TranscriptLine, passed_ms: int, position_ms: int) -> int:
    """The character of the line that is said at a position, as if all were said at the same speed if words have no
    times."""
    if word := line.word_at(position_ms):
        return word[0]
    length_ms = line.end_ms - (line.start_ms or 0) if line.end_ms is not None else len(line.text) * _MS_A_LETTER
    return len(line.text) * passed_ms // max(1, length_ms)

"""The sentences of a transcript, whose lines captions break anywhere: all of them, or the one said at a moment."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.transcripts.cue import clings

MOST = 100_000
"""After so many sentences, lines are no longer divided."""
_LONGEST = 300
"""Lines of more characters without the end of a sentence stay as they are: the transcript has no punctuation."""
# Begins at the first of several marks, so that it takes linear time even for a line of nothing else.
_END = re.compile(
    r"(?<![.!?…؟۔।])(?<!\b[A-Z])(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bSt)(?<!\bProf)(?<!\bvs)"
    r"""[.!?…؟۔।]++["'”’»)\]]*+(?=\s+[^\sa-z]|$)|[。！？]++["'”’」』）]*+"""
)


def sentences(lines: Sequence[TranscriptLine]) -> list[TranscriptLine]:
    """The lines put together, or divided, so that each is a sentence of one speaker. The time at which each line began
    is kept, as that of a word."""
    found: list[TranscriptLine] = []
    run: list[TranscriptLine] = []
    for line in lines:
        if run and run[-1].speaker != line.speaker:
            found.append(_joined(run))
            run = []
        for part, ends in _parts(line) if len(found) < MOST else [(line, True)]:
            run.append(part)
            if ends:
                found.append(_joined(run))
                run = []
            elif sum(len(one.text) for one in run) > _LONGEST:
                found += run
                run = []
    return [*found, _joined(run)] if run else found


def _parts(line: TranscriptLine) -> Iterator[tuple[TranscriptLine, bool]]:
    """The parts of a line, and whether each is the end of a sentence."""
    start = 0
    for end in (one.end() for one in _END.finditer(line.text)):
        yield _part(line, start, end), True
        start = end
    if start < len(line.text):
        yield _part(line, start, len(line.text)), False


def _part(line: TranscriptLine, start: int, end: int) -> TranscriptLine:
    text = line.text[start:end].strip()
    start = line.text.index(text, start)
    if line.start_ms is None:
        return TranscriptLine(text, speaker=line.speaker)
    begins = SpokenWord(0, line.said_at(start) or 0)
    first, last = (bisect_left(line.words, at, key=lambda word: word.begin) for at in (start + 1, end))
    later = (SpokenWord(word.begin - start, word.start_ms) for word in line.words[first:last])
    return TranscriptLine(text, begins.start_ms, line.end_ms, line.speaker, (begins, *later))


def _joined(run: Sequence[TranscriptLine]) -> TranscriptLine:
    first, last = run[0], run[-1]
    if first is last:
        return first
    text, words = "", list[SpokenWord]()
    for part in run:
        text += "" if not text or clings(text, part.text) else " "
        words += (SpokenWord(len(text) + word.begin, word.start_ms) for word in part.words)
        text += part.text
    return TranscriptLine(text, first.start_ms, last.end_ms, first.speaker, tuple(words))


SAID_MS = 15_000
"""How long after its end a line still belongs to a moment."""
_NEAR = 10
"""The most lines before and after a line in which its sentence is looked for."""
_LONGEST_SENTENCE = 600
"""Most characters of a sentence."""
_MS_A_LETTER = 67
"""Speed of speech, in ms per character, for a line whose end isn't known."""


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
    while first > max(0, row - _NEAR) and transcript.lines[first - 1].speaker == line.speaker:
        first -= 1
    while last < min(len(transcript.lines) - 1, row + _NEAR) and transcript.lines[last + 1].speaker == line.speaker:
        last += 1
    said = [one.text for one in transcript.lines[first : last + 1]]
    return whole_sentence(said, row - first, _offset(line, position_ms - start_ms, position_ms))


def whole_sentence(lines: Sequence[str], row: int, offset: int) -> str:
    """The whole sentence of which that character of that line is part; the line itself if it isn't known where the
    sentence begins or ends."""
    first, last = max(0, row - _NEAR), min(len(lines), row + _NEAR + 1)
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
    return text[begin:end].strip() if ends and known and end - begin <= _LONGEST_SENTENCE else lines[row]


def _offset(line: TranscriptLine, passed_ms: int, position_ms: int) -> int:
    """The character of the line that is said at a position, as if all were said at the same speed if words have no
    times."""
    if word := line.word_at(position_ms):
        return word[0]
    length_ms = line.end_ms - (line.start_ms or 0) if line.end_ms is not None else len(line.text) * _MS_A_LETTER
    return len(line.text) * passed_ms // max(1, length_ms)

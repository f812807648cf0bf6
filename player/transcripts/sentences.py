"""The lines of a transcript, which captions break anywhere, as sentences."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from player.model.episode import SpokenWord, TranscriptLine
from player.transcripts.cue import clings

MOST = 100_000
"""After so many sentences, lines are no longer divided."""
_LONGEST = 300
"""Lines of more characters without the end of a sentence stay as they are: the transcript has no punctuation."""
# Begins at the first of several marks, so that it takes linear time even for a line of nothing else.
_END = re.compile(r"""(?<![.!?…؟۔।])[.!?…؟۔।]++["'”’»)\]]*+(?=\s[^a-z]|$)|[。！？]++["'”’」』）]*+""")


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

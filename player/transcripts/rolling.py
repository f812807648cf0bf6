"""Rolling captions, each of which repeats the previous one and adds a little (YouTube's, and live ones)."""

from collections.abc import Sequence
from itertools import islice, pairwise

from player.transcripts.cue import Cue

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
            shown.append(cue._replace(text=" ".join(new)))
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
    """How many of the last words of one are the first of the other."""
    for count in range(min(len(before), len(after), _LONGEST), 0, -1):
        if before[-count] == after[0] and before[-count:] == after[:count]:
            return count
    return 0

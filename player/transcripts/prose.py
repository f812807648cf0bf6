"""Transcripts without a format: paragraphs or lines, sometimes with a time or a speaker's name."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from player.transcripts.cue import CLOCK, MOST, MOST_ROWS, Cue, Read, clock_ms

_PREFIX = re.compile(
    r"[ \t]*(?:>>+[ \t]*|[-–—][ \t]+)?[\[(]?([^\W\d_][\w.'’ &-]{0,39}?)[\])]?[ \t]?(?::(?:[ \t]+|$)|：[ \t]*)(.*)"
)
_CHANGE = re.compile(r"^[ \t]*>>+[ \t]*")
_SOUND = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|[♪♫\s]+")
_SMALL = frozenset(("da", "de", "del", "der", "di", "du", "el", "la", "le", "of", "the", "van", "von", "y"))
_MOST_WORDS = 4
_RAREST = 50


def is_name(text: str) -> bool:
    """Whether a text could be a speaker's name: a few capitalised words."""
    words = text.split()
    return (
        0 < len(words) <= _MOST_WORDS
        and text[:1].isalpha()
        and not words[0][:1].islower()
        and all(not word[:1].islower() or word in _SMALL for word in words)
    )


def with_speakers(cues: Sequence[Cue]) -> Sequence[Cue]:
    """The cues, split by speaker. A cue without a name belongs to the last speaker, except sounds such as “[music]”. A
    text before a colon counts as a name only if that is frequent in the file: “Note: ...” isn't a speaker.
    """
    split = _split if _has_names(cues) else _whole
    spoken: list[Cue] = []
    speaker = ""
    for cue in cues:
        if cue.speaker:
            speaker = cue.speaker
            spoken.append(cue)
            continue
        lines: list[str] = []
        for line in cue.text.split("\n"):
            name, text = split(line)
            if name and len(spoken) < MOST:
                if "".join(lines).strip():
                    spoken.append(_by(cue, lines, speaker))
                speaker, lines = name, []
            lines.append(text)
        if "".join(lines).strip():
            spoken.append(_by(cue, lines, speaker))
    return spoken


def _has_names(cues: Sequence[Cue]) -> bool:
    unnamed = [cue for cue in cues if not cue.speaker]
    found = Counter(name for cue in unnamed for line in cue.text.split("\n") if (name := _split(line)[0]))
    prefixed = found.total()
    if not prefixed or prefixed * _RAREST < len(unnamed):
        return False
    return max(found.values()) > 1 or prefixed * 2 >= len(unnamed)


def _by(cue: Cue, lines: Sequence[str], speaker: str) -> Cue:
    text = "\n".join(lines)
    return cue._replace(text=text, speaker="" if _SOUND.fullmatch(text.strip()) else speaker)


def _whole(line: str) -> tuple[str, str]:
    return "", _CHANGE.sub("", line) if ">>" in line else line


def _split(line: str) -> tuple[str, str]:
    found = _PREFIX.match(line) if ":" in line or "：" in line else None
    if found and is_name(found[1].strip()):
        return found[1].strip(), found[2]
    return "", line


_TO = r"\s*(?:-{1,3}>?|–|—|to)\s*"
_BRACKETED = re.compile(rf"\s*[\[(]\s*({CLOCK})(?:{_TO}({CLOCK}))?\s*[\])]\s*[-–—:|]?\s*(.*)", re.ASCII)
_BARE = re.compile(rf"\s*({CLOCK})(?:{_TO}({CLOCK}))?(?:\s*[-–—:|](?=\s|$)|(?=\s|$))\s*(.*)", re.ASCII)
_NAMED = re.compile(
    r"\s*([^\W\d_][\w.'’ &-]{0,39}?)(?:[ \t,|–—-]*|:[ \t]*(?=[\[(]))"
    rf"([\[(])?\s*({CLOCK})\s*[\])]?\s*(:)?\s*(.*)"
)
_ENDS = frozenset('.!?…。！？"”»')


def read_prose(text: str) -> Read:
    """Blank lines separate paragraphs; without any, each line is a paragraph, unless lines are wrapped to a width."""
    lines = text.split("\n", MOST_ROWS)[:MOST_ROWS]
    written = [line for line in lines if line.strip()]
    wrapped = sum(line.rstrip()[-1] in _ENDS for line in written) * 2 < len(written)
    apart = len(written) == len("\n".join(lines).strip("\n").split("\n")) and not wrapped
    bare = sum(_BARE.match(line) is not None for line in written) > 1
    return Read(_timed_or_not(_with_pending_times(_cues(lines, bare=bare, apart=apart))))


def _cues(lines: Iterable[str], *, bare: bool, apart: bool) -> Iterable[Cue]:
    cue = Cue("")
    gathered: list[str] = []
    fresh = False
    for line in lines:
        if not line.strip():
            fresh = True
            continue
        head = _head(line, bare)
        if head or fresh or apart:
            yield cue._replace(text="\n".join(gathered))
            cue = head or Cue(line)
            gathered = [cue.text] if cue.text else []
        else:
            gathered.append(line)
        fresh = False
    yield cue._replace(text="\n".join(gathered))


def _head(line: str, bare: bool) -> Cue | None:
    """The cue that a line begins, if it begins with a time, or with a name and a time; None for any other line."""
    if ":" not in line[:80] or not any(digit in line[:80] for digit in "0123456789"):
        return None
    if found := _BRACKETED.match(line) or (bare and _BARE.match(line)) or None:
        return Cue(found[3], clock_ms(found[1]), clock_ms(found[2] or ""))
    found = _NAMED.match(line)
    if found and is_name(found[1].strip()) and (not found[5] or found[2] or found[4]):
        return Cue(found[5], clock_ms(found[3]), None, found[1].strip())
    return None


def _with_pending_times(cues: Iterable[Cue]) -> Iterable[Cue]:
    """A time or name on its own line belongs to the next paragraph; a name applies until the next one."""
    pending: Cue | None = None
    speaker = ""
    for cue in cues:
        speaker = cue.speaker or speaker
        if not cue.text.strip():
            pending = cue if cue.start_ms is not None else pending
        elif pending and cue.start_ms is None:
            yield cue._replace(start_ms=pending.start_ms, end_ms=pending.end_ms, speaker=speaker)
            pending = None
        else:
            yield cue._replace(speaker=speaker)
            pending = None


def _timed_or_not(cues: Iterable[Cue]) -> list[Cue]:
    """Drops a single time among many paragraphs."""
    listed = list(cues)
    if len(listed) > 1 and sum(cue.start_ms is not None for cue in listed) < 2:
        return [cue._replace(start_ms=None, end_ms=None) for cue in listed]
    return listed

"""Speakers named in the text of a transcript: `Anna: Welcome back.`"""

import re
from collections import Counter
from collections.abc import Sequence

from player.transcripts.cue import MOST, Cue

_PREFIX = re.compile(
    r"[ \t]*(?:>>+[ \t]*|[-–—][ \t]+)?[\[(]?([^\W\d_][\w.'’ &-]{0,39}?)[\])]?[ \t]?(?::(?:[ \t]+|$)|：[ \t]*)(.*)"
)
_CHANGE = re.compile(r"^[ \t]*>>+[ \t]*")
_SOUND = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|[♪♫\s]+")
_SMALL = frozenset(("da", "de", "del", "der", "di", "du", "el", "la", "le", "of", "the", "van", "von", "y"))
_MOST_WORDS = 4
_RAREST = 50


def is_name(text: str) -> bool:
    """Whether it could be a speaker's name: a few capitalised words."""
    words = text.split()
    return (
        0 < len(words) <= _MOST_WORDS
        and text[:1].isalpha()
        and not words[0][:1].islower()
        and all(not word[:1].islower() or word in _SMALL for word in words)
    )


def with_speakers(cues: Sequence[Cue]) -> Sequence[Cue]:
    """The cues, split by speaker. A cue without a name continues the last speaker's, except “[music]”. A text before
    a colon counts as a name only if the file often has one: “Note: ...” isn't a speaker.
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

"""Who speaks, where a transcript says it in its text: `Anna: Welcome back.`"""

import re
from collections import Counter
from collections.abc import Sequence

from player.transcripts.cue import MOST, Cue

_PREFIX = re.compile(
    r"[ \t]*(?:>>+[ \t]*|[-–—][ \t]+)?[\[(]?([^\W\d_][\w.'’ &-]{0,39}?)[\])]?[ \t]?(?::(?:[ \t]+|$)|：[ \t]*)(.*)"
)
_CHANGE = re.compile(r"^[ \t]*>>+[ \t]*", re.MULTILINE)
_SMALL = frozenset(("da", "de", "del", "der", "di", "du", "el", "la", "le", "of", "the", "van", "von", "y"))
_MOST_WORDS = 4
_RAREST = 50


def is_name(text: str) -> bool:
    """Whether it could be the name of a speaker: a few words, each with a capital."""
    words = text.split()
    return (
        0 < len(words) <= _MOST_WORDS
        and text[:1].isalpha()
        and not words[0][:1].islower()
        and all(not word[:1].islower() or word in _SMALL for word in words)
    )


def with_speakers(cues: Sequence[Cue]) -> Sequence[Cue]:
    """The same, a cue for each who speaks; one without a name goes on with the last.

    Taken for names only where they are a habit of this file: “Note: ...” is no speaker.
    """
    if any(cue.speaker for cue in cues):
        return cues
    found = Counter(name for cue in cues for line in cue.text.split("\n") if (name := _split(line)[0]))
    prefixed, most = found.total(), max(found.values(), default=0)
    if prefixed * _RAREST < len(cues) or not (most >= 2 or prefixed * 2 >= len(cues)) or not prefixed:
        return [cue._replace(text=_CHANGE.sub("", cue.text)) if ">>" in cue.text else cue for cue in cues]
    spoken: list[Cue] = []
    speaker = ""
    for cue in cues:
        said: list[str] = []
        for line in cue.text.split("\n"):
            name, text = _split(line)
            if name and len(spoken) < MOST:
                if "".join(said).strip():
                    spoken.append(cue._replace(text="\n".join(said), speaker=speaker))
                speaker, said = name, []
            said.append(text)
        if "".join(said).strip():
            spoken.append(cue._replace(text="\n".join(said), speaker=speaker))
    return spoken


def _split(line: str) -> tuple[str, str]:
    found = _PREFIX.match(line) if ":" in line or "：" in line else None
    if found and is_name(found[1].strip()):
        return found[1].strip(), found[2]
    return "", line

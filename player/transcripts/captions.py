"""Captions: WebVTT (W3C) and SubRip (SRT), which differ little; few files follow either exactly.

The header may be missing, as may hours and fractions; there may be blank lines inside a cue, and none between two cues.
"""

import re
from itertools import islice

from player.text.cleaning import unescape
from player.transcripts.cue import CLOCK, MOST, MOST_ROWS, Cue, Read, clock_ms

_TIMES = re.compile(rf"\s*({CLOCK})\s*-{{1,3}}>\s*({CLOCK})?", re.ASCII)
_ANY_TIMES = re.compile(rf"^[ \t]*{CLOCK}[ \t]*-{{1,3}}>", re.ASCII | re.MULTILINE)
_LIKE_TIMES = re.compile(r"\s*[^\s<>]{0,20}\d[^\s<>]{0,20}\s*-->\s*\S{0,20}\d")
_UNSAID = re.compile(r"NOTE(?:\s|$)|(?:STYLE|REGION)\s*$")
_LANGUAGE = re.compile(r"Language:\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3})\s*$", re.IGNORECASE)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*+)?[ \t]+([^<>]*+)>")
_MOMENT = re.compile(rf"<({CLOCK})>", re.ASCII)
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>|<[\d:.]++>|\{\\[^{}]*+\}|\{/?[biuBIU]\}")
_HEAD = 65_536


def looks_like_captions(text: str) -> bool:
    return text.lstrip().startswith("WEBVTT") or _ANY_TIMES.search(text[:_HEAD]) is not None


def read_captions(text: str) -> Read:
    cues: list[Cue] = []
    language = ""
    times: tuple[int | None, int | None] | None = None
    lines: list[str] = []
    since_blank = 0
    in_comment = False
    for line in text.split("\n", MOST_ROWS)[:MOST_ROWS]:
        if found := _TIMES.match(line) or ("-->" in line and _LIKE_TIMES.match(line)):
            if lines and (since_blank == 1 or (since_blank and lines[-1].strip().isdecimal())):
                lines.pop()  # the name or the number of the cue that begins here
            if times:
                cues += _voices("\n".join(lines), times)
                if len(cues) >= MOST:
                    break
            times, lines, in_comment = _times(found), [], False
            since_blank = 2
        elif not line.strip():
            since_blank, in_comment = 0, False
        elif in_comment or (not since_blank and _UNSAID.match(line)):
            in_comment = True
        elif times:
            lines.append(line)
            since_blank += 1
        elif header := _LANGUAGE.match(line):
            language = header[1]
    if times:
        cues += _voices("\n".join(lines), times)
    return Read(cues, language)


def _times(found: re.Match[str]) -> tuple[int | None, int | None]:
    """The start and the end in ms; None for unreadable times, whose text is used nevertheless."""
    if found.re is not _TIMES:
        return None, None
    return clock_ms(found[1]), clock_ms(found[2] or "")


def _voices(text: str, times: tuple[int | None, int | None]) -> list[Cue]:
    """The cues of a text, one for each voice."""
    if "<" not in text and "{" not in text:
        return [Cue(unescape(text).strip(), *times)]
    first, *rest = _VOICE.split(text)
    parts = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
    voices = ((speaker, unescape(_TAG.sub("", part)).strip(), part) for speaker, part in parts)
    return [
        Cue(words, *times, unescape(speaker), _words(part, times[0]))
        for speaker, words, part in islice(voices, MOST)
        if words
    ]


def _words(part: str, start_ms: int | None) -> tuple[tuple[str, int], ...]:
    """The words before the first time within a text, and those after each of these times."""
    first, *rest = _MOMENT.split(part)
    said = [(first, start_ms), *((text, clock_ms(moment)) for moment, text in zip(rest[::2], rest[1::2], strict=True))]
    plain = ((" ".join(unescape(_TAG.sub("", text)).split()), ms) for text, ms in said)
    return tuple((text, ms) for text, ms in plain if text and ms is not None) if rest else ()

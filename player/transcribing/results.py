"""What an engine wrote about a piece of audio, read as a transcript that can be true of that piece.

Speech recognition makes mistakes of its own: it repeats a line for ever, goes on behind the end of the audio, calls
silence `[BLANK_AUDIO]`, or gives no times. All functions here are pure.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.text.cleaning import fold
from player.transcripts.markup import looks_like_html
from player.transcripts.objects import looks_like_json
from player.transcripts.parse import LIMIT, decode, read_transcript

LARGEST = LIMIT
"""Most bytes that are read of a result."""
_MOST_A_SECOND, _MOST_ANYWAY = 60, 500
"""Most characters that are said in a second, and in a piece however short. The fastest speakers need 30 in a second."""
_KEPT, _LONGEST_CYCLE = 3, 4
"""How often a line, or several in turn, may be repeated."""
_SOUND = re.compile(r"(?:\[[^\[\]]*+\]|\([^()]*+\)|\*[^*]*+\*|[\s♪♫.…-])*+")
_WORDS_AGAIN = re.compile(r"(?<!\S)(\S(?:.{0,78}?\S)?)(?P<again>(?:\s+\1(?!\S)){5,})")
_LETTERS_AGAIN = re.compile(r"([\u2e80-\ud7ff\uff00-\uff60]{1,30}?)(?P<again>\1{9,})")
"""Words that are repeated so often; the same in scripts without spaces."""
_TAG = re.compile("[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_KEYS = frozenset(("segments", "transcription", "text", "words", "transcript", "utterances"))
"""Without lines, a JSON object with one of these says that nothing is said."""
_NAMES = {
    "arabic": "ar", "bulgarian": "bg", "catalan": "ca", "chinese": "zh", "croatian": "hr", "czech": "cs",
    "danish": "da", "dutch": "nl", "english": "en", "estonian": "et", "finnish": "fi", "french": "fr", "german": "de",
    "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "italian": "it",
    "japanese": "ja", "korean": "ko", "latvian": "lv", "lithuanian": "lt", "norwegian": "no", "persian": "fa",
    "polish": "pl", "portuguese": "pt", "romanian": "ro", "russian": "ru", "serbian": "sr", "slovak": "sk",
    "slovenian": "sl", "spanish": "es", "swedish": "sv", "tamil": "ta", "thai": "th", "turkish": "tr",
    "ukrainian": "uk", "urdu": "ur", "vietnamese": "vi", "welsh": "cy",
}  # fmt: skip
"""The OpenAI form names languages in English."""


def read_result(body: bytes, length_ms: int) -> Transcript | None:
    """The words in a piece of that length, with times from its start; without lines if nothing is said. None if it is
    no transcript, or only the beginning of one."""
    text = decode(body)
    if not text.strip():
        return Transcript() if not body.strip() else None
    if looks_like_html(text):
        return None
    document: Any = None
    if looks_like_json(text):
        try:
            document = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            return None
    found = read_transcript(body)
    if not found.lines and isinstance(document, dict) and isinstance(document.get("text"), str):
        found = read_transcript(document["text"].encode("utf-8", "replace"), "text/plain")
    if not found.lines and not _says_nothing(text, document):
        return None
    return replace(plausible(found, length_ms), language=_language(document) or found.language)


def _says_nothing(text: str, document: Any) -> bool:
    if isinstance(document, dict):
        return not _KEYS.isdisjoint(document)
    return document == [] or text.startswith("WEBVTT")


def _language(document: Any) -> str:
    result = document.get("result") if isinstance(document, dict) else None
    named = document.get("language") if isinstance(document, dict) else None
    if isinstance(result, dict):  # whisper.cpp
        named = named or result.get("language")
    if not isinstance(named, str):
        return ""
    return _NAMES.get(named.lower()) or (named if _TAG.fullmatch(named) else "")


def plausible(transcript: Transcript, length_ms: int) -> Transcript:
    """The lines that can have been said in a piece of that length, all of them with times within it, in order."""
    said = (shortened(line) for line in transcript.lines if not _SOUND.fullmatch(line.text))
    lines = list(_enough(_without_loops(said), length_ms))
    timed = [line for line in lines if line.start_ms is not None and line.start_ms < length_ms]
    if 2 * len(timed) < len(lines):  # the times are in another unit, or there are none
        timed = list(_spread(lines, length_ms))
    return replace(transcript, lines=tuple(_in_order(timed, length_ms)))


def shortened(line: TranscriptLine) -> TranscriptLine:
    """The line with words that are repeated over and over said a few times."""
    text, words = line.text, line.words
    for again in (_WORDS_AGAIN, _LETTERS_AGAIN):
        while found := again.search(text):
            unit = found.end(1) - found.start(1) + (again is _WORDS_AGAIN)
            start, end = found.start("again") + (_KEPT - 1) * unit, found.end("again")
            text = text[:start] + text[end:]
            words = tuple(
                word if word.begin < start else SpokenWord(word.begin - (end - start), word.start_ms)
                for word in words
                if not start <= word.begin < end
            )
    return line if text is line.text else replace(line, text=text, words=words)


def _without_loops(lines: Iterable[TranscriptLine]) -> Iterator[TranscriptLine]:
    """The lines without those that are said for the fourth time, one after the other or several in turn."""
    said: deque[str] = deque(maxlen=(_KEPT + 1) * _LONGEST_CYCLE)
    for line in lines:
        said.append(fold(line.text).strip(" .,!?…"))
        if not any(_ends_in_loop(list(said), length) for length in range(1, _LONGEST_CYCLE + 1)):
            yield line


def _ends_in_loop(said: list[str], length: int) -> bool:
    """Whether the last lines are so many lines in turn, once more than is kept."""
    last = said[-length:]
    return said[-(_KEPT + 1) * length :] == last * (_KEPT + 1)


def _enough(lines: Iterable[TranscriptLine], length_ms: int) -> Iterator[TranscriptLine]:
    """As many lines as can be said in that time."""
    left = length_ms * _MOST_A_SECOND // 1000 + _MOST_ANYWAY
    for line in lines:
        left -= len(line.text)
        if left < 0:
            return
        yield line


def _spread(lines: Sequence[TranscriptLine], length_ms: int) -> Iterator[TranscriptLine]:
    """The lines with times as if everybody spoke at the same speed."""
    letters = sum(len(line.text) for line in lines)
    passed = 0
    for line in lines:
        yield replace(line, start_ms=passed * length_ms // letters, end_ms=None, words=())
        passed += len(line.text)


def _in_order(lines: Sequence[TranscriptLine], length_ms: int) -> Iterator[TranscriptLine]:
    ordered = sorted(lines, key=lambda line: line.start_ms or 0)
    starts = [max(0, line.start_ms or 0) for line in ordered]
    for line, (start, after) in zip(ordered, pairwise((*starts, length_ms)), strict=True):
        end = line.end_ms if line.end_ms is not None and line.end_ms > start else after
        yield replace(line, start_ms=start, end_ms=min(end, length_ms), words=tuple(_running_on(line, length_ms)))


def _running_on(line: TranscriptLine, length_ms: int) -> Iterator[SpokenWord]:
    """The words that are in the line, and whose times are within the piece and don't run backward."""
    last_ms = 0
    for word in line.words:
        if last_ms <= word.start_ms < length_ms and word.begin < len(line.text):
            yield word
            last_ms = word.start_ms

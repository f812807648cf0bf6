"""JSON: the format of Podcasting 2.0 (1.0.0: `segments` of `speaker`, `startTime`, `endTime`, `body`), and those of
speech recognition: Whisper and its relatives, Podlove, AssemblyAI, Deepgram, Rev, Amazon.

They share a shape, a list of objects with a text and a time, under different names; the parser looks for that shape.
"""

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from player.transcripts.cue import MOST, Cue, Read, bounded, clock_ms

_LISTS = (
    "segments", "utterances", "transcripts", "transcription", "monologues", "audio_segments", "captions", "cues",
    "paragraphs", "sentences", "events", "items", "words",
)  # fmt: skip
_TEXTS = ("body", "text", "transcript", "content", "punctuated_word", "word", "utf8", "value")
_STARTS = ("startTime", "start_time", "start", "from", "begin", "ts")
_ENDS = ("endTime", "end_time", "end", "to", "end_ts")
_STARTS_MS = ("start_ms", "tStartMs", "startMs")
_ENDS_MS = ("end_ms", "endMs")
_SPEAKERS = ("speaker", "speaker_label", "speakerName", "speaker_name", "voice")
_PARTS = ("segs", "elements", "alternatives", "words")
_WORDS = ("words", "tokens")
_EARLY_MS = 20
"""The first word of a segment may begin this long before it: times are rounded."""
_OBJECT = re.compile(r"\{[^{}]*+\}")
_BEGINNING = re.compile(r"\s*(?:\{|\[\s*[\[{\]])")
_DEEPEST = 6
_MOST_LOOKED_AT = 2000


def looks_like_json(text: str) -> bool:
    return _BEGINNING.match(text) is not None


def read_json(text: str) -> Read:
    """The cues of a file; none if none are found. A broken file yields those of its complete objects."""
    try:
        document = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return Read(_cues(list(_whole_objects(text))))
    facts = document if isinstance(document, dict) else {}
    tag, made_by = (one if isinstance(one, str) else "" for one in map(facts.get, ("language", "made_by")))
    for items in _lists(document):
        if cues := _cues(items):
            if facts.get("words") not in (None, items):
                cues = _with_words(cues, facts["words"])
            return Read(cues, tag if re.fullmatch("[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", tag) else "", made_by)
    return Read([])


def _whole_objects(text: str) -> Iterator[Any]:
    for found in islice(_OBJECT.finditer(text), MOST):
        try:
            yield json.loads(found[0], strict=False)
        except ValueError:
            continue


def _lists(document: Any) -> list[list[Any]]:
    """All lists of objects that may be the transcript, the likeliest first: by their names, then from the outside
    in."""
    found: list[tuple[int, int, list[Any]]] = []
    level: list[tuple[str, Any]] = [("", document)]
    for depth in range(_DEEPEST):
        inside: list[tuple[str, Any]] = []
        for name, value in level[:_MOST_LOOKED_AT]:
            if isinstance(value, dict):
                inside += value.items()
            elif isinstance(value, list):
                if any(isinstance(one, dict) for one in value[:10]):
                    found.append((_LISTS.index(name) if name in _LISTS else len(_LISTS), depth, value))
                inside += [("", one) for one in value[:10]]
        level = inside
    return [items for _rank, _depth, items in sorted(found, key=lambda one: one[:2])]


def _cues(items: Sequence[Any]) -> list[Cue]:
    objects = [one for one in items[:MOST] if isinstance(one, dict)]
    unit = _unit(objects)
    cues = [cue for one in objects if (cue := _cue(one, unit)).text.strip()]
    if any(cue.speaker for cue in cues):
        # If other cues name their speakers, a cue without a name has no speaker, rather than the previous one.
        return [cue if cue.speaker else cue._replace(speaker=" ") for cue in cues]
    return cues


def _unit(objects: Sequence[dict[str, Any]]) -> int:
    """The milliseconds in the file's unit of time. If starts and ends are whole numbers far apart, they aren't seconds:
    nobody speaks that long."""
    spans = []
    for one in objects[:1000]:
        start, end = _first(one, _STARTS), _first(one, _ENDS)
        if isinstance(start, float) or isinstance(end, float):
            return 1000
        if type(start) is int and type(end) is int:
            spans.append(end - start)
    return 1 if spans and sorted(spans)[len(spans) // 2] > 200 else 1000


def _cue(one: dict[str, Any], unit: int) -> Cue:
    times = one
    for inner in ("offsets", "timestamps"):  # whisper.cpp
        if isinstance(one.get(inner), dict):
            times, unit = one[inner], 1
            break
    start, end = _time(times, _STARTS_MS, _STARTS, unit), _time(times, _ENDS_MS, _ENDS, unit)
    if start is not None and end is None:
        length = _number(one.get("dDurationMs"))
        end = None if length is None else bounded(start + length)
    text = _first(one, _TEXTS)
    if not isinstance(text, str):
        text, start, end = _put_together(one, start, end)
    speaker = _first(one, _SPEAKERS)
    named = speaker.get("name") if isinstance(speaker, dict) else speaker
    if isinstance(named, int) and not isinstance(named, bool):
        named = f"Speaker {named % 1000}"
    return Cue(text, start, end, named if isinstance(named, str) else "", _words(_first(one, _WORDS), unit))


def _words(items: Any, unit: int) -> tuple[tuple[str, int], ...]:
    """The words of a segment that have times; whisper.cpp's are parts of words."""
    if not isinstance(items, list):
        return ()
    cues = (_cue(one, unit) for one in items[:MOST] if isinstance(one, dict))
    return tuple((one.text, one.start_ms) for one in cues if one.start_ms is not None and one.text.strip())


def _with_words(cues: Sequence[Cue], items: Any) -> list[Cue]:
    """The cues with the words of a list beside theirs (OpenAI)."""
    if any(cue.words for cue in cues) or any(cue.start_ms is None for cue in cues):
        return list(cues)
    starts = [cue.start_ms or 0 for cue in cues]
    sorted_words: list[list[tuple[str, int]]] = [[] for _cue in cues]
    for word in _words(items, 1000):
        sorted_words[max(0, bisect_right(starts, word[1] + _EARLY_MS) - 1)].append(word)
    return [cue._replace(words=tuple(words)) for cue, words in zip(cues, sorted_words, strict=True)]


def _put_together(one: dict[str, Any], start: int | None, end: int | None) -> tuple[str, int | None, int | None]:
    """The text and the times of an object whose words are nested objects."""
    parts = _first(one, _PARTS)
    if not isinstance(parts, list):
        return "", start, end
    inner = [part for part in parts[:MOST] if isinstance(part, dict)]
    if "alternatives" in one:
        inner = inner[:1]
    texts = [text for part in inner if isinstance(text := _first(part, _TEXTS), str)]
    # If any word includes a space, all spaces are in the words.
    text = ("" if any(text[:1] == " " or text[-1:] == " " for text in texts) else " ").join(texts)
    if start is None:
        starts = [time for part in inner if (time := _time(part, _STARTS_MS, _STARTS, 1000)) is not None]
        ends = [time for part in inner if (time := _time(part, _ENDS_MS, _ENDS, 1000)) is not None]
        start, end = (starts[0] if starts else None), (ends[-1] if ends else None)
    return text, start, end


def _time(one: dict[str, Any], in_ms: Sequence[str], names: Sequence[str], unit: int) -> int | None:
    exact = _number(_first(one, in_ms))
    if exact is not None:
        return bounded(exact)
    value = _first(one, names)
    if isinstance(value, str) and ":" in value:
        return clock_ms(value)
    number = _number(value)
    return None if number is None else bounded(number * (1000 if isinstance(value, str) else unit))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _first(one: dict[str, Any], names: Sequence[str]) -> Any:
    for name in names:
        if (value := one.get(name)) is not None:
            return value
    return None

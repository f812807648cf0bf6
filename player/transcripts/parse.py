"""From a file's bytes to a transcript: its encoding, its format, its cues."""

import codecs
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

from msgspec import Struct

from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.text.cleaning import clean_line
from player.transcripts.captions import looks_like_captions, read_captions
from player.transcripts.cue import Cue, Read, joined, unrolled
from player.transcripts.markup import looks_like_html, read_html
from player.transcripts.objects import looks_like_json, read_json
from player.transcripts.prose import read_prose, with_speakers

LIMIT = 16 * 1024**2
"""Most bytes that are read."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LOOK = 4096


def decode(data: bytes) -> str:
    """The text of a file, in the encoding of its byte order mark; else UTF-16 if most of the even or odd bytes at its
    beginning are 0; else UTF-8, or Windows-1252 if too much of it isn't UTF-8. Lines end with only a newline. "" if it
    isn't text."""
    cut = data[:LIMIT]
    text = _decoded(cut, whole=len(cut) == len(data)).replace("\r\n", "\n").replace("\r", "\n")
    return "" if _is_binary(text) else text


def _decoded(data: bytes, *, whole: bool) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    head = data[:_LOOK]
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros.count(0) * 2 > len(zeros):
            return data.decode(encoding, "replace")
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data, final=whole)
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    # A few broken bytes don't mean that it is in another encoding.
    letters = sum(1 for letter in text if letter > "\x7f")
    return text if text.count("\ufffd") * 10 <= letters else data.decode("cp1252", "replace")


def _is_binary(text: str) -> bool:
    head = text[:_LOOK]
    odd = sum(1 for letter in head if (letter < " " and letter not in "\n\t\f\x1b") or letter == "\ufffd")
    return text.startswith("%PDF-") or odd * 20 > len(head)


MOST_LINES = 100_000
LONGEST_LINE = 1000
"""Most characters of a line; a longer line is broken, at the end of a sentence if possible."""

_NAME_LIMIT = 60
_LONGEST_GAP = 100
"""A word isn't looked for further on in its line, in characters: it may be another of the same spelling."""
_MS_A_LETTER = 67
"""Speed of speech, in ms per character, for estimated times."""


class Format(Struct, frozen=True):
    """`types` are its media types."""

    types: frozenset[str]
    looks_like: Callable[[str], bool]
    read: Callable[[str], Read]


_FORMATS = (
    Format(frozenset(("application/json", "text/json", "application/json+transcript")), looks_like_json, read_json),
    Format(
        frozenset(
            ("text/vtt", "application/srt", "text/srt", "application/x-subrip", "application/x-srt", "text/webvtt")
        ),
        looks_like_captions,
        read_captions,
    ),
    Format(frozenset(("text/html", "application/xhtml+xml")), looks_like_html, read_html),
    Format(frozenset(("text/plain",)), lambda _text: True, read_prose),
)
_JSON, _CAPTIONS, _HTML, _PROSE = _FORMATS


def read_transcript(body: bytes, media_type: str = "", language: str = "") -> Transcript:
    """Parses `body` in the format of its media type if it looks like that, else in the format that it looks like. Never
    raises. A file without words, such as a picture or a sign-in page, has no lines.
    """
    text = decode(body)
    media_type = media_type.partition(";")[0].strip().lower()
    read = Read([])
    for one in _candidates(text, media_type):
        if (read := one.read(text)).cues:
            break
    made_by = clean_line(read.made_by, _NAME_LIMIT)
    return Transcript(tuple(islice(_lines(read.cues), MOST_LINES)), language or read.language, made_by)


def _candidates(text: str, media_type: str) -> Sequence[Format]:
    declared = next((one for one in _FORMATS if media_type in one.types), None)
    if declared and declared is not _PROSE and declared.looks_like(text):
        return (declared,)
    likely = next(one for one in _FORMATS if one.looks_like(text))
    if likely is _HTML and declared in (_JSON, _CAPTIONS):
        return ()
    if likely is _PROSE and declared in (_JSON, _CAPTIONS):
        return ()
    return (likely, _PROSE) if declared is _PROSE else (likely,)


def _lines(cues: Sequence[Cue]) -> Iterator[TranscriptLine]:
    """The lines, cleaned and not empty; either all have times, which never decrease, or none has."""
    name = cache(lambda text: clean_line(text, _NAME_LIMIT))
    for cue in joined(_in_order(list(_broken(with_speakers(unrolled(cues)))))):
        if text := clean_line(cue.text, 2 * LONGEST_LINE):
            # Shortened first: comparing a speaker's name of megabytes for each line would be slow.
            words = tuple(_placed(cue, text)) if cue.words else ()
            yield TranscriptLine(text, cue.start_ms, cue.end_ms, name(cue.speaker[: 10 * _NAME_LIMIT]), words)


def _placed(cue: Cue, text: str) -> Iterator[SpokenWord]:
    """The words that begin in the text, in order; parts of words are left out."""
    at, last_ms = 0, cue.start_ms or 0
    for said, start_ms in cue.words:
        word = said.strip()
        found = text.find(word, at) if word else -1
        if 0 <= found <= at + _LONGEST_GAP:
            at = found + len(word)
            if start_ms >= last_ms and (not found or text[found - 1] == " " or word[0] >= "\u2e80"):
                yield SpokenWord(found, start_ms)
                last_ms = start_ms


def _broken(cues: Iterable[Cue]) -> Iterator[Cue]:
    """Breaks long cues; only the first part has a time yet."""
    for cue in cues:
        if len(cue.text) <= LONGEST_LINE:
            yield cue
            continue
        text = " ".join(cue.text.split())
        index, start = 0, cue.start_ms
        while index < len(text):
            end = index + _line_end(text[index : index + LONGEST_LINE + 1])
            yield cue._replace(text=text[index:end], start_ms=start, end_ms=cue.end_ms if end == len(text) else None)
            index, start = end, None


def _line_end(text: str) -> int:
    if len(text) <= LONGEST_LINE:
        return len(text)
    ends = (text.rfind(mark, LONGEST_LINE // 2) + len(mark) for mark in (". ", "? ", "! ", "。"))
    best = max((end for end in ends if end > LONGEST_LINE // 2), default=0)
    return best or text.rfind(" ", 1) + 1 or LONGEST_LINE


def _in_order(cues: Sequence[Cue]) -> Sequence[Cue]:
    """The cues sorted by time. Missing times are interpolated by length, as if everybody spoke at the same speed."""
    if all(cue.start_ms is None for cue in cues):
        return [cue._replace(end_ms=None) for cue in cues]
    keyed: list[tuple[int, Cue]] = []
    last = 0
    for cue in cues:
        last = last if cue.start_ms is None else cue.start_ms
        keyed.append((last, cue))
    ordered = [cue for _start, cue in sorted(keyed, key=lambda one: one[0])]
    timed: list[Cue] = []
    for run, until in _runs(ordered):
        timed += _spread(run, run[0].start_ms or 0, until)
    return timed


def _runs(cues: Sequence[Cue]) -> Iterator[tuple[Sequence[Cue], int | None]]:
    """Each cue that has a time, together with the following cues that have none, and the time of the next cue."""
    begin = 0
    for index in range(1, len(cues)):
        if (until := cues[index].start_ms) is not None:
            yield cues[begin:index], until
            begin = index
    yield cues[begin:], None


def _spread(run: Sequence[Cue], start: int, until: int | None) -> Iterator[Cue]:
    letters = sum(len(cue.text) for cue in run) or 1
    ms_a_letter = _MS_A_LETTER if until is None else min(_MS_A_LETTER * 4, (until - start) / letters)
    passed = 0
    for cue in run:
        at = start + round(passed * ms_a_letter)
        yield cue._replace(start_ms=at, end_ms=cue.end_ms if cue.end_ms is not None and cue.end_ms > at else None)
        passed += len(cue.text)

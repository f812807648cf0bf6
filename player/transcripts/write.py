"""Writes transcripts for other programs: WebVTT (W3C), SubRip (SRT), and JSON of the podcast namespace (1.0.0). What is
written here, `read_transcript` reads as the same. And writes them as text for people and language models.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from player.model.episode import Transcript, TranscriptLine
from player.text.cleaning import unescape
from player.text.durations import clock

_PARAGRAPH_MS = 60_000
_MS_A_LETTER = 67
"""Speed of speech, in ms per character, for lines whose end isn't known."""
_BRACE = r"\{(?=\\|/?[biuBIU]\})"
"""What would be taken for a mark of SubStation Alpha, which both kinds of captions sometimes carry."""
_MISTAKABLE = re.compile(rf"<(?=[\w/:!])|{_BRACE}|(?<=--)>|(?<=-)>(?=\s*\d)")
"""What would be taken for a mark or an arrow in SubRip."""


def as_vtt(transcript: Transcript, note: str = "") -> str:
    """Of a transcript with times: speakers as voices, and times within the text before words. `note` is for people, and
    not shown."""
    head = f"WEBVTT\nLanguage: {transcript.language}\n" if transcript.language else "WEBVTT\n"
    head += f"\nNOTE {note}\n" if note else ""
    cues = (
        f"\n{_clock(start)} --> {_clock(end)}\n{_voice(line)}{_timed_text(line, start, end)}\n"
        for line, start, end in _spans(transcript)
    )
    return head + "".join(cues)


def as_srt(transcript: Transcript) -> str:
    """Of a transcript with times. A speaker is a name before the text."""
    cues = (
        f"{number}\n{_clock(start, ',')} --> {_clock(end, ',')}\n{_plain(line)}\n"
        for number, (line, start, end) in enumerate(_spans(transcript), 1)
    )
    return "\n".join(cues)


def as_json(transcript: Transcript) -> str:
    facts = {"version": "1.0.0", "language": transcript.language, "made_by": transcript.made_by}
    document = {name: value for name, value in facts.items() if value}
    return json.dumps({**document, "segments": list(map(_segment, transcript.lines))}, ensure_ascii=False)


class Paragraph(NamedTuple):
    """What somebody says; `speaker` is only named where another one has spoken before."""

    start_ms: int | None
    speaker: str
    lines: list[str]


def paragraphs(transcript: Transcript) -> Iterator[Paragraph]:
    """A paragraph for each speaker, and another after at least a minute; each line, where no times are known."""
    paragraph, speaker = Paragraph(None, "", []), ""
    for line in transcript.lines:
        start, begun = line.start_ms, paragraph.start_ms
        if start is None or begun is None or start - begun >= _PARAGRAPH_MS or line.speaker != speaker:
            if paragraph.lines:
                yield paragraph
            paragraph = Paragraph(start, line.speaker if line.speaker != speaker else "", [])
            speaker = line.speaker
        paragraph.lines.append(line.text)
    if paragraph.lines:
        yield paragraph


def as_text(transcript: Transcript) -> str:
    """Paragraphs with times and speakers: `[0:12] Ada: It rains.`"""
    return "".join(
        " ".join(filter(None, (
            "" if one.start_ms is None else f"[{clock(one.start_ms)}]", one.speaker and f"{one.speaker}:", *one.lines,
        ))) + "\n\n"
        for one in paragraphs(transcript)
    )  # fmt: skip


WRITERS: Mapping[str, Callable[[Transcript], str]] = {"vtt": as_vtt, "srt": as_srt, "json": as_json}
"""By the ending of the file."""


def _spans(transcript: Transcript) -> Iterator[tuple[TranscriptLine, int, int]]:
    """The lines with their starts and ends in ms; an end that isn't known is where the next line starts, or as much
    later as the words take."""
    for line, following in pairwise((*transcript.lines, None)):
        assert line is not None
        start = line.start_ms or 0
        end = line.end_ms
        if end is None and following is not None:
            end = following.start_ms
        yield line, start, end if end is not None and end > start else start + max(1, len(line.text) * _MS_A_LETTER)


def _clock(ms: int, point: str = ".") -> str:
    seconds, thousandths = divmod(ms, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{thousandths:03}"


def _escaped(text: str) -> str:
    return re.sub(_BRACE, "&#123;", text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def _voice(line: TranscriptLine) -> str:
    return f"<v {_escaped(line.speaker)}>" if line.speaker else ""


def _timed_text(line: TranscriptLine, start: int, end: int) -> str:
    """A time within a cue has to be later than the time before it, and earlier than the end (WebVTT 3.1): the other
    words have none."""
    text, at, last = "", 0, start
    for word in line.words:
        text += _escaped(line.text[at : word.begin])
        at = word.begin
        if last < word.start_ms < end:
            text += f"<{_clock(word.start_ms)}>"
            last = word.start_ms
    return text + _escaped(line.text[at:])


def _plain(line: TranscriptLine) -> str:
    """SubRip has no marks of its own for what stands in a text, so that only what would be mistaken is escaped."""
    said = f"{line.speaker}: {line.text}" if line.speaker else line.text
    if unescape(said) != said:
        said = said.replace("&", "&#38;")
    return _MISTAKABLE.sub(lambda found: f"&#{ord(found[0])};", said)


def _segment(line: TranscriptLine) -> dict[str, Any]:
    ends = (*(word.begin for word in line.words[1:]), len(line.text))
    words = [
        {"word": line.text[word.begin : end].strip(), "start": word.start_ms / 1000}
        for word, end in zip(line.words, ends, strict=False)
    ]
    facts = {
        "startTime": None if line.start_ms is None else line.start_ms / 1000,
        "endTime": None if line.end_ms is None else line.end_ms / 1000,
        "speaker": line.speaker or None,
        "body": line.text,
        "words": words or None,
    }
    return {name: value for name, value in facts.items() if value is not None}

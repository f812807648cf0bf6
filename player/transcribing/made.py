"""A transcript that was made here, as it is stored: the format of Podcasting 2.0 (transcripts, JSON 1.0.0), with the
words' times, and with what it was made of, so that it can be continued."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from player.library import Attachment, AttachmentKind
from player.library.attachments import MADE
from player.model.episode import Transcript, TranscriptLine
from player.transcribing.pieces import Span, joined, next_piece

_EDGE_MS = 300
"""A line may reach so far beyond the sound that it belongs to."""
_SAME_MS = 100
"""Lengths of the same audio differ by less, as different containers and tags say them."""


class Word(Struct, frozen=True, omit_defaults=True):
    word: str
    start: float


class Segment(Struct, frozen=True, omit_defaults=True, rename="camel"):
    start_time: float
    end_time: float | None
    body: str
    speaker: str = ""
    words: tuple[Word, ...] = ()

    @property
    def starts_ms(self) -> int:
        return round(self.start_time * 1000)

    @property
    def ends_ms(self) -> int:
        last = self.words[-1].start if self.words else self.start_time
        return round((last if self.end_time is None else self.end_time) * 1000)

    def moved(self, by_ms: int) -> "Segment":
        def later(seconds: float) -> float:
            return round(seconds + by_ms / 1000, 3)

        end = None if self.end_time is None else later(self.end_time)
        words = tuple(Word(one.word, later(one.start)) for one in self.words)
        return replace(self, start_time=later(self.start_time), end_time=end, words=words)


class Made(Struct, frozen=True):
    """`made_by` is the name of the engine. `audio_ms`: how long the audio said it was, None if it didn't; audio of
    another length has other words, or has them at other times. `pieces` are the spans that have been transcribed, in
    ms. `ended`: the last of them is the end."""

    made_by: str = ""
    language: str = ""
    audio_ms: int | None = None
    pieces: tuple[Span, ...] = ()
    ended: bool = False
    segments: tuple[Segment, ...] = ()
    version: str = "1.0.0"

    @property
    def done_ms(self) -> int:
        return sum(last - first for first, last in self.pieces)

    @property
    def end_ms(self) -> int | None:
        """Where the audio ends, if that is known."""
        return self.pieces[-1][1] if self.ended and self.pieces else None

    @property
    def is_whole(self) -> bool:
        return self.ended and next_piece(self.pieces, self.end_ms, None) is None

    def is_of(self, audio_ms: int | None) -> bool:
        """Whether it was made of audio of that length."""
        return audio_ms is None or self.audio_ms is None or abs(audio_ms - self.audio_ms) < _SAME_MS

    def grown(self, piece: Span, words: Transcript, made_by: str, audio_ms: int | None, *, ended: bool) -> "Made":
        """With the words of one more piece, whose times count from its start."""
        new = tuple(_segment(line, piece[0]) for line in words.lines)
        kept = [one for one in self.segments if not piece[0] <= one.start_time * 1000 < piece[1]]
        return Made(
            made_by,
            self.language or words.language,
            audio_ms if self.audio_ms is None else self.audio_ms,
            joined(self.pieces, piece),
            self.ended or ended,
            tuple(sorted((*kept, *new), key=lambda one: one.start_time)),
        )

    def moved(self, parts: Sequence[tuple[int, int, int]], longer_ms: int) -> "Made":
        """The transcript of other audio that lasts `longer_ms` more, with the same sound elsewhere: each of `parts` is
        from when to when in this one, and how much later it is there, in ms. Lines across an edge are left out, to be
        transcribed again."""
        pieces: tuple[Span, ...] = ()
        segments: list[Segment] = []
        for first, last, shift in parts:
            for begin, end in self.pieces:
                begin, end = max(begin, first), min(end, last)
                found = [one for one in self.segments if one.starts_ms < end and one.ends_ms > begin]
                if found and found[0].starts_ms < begin - _EDGE_MS:
                    begin = found.pop(0).ends_ms
                if found and found[-1].ends_ms > end + _EDGE_MS:
                    end = found.pop().starts_ms
                if end > begin:
                    pieces = joined(pieces, (begin + shift, end + shift))
                    segments += [one.moved(shift) for one in found]
        length = None if self.audio_ms is None else self.audio_ms + longer_ms
        # Nothing was added or cut off behind the last part.
        ended = self.ended and bool(pieces) and abs(parts[-1][2] - longer_ms) <= _EDGE_MS
        return replace(self, audio_ms=length, pieces=pieces, ended=ended, segments=tuple(segments))

    def attachment(self) -> Attachment:
        body = msgspec.json.encode(self)
        return Attachment(AttachmentKind.TRANSCRIPT, MADE, body, "application/json", self.language)


def read_made(attachment: Attachment | None) -> Made | None:
    """None if there is none, or if it isn't one that was made here."""
    if attachment is None:
        return None
    try:
        return msgspec.json.decode(attachment.body, type=Made)
    except msgspec.MsgspecError:
        return None


def _segment(line: TranscriptLine, offset_ms: int) -> Segment:
    def seconds(ms: int) -> float:
        return round((offset_ms + ms) / 1000, 3)

    ends: list[Any] = [*(word.begin for word in line.words[1:]), None]
    words = tuple(
        Word(line.text[word.begin : end].strip(), seconds(word.start_ms))
        for word, end in zip(line.words, ends, strict=False)
    )
    end = None if line.end_ms is None else seconds(line.end_ms)
    return Segment(seconds(line.start_ms or 0), end, line.text, line.speaker, words)

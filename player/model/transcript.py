"""What is said in an episode."""

from bisect import bisect_right

from msgspec import Struct


class TranscriptLine(Struct, frozen=True):
    """What is said from `start_ms` on; both times are None in a transcript without times. `speaker` may be ""."""

    text: str
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str = ""


class Transcript(Struct, frozen=True):
    """Lines in their order; `language` is a tag such as `en`, or ""."""

    lines: tuple[TranscriptLine, ...] = ()
    language: str = ""

    @property
    def timed(self) -> bool:
        return any(line.start_ms is not None for line in self.lines)

    def at(self, position_ms: int) -> int | None:
        """The place of the line that is heard there, or was heard last; None before the first."""
        index = bisect_right(self.lines, position_ms, key=lambda one: one.start_ms or 0) - 1
        return index if index >= 0 and self.timed else None


class TranscriptRef(Struct, frozen=True):
    """Where a transcript is to be had (`podcast:transcript`)."""

    url: str
    media_type: str = ""
    language: str = ""

"""Transcripts: which of those that an episode has are wanted, and what their bytes say."""

from collections.abc import Callable, Mapping, Sequence

from player.model import Transcript, TranscriptRef

Parser = Callable[[bytes], Transcript]
"""From a file's bytes to its lines, cleaned, in bounded time. Raises ValueError where it is no such file."""

PARSERS: Mapping[str, Parser] = {}
"""By media type, the best first."""


def wanted(refs: Sequence[TranscriptRef], language: str) -> list[TranscriptRef]:
    """Of those that can be read one for each language, that of the listener first."""
    order = {media_type: rank for rank, media_type in enumerate(PARSERS)}
    readable = sorted((ref for ref in refs if ref.media_type in order), key=lambda ref: order[ref.media_type])
    by_language = {ref.language: ref for ref in reversed(readable)}
    return sorted(by_language.values(), key=lambda ref: (ref.language != language, refs.index(ref)))


def read_transcript(body: bytes, media_type: str) -> Transcript:
    """Raises ValueError for a type that can't be read, and for bytes that are something else."""
    if media_type not in PARSERS:
        raise ValueError(f"a transcript of type {media_type} can't be read")
    return PARSERS[media_type](body)

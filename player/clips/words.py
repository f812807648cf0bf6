"""The words of a clip: those of the transcript that are said in it, with times from its start, and as a quotation."""

from collections.abc import Iterator

from msgspec.structs import replace

from player.bookmarks import escaped
from player.links.urls import link_at, openable, without_secrets
from player.model.episode import Episode, SpokenWord, Transcript, TranscriptLine
from player.text.durations import clock
from player.transcripts.write import paragraphs

_MS_A_LETTER = 67
"""Speed of speech, in ms per character, for a line whose end isn't known."""


def words_of(transcript: Transcript, start_ms: int, end_ms: int) -> Transcript:
    """What is said between the two moments, in times of the clip. Where the times of words are known, a line is divided
    between two of them; any other line belongs to the clip if most of it does."""
    if not transcript.timed:
        return replace(transcript, lines=())
    lines = transcript.lines
    following = (*(line.start_ms for line in lines[1:]), None)
    parts = (_part(line, next_ms, start_ms, end_ms) for line, next_ms in zip(lines, following, strict=True))
    return replace(transcript, lines=tuple(part for part in parts if part is not None))


def said_between(transcript: Transcript | None, start_ms: int, end_ms: int) -> str:
    """The same in one line."""
    return " ".join(line.text for line in words_of(transcript, start_ms, end_ms).lines) if transcript else ""


def edges_of(transcript: Transcript) -> list[int]:
    """The moments at which a word begins, as far as they are known; else at which lines begin."""
    found: set[int] = set()
    for line in transcript.lines:
        found.update([word.start_ms for word in line.words] or ([line.start_ms] if line.start_ms is not None else []))
    return sorted(found)


def quotation(episode: Episode, words: Transcript, start_ms: int) -> Iterator[str]:
    """The lines of a quotation in Markdown: what is said, and under it the time as a link, the episode and the
    podcast."""
    for _start, speaker, said in paragraphs(words):
        name = f"**{escaped(speaker)}:**" if speaker else ""
        yield "> " + " ".join(filter(None, (name, *map(escaped, said))))
        yield ">"
    page = openable(without_secrets(episode.link)) or openable(without_secrets(episode.url))
    at, title = link_at(page, start_ms), escaped(episode.title)
    moment = clock(start_ms)
    facts = (f"[{title}](<{page}>)" if page else title, escaped(episode.podcast))
    yield f"> — {', '.join(filter(None, facts))}, {f'[{moment}](<{at}>)' if at else moment}"


def _part(line: TranscriptLine, next_ms: int | None, start_ms: int, end_ms: int) -> TranscriptLine | None:
    begins = line.start_ms
    if begins is None or begins >= end_ms:
        return None
    ends = line.end_ms if line.end_ms is not None and line.end_ms > begins else next_ms
    if ends is None or ends <= begins:
        ends = begins + len(line.text) * _MS_A_LETTER
    if ends <= start_ms:
        return None
    shift = {"start_ms": max(0, begins - start_ms), "end_ms": min(ends, end_ms) - start_ms}
    if not line.words:
        heard = min(ends, end_ms) - max(begins, start_ms)
        return replace(line, **shift) if 2 * heard >= ends - begins else None
    kept = [word for word in line.words if start_ms <= word.start_ms < end_ms]
    if not kept:
        return None
    first = 0 if kept[0] is line.words[0] else kept[0].begin
    after = line.words.index(kept[-1]) + 1
    last = line.words[after].begin if after < len(line.words) else len(line.text)
    text = line.text[first:last].rstrip()
    words = tuple(SpokenWord(max(0, word.begin - first), word.start_ms - start_ms) for word in kept)
    if first:
        shift["start_ms"] = words[0].start_ms
    if after < len(line.words):
        shift["end_ms"] = min(line.words[after].start_ms, end_ms) - start_ms
    return replace(line, text=text, words=words, **shift)

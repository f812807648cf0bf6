"""Chapters in the show notes: a list of times with titles."""

import re
from collections.abc import Iterator

from player.links.urls import web_address
from player.model.chapters import Chapter
from player.notes import Block, Item, Span, parsed
from player.text.cleaning import clean_line
from player.text.times_in_text import leading, timestamps

FEWEST = 3
"""Times in a row that make a list: two may be mentioned in passing."""
_LOOKED_AT = 200_000
"""Most characters read, in a tenth of a second."""
_TITLE = 200
"""Characters; a longer text isn't a title, even if it begins with a time."""
_TIME = re.compile(r"\d:[0-5]\d")
_AROUND = " \t-–—:|·•,.;"


def read_notes_chapters(notes: str, duration_ms: int | None) -> tuple[Chapter, ...]:
    """The longest run of increasing times, each within the episode and at one end of its line."""
    if sum(1 for _ in _TIME.finditer(notes, 0, _LOOKED_AT)) < FEWEST:
        return ()
    best: list[Chapter] = []
    run: list[Chapter] = []
    for chapter in _timed_lines(notes, duration_ms):
        if run and chapter.start_ms <= run[-1].start_ms:
            run = []
        run.append(chapter)
        best = run if len(run) > len(best) else best
    return tuple(best) if len(best) >= FEWEST else ()


def _timed_lines(notes: str, duration_ms: int | None) -> Iterator[Chapter]:
    room = _LOOKED_AT
    for block in parsed(notes).whole().blocks:
        for line in _lines(block):
            text = "".join(span.text for span in line)
            room -= len(text)
            if room < 0:
                return
            start, title = _timed(text, duration_ms, in_list=isinstance(block, Item))
            title = clean_line(title.strip(_AROUND))
            if start is not None and title and len(title) <= _TITLE:
                links = (address for span in line if (address := web_address(span.href)))
                yield Chapter(start, title, url=next(links, ""))


def _timed(text: str, duration_ms: int | None, *, in_list: bool) -> tuple[int | None, str]:
    """The time that a line begins with, or an item of a list ends with, and the rest of the line."""
    if first := leading(text, duration_ms):
        rest = text[first.end :]
        until = leading(rest)
        return first.ms, rest[until.end :] if until else rest
    if in_list:
        for found in timestamps(text, duration_ms):
            if not text[found.end :].strip(f")]{_AROUND}"):
                return found.ms, text[: found.start].rstrip("([")
    return None, ""


def _lines(block: Block) -> Iterator[list[Span]]:
    """The spans of each line of a block."""
    line: list[Span] = []
    for span in block.spans:
        first, *others = span.text.split("\n")
        line.append(span._replace(text=first))
        for text in others:
            yield line
            line = [span._replace(text=text)]
    yield line

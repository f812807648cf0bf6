"""Chapters written as text: in the show notes, as JSON (podcast-namespace, “JSON Chapters Format” 1.2.0), and as
Podlove Simple Chapters (podlove.org/simple-chapters) in the feed.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from player.chapters.best import MOST
from player.links.urls import web_address
from player.model.episode import Chapter
from player.notes import Block, Item, Span, parsed
from player.text.cleaning import LINE_LIMIT, clean_line, unescape
from player.text.durations import parse_time
from player.text.times import leading, timestamps

FEWEST = 3
"""Fewest consecutive times that make a list: two may be mentioned in passing."""
_MOST_CHARACTERS = 200_000
"""Most characters read, which takes a tenth of a second."""
_TITLE = 200
"""Most characters of a title; a longer text isn't one, even if it begins with a time."""
_TIME = re.compile(r"\d:[0-5]\d")
_AROUND = " \t-–—:|·•,.;"


def read_notes_chapters(notes: str, duration_ms: int | None) -> tuple[Chapter, ...]:
    """The longest run of increasing times, each within the episode and at one end of its line."""
    if sum(1 for _ in _TIME.finditer(notes, 0, _MOST_CHARACTERS)) < FEWEST:
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
    room = _MOST_CHARACTERS
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
    """The time at the beginning of a line, or at the end of a list item, and the rest of the line; (None, "") if it has
    none."""
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


_MOST_ENTRIES = 10 * MOST
_LONGEST_S = 1_000 * 3_600


def read_json_chapters(body: bytes) -> tuple[Chapter, ...]:
    """The chapters in the file's order. Raises ValueError if it isn't a file of JSON chapters."""
    try:
        read = json.loads(body)
    except UnicodeDecodeError:
        read = json.loads(body.decode(errors="replace"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    listed = read.get("chapters") if isinstance(read, dict) else read
    if not isinstance(listed, list):
        raise ValueError("it has no chapters")
    found = (_chapter(one) for one in listed[:_MOST_ENTRIES] if isinstance(one, dict))
    return tuple(chapter for chapter in found if chapter)


def _chapter(raw: dict[str, Any]) -> Chapter | None:
    start = _ms(raw.get("startTime"))
    if start is None:
        return None
    end = _ms(raw.get("endTime"))
    return Chapter(
        start_ms=start,
        title=clean_line(unescape(_text(raw.get("title"))[: LINE_LIMIT * 10])),
        end_ms=end if end is not None and end > start else None,
        url=web_address(_text(raw.get("url"))),
        image_url=web_address(_text(raw.get("img"))),
        hidden=raw.get("toc") is False or _text(raw.get("toc")).lower() == "false",
    )


def _ms(raw: Any) -> int | None:
    """The milliseconds of a time in seconds, as a number or text, or of `1:02:03`; None for anything else."""
    if isinstance(raw, str):
        try:
            return parse_time(raw)
        except ValueError:
            return None
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= _LONGEST_S:
        return None
    return round(raw * 1000)


def _text(raw: Any) -> str:
    return raw.strip() if isinstance(raw, str) else ""


def read_podlove_chapters(extra: str) -> tuple[Chapter, ...]:
    """The chapters in `EpisodeDetails.extra`, whose texts are clean already."""
    listed = json.loads(extra).get("chapters", ()) if extra else ()
    return tuple(
        Chapter(one["start_ms"], one["title"], url=one.get("href", ""), image_url=one.get("image", ""))
        for one in listed
    )

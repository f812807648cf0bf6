"""Times in a text, and which of them are positions in the episode."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from player.text.durations import parse_time

_TIME = r"(?:\d{1,2}:[0-5]?\d|\d{1,3}):[0-5]\d(?!:?\d)"
_NOT_OF_DAY = r"(?!\s*(?:(?i:[ap]\.?m|uhr|o.clock|utc|gmt)|[A-Z]{1,3}T)\b)"
_FIRST = re.compile(rf"\s*[(\[]?({_TIME}){_NOT_OF_DAY}[)\]]?(?:\s*[-–—:|]\s+|\s+|$)", re.ASCII)
# Not in the middle of a number, a date, an address or a range of hours; not the time of a day.
_INSIDE = re.compile(rf"(?<![\w:.,/+$€=-])(?<!\d-\d\d )({_TIME})(?![\w%/])(?!\.\d){_NOT_OF_DAY}", re.ASCII)
_SCHEME = "earmark:time/"


class Timestamp(NamedTuple):
    """`start` and `end` are characters of the text; for a leading one `end` is where the text after it begins."""

    start: int
    end: int
    text: str
    ms: int


def leading(text: str, duration_ms: int | None = None) -> Timestamp | None:
    """The time that a line begins with, `12:34 - Title` or `(12:34) Title`, if it is one of the episode."""
    found = _FIRST.match(text)
    if found is None or not _in_episode(ms := parse_time(found[1]), duration_ms):
        return None
    return Timestamp(found.start(1), found.end(), found[1], ms)


def timestamps(text: str, duration_ms: int | None = None) -> Iterator[Timestamp]:
    """The times within a text that are positions in the episode.

    While nobody knows its length, only those in brackets: what else looks like a time may be one of the day.
    """
    for found in _INSIDE.finditer(text):
        before = text[max(0, found.start() - 1) : found.start()]
        bracketed = before in ("(", "[") and text[found.end() : found.end() + 1] in (")", "]")
        if (bracketed or duration_ms is not None) and _in_episode(ms := parse_time(found[1]), duration_ms):
            yield Timestamp(found.start(), found.end(), found[1], ms)


def _in_episode(ms: int, duration_ms: int | None) -> bool:
    return duration_ms is None or ms <= duration_ms


def time_link(ms: int) -> str:
    """The link target for a position in the episode, as a URL is for a page."""
    return f"{_SCHEME}{ms}"


def time_of(href: str) -> int | None:
    """The position that `time_link` leads to, in ms; None for any other link."""
    number = href.removeprefix(_SCHEME)
    return int(number) if number != href and number.isascii() and number.isdigit() else None

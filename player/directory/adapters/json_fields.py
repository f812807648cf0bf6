"""Reads fields of any type as the expected type: a value of another type counts as missing."""

import math
import re
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from player.directory.answers import Record
from player.links.urls import split_login, web_address
from player.text.cleaning import clean_block, clean_line, unescape

_TITLE, _NAME, _DESCRIPTION = 300, 80, 4_000
"""The most characters."""
_GUID_LIMIT = 2_000
_MOST_TOPICS = 10
_MOST = 10_000_000
_LONGEST_MS = 7 * 24 * 3_600_000
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,60}")
_TAG = re.compile(r"<(?:[/!]?[A-Za-z]|!--)[^<>]{0,2000}>")
_LINES = re.compile(r"\n{3,}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
_NO_GUID = uuid.UUID(int=0)


def records(values: object) -> Iterator[Record]:
    """The entries of a list that are objects."""
    return (one for one in values if isinstance(one, dict)) if isinstance(values, list) else iter(())


def inner(record: object, *path: str | int) -> Any:
    """The value at the end of a path of keys and indexes; None if there is none."""
    for step in path:
        if isinstance(step, str) and isinstance(record, dict):
            record = record.get(step)
        elif isinstance(step, int) and isinstance(record, list) and step < len(record):
            record = record[step]
        else:
            return None
    return record


def line(value: object, limit: int = _TITLE) -> str:
    """One clean line, without character references."""
    return clean_line(unescape(value[: limit * 8]), limit) if isinstance(value, str) else ""


def block(value: object) -> str:
    """Clean paragraphs without markup."""
    if not isinstance(value, str):
        return ""
    text = value[: _DESCRIPTION * 4]
    if "<" in text:
        text = _TAG.sub("", re.sub(r"(?i)<(?:br|/p|/div|/li)\b[^<>]{0,200}>", "\n", text))
    return _LINES.sub("\n\n", clean_block(unescape(text), _DESCRIPTION).strip())


def address(value: object) -> str:
    """An http or https address, without a name and password, which can't be the listener's."""
    return split_login(web_address(value.strip()))[0] if isinstance(value, str) else ""


def whole(value: object) -> int | None:
    """A whole number from 0 on, also as text."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 16:
        value = int(value)
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value < 10**15 else None


def count(value: object) -> int | None:
    """A number of episodes."""
    number = whole(value)
    return number if number is not None and number <= _MOST else None


def duration_ms(value: object, unit_ms: int = 1) -> int | None:
    """The length of an episode in ms; None unless it is more than 0 and at most a week."""
    number = whole(value)
    return number * unit_ms if number and number * unit_ms <= _LONGEST_MS else None


def media_type(value: object) -> str:
    kind = value.strip().lower() if isinstance(value, str) else ""
    return kind if _MEDIA_TYPE.fullmatch(kind) else ""


def apple_id(value: object) -> int | None:
    return whole(value) or None


def guid(value: object) -> str:
    """A UUID in lower case."""
    try:
        read = uuid.UUID(value) if isinstance(value, str) and len(value) < 50 else _NO_GUID
    except ValueError:
        return ""
    return "" if read == _NO_GUID else str(read)


def guid_in_feed(value: object) -> str:
    """An episode's guid, which may be any text, cleaned in the same way as the guids in feeds."""
    return clean_line(value, _GUID_LIMIT) if isinstance(value, str) else ""


def language(value: object) -> str:
    """`en`, `pt-BR`."""
    code = value.strip() if isinstance(value, str) else ""
    if not _LANGUAGE.fullmatch(code):
        return ""
    first, *rest = code.replace("_", "-").split("-")
    return "-".join((first.lower(), *(part.upper() if len(part) == 2 else part for part in rest)))


def moment(value: object) -> datetime | None:
    """In UTC: ISO 8601, or seconds since 1970. None for an impossible moment, such as one in the future."""
    try:
        if isinstance(value, str):
            read = datetime.fromisoformat(value.strip()[:40])
            read = read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
        else:
            seconds = whole(value)
            if not seconds:
                return None
            read = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return read if read.year > 1990 and read <= datetime.now(UTC) else None


def topics(values: object) -> tuple[str, ...]:
    """The topics, each once, in their order."""
    if isinstance(values, dict):
        values = list(values.values())
    entries: Iterable[object] = values if isinstance(values, list) else (values,)
    names = (line(inner(one, "name") if isinstance(one, dict) else one, _NAME) for one in entries)
    return tuple(dict.fromkeys(name for name in names if name and name != "Podcasts"))[:_MOST_TOPICS]


def yes(value: object) -> bool | None:
    return value if isinstance(value, bool) else None

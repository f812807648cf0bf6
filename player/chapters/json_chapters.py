"""JSON chapters (podcast-namespace, “JSON Chapters Format” 1.2.0), and common deviations from it."""

import json
from typing import Any

from player.chapters.best import MOST
from player.links.urls import web_address
from player.model.chapters import Chapter
from player.text.cleaning import LINE_LIMIT, clean_line, unescape
from player.text.durations import parse_time

_LOOKED_AT = 10 * MOST
_LONGEST_S = 1_000 * 3_600


def read_json_chapters(body: bytes) -> tuple[Chapter, ...]:
    """The chapters in the file's order. Raises ValueError if it isn't such a file."""
    try:
        read = json.loads(body)
    except UnicodeDecodeError:
        read = json.loads(body.decode(errors="replace"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    listed = read.get("chapters") if isinstance(read, dict) else read
    if not isinstance(listed, list):
        raise ValueError("it has no chapters")
    found = (_chapter(one) for one in listed[:_LOOKED_AT] if isinstance(one, dict))
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
    """Seconds, as a number or a text; `1:02:03` as well."""
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

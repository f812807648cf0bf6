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


def _chapter(said: dict[str, Any]) -> Chapter | None:
    start = _ms(said.get("startTime"))
    if start is None:
        return None
    end = _ms(said.get("endTime"))
    return Chapter(
        start_ms=start,
        title=clean_line(unescape(_text(said.get("title"))[: LINE_LIMIT * 10])),
        end_ms=end if end is not None and end > start else None,
        url=web_address(_text(said.get("url"))),
        image_url=web_address(_text(said.get("img"))),
        hidden=said.get("toc") is False or _text(said.get("toc")).lower() == "false",
    )


def _ms(said: Any) -> int | None:
    """Seconds, as a number or a text; `1:02:03` as well."""
    if isinstance(said, str):
        try:
            return parse_time(said)
        except ValueError:
            return None
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said <= _LONGEST_S:
        return None
    return round(said * 1000)


def _text(said: Any) -> str:
    return said.strip() if isinstance(said, str) else ""

"""Bookmarks as Markdown, by the listener's template. Pure."""

import re
from urllib.parse import quote, urlsplit

from player.model.bookmark import Bookmark
from player.text.durations import clock

_FIELD = re.compile(r"\{(\w+)\}")
_SIGN = re.compile(r"([\\`*\[\]<>~|#]|(?<![^\W_])_|_(?![^\W_]))")
_AT_START = re.compile(r"(\d*)([-+.)=])")
_UNSAFE_IN_LINK = re.compile(r"[\x00-\x20<>\\]")
_YOUTUBE = {"youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be"}


def link_at(link: str, position_ms: int) -> str:
    """A link to that second: by a media fragment (W3C Media Fragments URI 1.0, `#t=754`) where the link has no fragment
    of its own; on YouTube by its own `t=754s`. "" for what isn't a link on the web."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    address = _UNSAFE_IN_LINK.sub(lambda found: quote(found[0]), link)
    if parts.fragment:
        return address
    seconds = position_ms // 1000
    if parts.netloc.lower() in _YOUTUBE and not re.search(r"(^|&)t=", parts.query):
        return f"{address.rstrip('#')}{'&' if parts.query else '?'}t={seconds}s"
    return f"{address.rstrip('#')}#t={seconds}"


def markdown(bookmark: Bookmark, template: str) -> str:
    """The template, its fields filled in. A line of it in which every field is empty is left out. Ends with a newline.

    Titles, lines and notes come from strangers or keyboards: signs that mean something in Markdown are escaped.
    """
    time, link = clock(bookmark.position_ms), link_at(bookmark.link, bookmark.position_ms)
    values = {
        "date": bookmark.created_at.astimezone().date().isoformat(),
        "time": time,
        "moment": f"[{time}](<{link}>)" if link else time,
        "episode": escaped(bookmark.episode),
        "podcast": escaped(bookmark.podcast),
        "chapter": escaped(bookmark.chapter),
        "line": escaped(bookmark.line),
        "note": escaped(bookmark.note),
        "link": link,
    }
    lines = []
    for line in template.strip("\n").split("\n"):
        names = _FIELD.findall(line)
        if not names or any(values.get(name) for name in names):
            lines.append(_FIELD.sub(lambda found: values.get(found[1], found[0]), line).rstrip())
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A line in which no sign means anything in Markdown."""
    line = _SIGN.sub(r"\\\1", text)
    return _AT_START.sub(r"\1\\\2", line, count=1) if _AT_START.match(line) else line

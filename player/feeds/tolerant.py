"""The tolerant reader: Atom, RSS of any version, broken XML and wrong encodings, by feedparser.

feedparser keeps only the last of several tags of the podcast namespace, and takes those of a live stream for the
channel's own: `lenient` keeps them all, apart.
"""

import logging
import re
from typing import Any

from player.errors import NotAFeed
from player.feeds.assemble import RawEnclosure, RawFeed, RawItem, assemble
from player.feeds.tags import Tag
from player.model import MOST_EPISODES, Feed

log = logging.getLogger(__name__)

_REFERENCE = re.compile(rb"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));")


def read(body: bytes, url: str) -> Feed:
    """The feed in `body`, which came from `url`.

    It is UTF-8, whatever it says of itself, and declares no entities. Raises NotAFeed.
    """
    return assemble(read_raw(body), url)


def read_raw(body: bytes) -> RawFeed:
    """The feed's texts as feedparser finds them. Raises NotAFeed."""
    from player.feeds.lenient import parse

    mended = _REFERENCE.sub(_possible, body.lstrip())
    try:
        parsed = parse(mended)
    except Exception as error:
        log.exception("feedparser failed")
        raise NotAFeed("The feed is too broken to be read", "Try again later; its publisher may mend it.") from error
    if not parsed.version and not parsed.entries:
        raise NotAFeed("There is no feed in it")
    raw = _feed(parsed.feed, parsed.tags)
    raw.items = [
        _item(entry, parsed.tags_of.get(place, [])) for place, entry in enumerate(parsed.entries[:MOST_EPISODES])
    ]
    return raw


def _feed(feed: Any, tags: list[Tag]) -> RawFeed:
    pages = {str(link.get("rel", "")): str(link.get("href", "")) for link in reversed(feed.get("links", ()))}
    return RawFeed(
        title=_text(feed, "title"),
        author=_text(feed, "author"),
        description=_text(feed, "subtitle") or _text(feed, "summary") or _text(feed, "description"),
        link=_text(feed, "link"),
        image=_image(feed),
        language=_text(feed, "language"),
        explicit=_explicit(feed),
        new_url=_text(feed, "itunes_new-feed-url"),
        next_page=pages.get("next") or pages.get("prev-archive") or "",
        ttl=_text(feed, "ttl"),
        kind=_text(feed, "itunes_type"),
        block="yes" if feed.get("itunes_block") else "",
        complete=_text(feed, "itunes_complete"),
        topics=[str(one.get("term", "")) for one in feed.get("tags", ()) if one.get("scheme") == _APPLES],
        tags=tags,
    )


def _item(entry: Any, tags: list[Tag]) -> RawItem:
    return RawItem(
        guid=_text(entry, "id"),
        guid_is_link=bool(entry.get("guidislink")),
        title=_text(entry, "title"),
        other_title=_text(entry, "itunes_title"),
        link=_link(entry),
        published=_text(entry, "published") or _text(entry, "updated"),
        duration=_text(entry, "itunes_duration"),
        notes=[*(str(part.get("value", "")) for part in entry.get("content", ())), _text(entry, "summary")],
        image=_image(entry),
        season=_text(entry, "itunes_season"),
        number=_text(entry, "itunes_episode"),
        explicit=_explicit(entry),
        enclosures=[
            RawEnclosure(str(one.get("href", "")), str(one.get("type", "")), str(one.get("length", "")))
            for one in entry.get("enclosures", ())
        ],
        media=[
            RawEnclosure(str(one.get("url", "")), str(one.get("type", "")), str(one.get("filesize", "")))
            for one in entry.get("media_content", ())
        ],
        kind=_text(entry, "itunes_episodetype"),
        block="yes" if entry.get("itunes_block") else "",
        tags=tags,
    )


def _text(context: Any, name: str) -> str:
    value = context.get(name, "")
    return value if isinstance(value, str) else ""


def _link(entry: Any) -> str:
    """The page of an item. Where feedparser took the guid for one, that is left to whoever assembles the episode."""
    link = _text(entry, "link")
    return "" if entry.get("guidislink") and link == _text(entry, "id") else link


def _image(context: Any) -> str:
    image = context.get("image")
    return str(image.get("href", "")) if isinstance(image, dict) else ""


def _explicit(context: Any) -> str:
    return {True: "yes", False: "clean"}.get(context.get("itunes_explicit"), "")


def _possible(found: re.Match[bytes]) -> bytes:
    """Drops a reference to what is no character: feedparser trips over it."""
    digits = (found[1] or found[2])[:10]
    code = int(digits, 16 if found[1] else 10)
    return b"" if code < 9 or code > 0x10FFFF or 0xD800 <= code < 0xE000 else found[0]


_APPLES = "http://www.itunes.com/"
"""What feedparser calls the scheme of itunes:category."""

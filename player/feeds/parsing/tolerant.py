"""The tolerant reader: Atom, RSS of any version, broken XML and wrong encodings, by feedparser.

feedparser keeps only the last of several tags of the podcast namespace, and takes those of a live stream for the
channel's own: `lenient` keeps them all, apart.
"""

from __future__ import annotations

import logging
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from player.errors import NotAFeed
from player.feeds.parsing.assemble import RawEnclosure, RawFeed, RawItem, assemble
from player.feeds.parsing.rss_elements import raw_feed, raw_item
from player.model.feed import Feed
from player.model.podcast import MOST_EPISODES
from player.text.sentences import _

if TYPE_CHECKING:
    from player.feeds.parsing.lenient_feedparser import Noted

log = logging.getLogger(__name__)

_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?-->", re.DOTALL)


def read(body: bytes, url: str) -> Feed:
    """The feed in `body`, which came from `url`.

    It is UTF-8, whatever it says of itself, declares no entities, and was mended. Raises NotAFeed.
    """
    return assemble(read_raw(body), url)


def read_raw(body: bytes) -> RawFeed:
    """The feed's texts as feedparser finds them. Raises NotAFeed."""
    from player.feeds.parsing.lenient_feedparser import parse

    try:
        parsed = parse(body)
    except Exception as error:
        log.exception("feedparser failed")
        raise NotAFeed(_("The feed is too broken to read"), _("Try again later; its publisher may fix it.")) from error
    if not parsed.version and not parsed.entries:
        raise NotAFeed(_("It contains no feed"))
    is_rss = parsed.version.startswith("rss") and parsed.version != "rss10"
    raw = _rss_feed(parsed.feed, parsed.of_feed) if is_rss else _feed(parsed.feed, parsed.of_feed)
    item = _rss_item if is_rss else _item
    raw.items = [item(*both) for both in islice(zip(parsed.entries, parsed.of_entries, strict=True), MOST_EPISODES)]
    return raw


# -- RSS: as the fast reader reads it -------------------------------------------------------------------------


def _rss_feed(feed: Any, noted: Noted) -> RawFeed:
    image = noted.texts.get("itunes:image") or noted.texts.get("image/url", "")
    return raw_feed(noted.texts, image, _pages(feed), noted.topics, noted.tags)


def _rss_item(entry: Any, noted: Noted) -> RawItem:
    return raw_item(
        noted.texts,
        _text(entry, "id"),
        bool(entry.get("guidislink")),
        noted.texts.get("link", ""),
        noted.texts.get("itunes:image", ""),
        _enclosures(entry),
        _media(entry),
        noted.tags,
    )


# -- Atom, RSS 1.0, and what else feedparser knows ------------------------------------------------------------


def _feed(feed: Any, noted: Noted) -> RawFeed:
    return RawFeed(
        title=_title(feed),
        author=_text(feed, "author"),
        description=_text(feed, "subtitle") or _text(feed, "summary") or _text(feed, "description"),
        link=_text(feed, "link"),
        image=_image(feed),
        language=_text(feed, "language"),
        explicit=noted.texts.get("itunes:explicit", ""),
        new_url=_text(feed, "itunes_new-feed-url"),
        next_page=_pages(feed).get("next") or _pages(feed).get("prev-archive") or "",
        ttl=_text(feed, "ttl"),
        kind=_text(feed, "itunes_type"),
        block="yes" if feed.get("itunes_block") else "",
        complete=_text(feed, "itunes_complete"),
        topics=noted.topics,
        tags=noted.tags,
    )


def _item(entry: Any, noted: Noted) -> RawItem:
    return RawItem(
        guid=_text(entry, "id"),
        guid_is_link=bool(entry.get("guidislink")),
        title=_title(entry),
        other_title=_text(entry, "itunes_title"),
        link=_link(entry),
        published=_text(entry, "published") or _text(entry, "updated"),
        duration=_text(entry, "itunes_duration"),
        notes=[*(str(part.get("value", "")) for part in entry.get("content", ())), _text(entry, "summary")],
        image=_image(entry),
        season=_text(entry, "itunes_season"),
        number=_text(entry, "itunes_episode"),
        explicit=noted.texts.get("itunes:explicit", ""),
        enclosures=_enclosures(entry),
        media=_media(entry),
        kind=_text(entry, "itunes_episodetype"),
        block="yes" if entry.get("itunes_block") else "",
        tags=noted.tags,
    )


def _title(context: Any) -> str:
    """Without the markup that Atom allows in it."""
    title, kind = _text(context, "title"), (context.get("title_detail") or {}).get("type")
    return _MARKUP.sub("", title) if kind in ("text/html", "application/xhtml+xml") else title


def _pages(feed: Any) -> dict[str, str]:
    return {str(link.get("rel", "")): str(link.get("href", "")) for link in reversed(feed.get("links", ()))}


def _enclosures(entry: Any) -> list[RawEnclosure]:
    return [
        RawEnclosure(str(one.get("href", "")), str(one.get("type", "")), str(one.get("length", "")))
        for one in entry.get("enclosures", ())
    ]


def _media(entry: Any) -> list[RawEnclosure]:
    return [
        RawEnclosure(str(one.get("url", "")), str(one.get("type", "")), str(one.get("filesize", "")))
        for one in entry.get("media_content", ())
    ]


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

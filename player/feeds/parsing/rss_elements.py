"""The elements of RSS 2.0, for both parsers: from texts by element name to the raw feed.

Names are spelled as in the specifications, with fixed prefixes (`itunes:author`).
"""

from collections.abc import Mapping

from player.feeds.parsing.assemble import RawEnclosure, RawFeed, RawItem
from player.feeds.parsing.podcasting20 import Tag

NOTES = ("content:encoded", "description", "itunes:summary")
_OTHER_DATES = ("dcterms:issued", "dc:date", "atom:published", "atom:updated", "dcterms:modified")
OF_ITEM = frozenset(
    {
        *NOTES, *_OTHER_DATES, "pubDate", "title", "itunes:title", "itunes:duration", "itunes:season",
        "itunes:episode", "itunes:explicit", "itunes:episodeType", "itunes:block",
    }
)  # fmt: skip
OF_CHANNEL = frozenset(
    {
        "title", "link", "description", "language", "ttl", "managingEditor", "dc:creator", "itunes:author",
        "itunes:summary", "itunes:explicit", "itunes:new-feed-url", "itunes:type", "itunes:block", "itunes:complete",
    }
)  # fmt: skip


def raw_feed(
    texts: Mapping[str, str], image: str, pages: Mapping[str, str], topics: list[str], tags: list[Tag]
) -> RawFeed:
    """`pages` maps relations (RFC 5005) to addresses."""
    text_of = texts.get
    return RawFeed(
        title=text_of("title", ""),
        author=text_of("itunes:author") or text_of("managingEditor") or text_of("dc:creator", ""),
        description=text_of("description") or text_of("itunes:summary", ""),
        link=text_of("link", ""),
        image=image,
        language=text_of("language", ""),
        explicit=text_of("itunes:explicit", ""),
        new_url=text_of("itunes:new-feed-url", ""),
        next_page=pages.get("next") or pages.get("prev-archive") or "",
        ttl=text_of("ttl", ""),
        kind=text_of("itunes:type", ""),
        block=text_of("itunes:block", ""),
        complete=text_of("itunes:complete", ""),
        topics=topics,
        tags=tags,
    )


def raw_item(
    texts: Mapping[str, str],
    guid: str,
    guid_is_link: bool,
    link: str,
    image: str,
    enclosures: list[RawEnclosure],
    media: list[RawEnclosure],
    tags: list[Tag],
) -> RawItem:
    text_of = texts.get
    # Positional: seventeen keyword names would take longer than the texts.
    return RawItem(
        guid,
        guid_is_link,
        text_of("title", ""),
        text_of("itunes:title", ""),
        link,
        text_of("pubDate") or next((text for name in _OTHER_DATES if (text := text_of(name))), ""),
        text_of("itunes:duration", ""),
        [texts[name] for name in NOTES if name in texts],
        image,
        text_of("itunes:season", ""),
        text_of("itunes:episode", ""),
        text_of("itunes:explicit", ""),
        text_of("itunes:episodeType", ""),
        text_of("itunes:block", ""),
        enclosures,
        media,
        tags,
    )

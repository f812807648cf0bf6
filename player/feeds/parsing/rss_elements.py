"""What RSS 2.0 says in which element: from texts by their elements' names to what is assembled, for both readers.

Names are as the specifications write them, with prefixes of our own (`itunes:author`).
"""

from collections.abc import Mapping

from player.feeds.parsing.assemble import RawEnclosure, RawFeed, RawItem
from player.feeds.parsing.elements import Tag

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
    """`pages` are addresses by their relation (RFC 5005)."""
    said = texts.get
    return RawFeed(
        title=said("title", ""),
        author=said("itunes:author") or said("managingEditor") or said("dc:creator", ""),
        description=said("description") or said("itunes:summary", ""),
        link=said("link", ""),
        image=image,
        language=said("language", ""),
        explicit=said("itunes:explicit", ""),
        new_url=said("itunes:new-feed-url", ""),
        next_page=pages.get("next") or pages.get("prev-archive") or "",
        ttl=said("ttl", ""),
        kind=said("itunes:type", ""),
        block=said("itunes:block", ""),
        complete=said("itunes:complete", ""),
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
    said = texts.get
    # By place: seventeen names take longer to look at than the texts themselves.
    return RawItem(
        guid,
        guid_is_link,
        said("title", ""),
        said("itunes:title", ""),
        link,
        said("pubDate") or next((text for name in _OTHER_DATES if (text := said(name))), ""),
        said("itunes:duration", ""),
        [texts[name] for name in NOTES if name in texts],
        image,
        said("itunes:season", ""),
        said("itunes:episode", ""),
        said("itunes:explicit", ""),
        said("itunes:episodeType", ""),
        said("itunes:block", ""),
        enclosures,
        media,
        tags,
    )

"""From the bytes of a feed to a Feed, by the reader that can: lxml for RSS 2.0 that is well-formed, or can be made so
without a guess; feedparser for the rest."""

import re
from contextlib import suppress

from player.errors import NoAudio, NotAFeed, TooLarge
from player.feeds.feed_errors import shown
from player.feeds.parsing import entities, rss, tolerant
from player.feeds.parsing.decoding import as_utf8
from player.feeds.parsing.xml_repair import mended
from player.model.feed import Feed

_HEAD = 4_096
_TOLERANT_LIMIT = 16_000_000
"""Bytes. feedparser takes 0.3 s for a MB, and up to 6 s when somebody means it ill."""
_PAGE = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_FEED = re.compile(rb"<(?:\w+:)?(?:rss|feed|rdf)[\s>]", re.IGNORECASE)


def read_feed(body: bytes, content_type: str, url: str) -> Feed:
    """The feed in `body`, which came from `url`; its episodes are those with something to hear.

    Raises NotAFeed, TooLarge, or NoAudio when none has.
    """
    feed = _read(body, content_type, url)
    if not feed.episodes:
        raise NoAudio(
            f"“{feed.title}” has no episodes to listen to",
            "It may be the feed of a blog; look for the podcast's own feed.",
        )
    return feed


def looks_like_page(body: bytes) -> bool:
    """Whether it is a web page, whatever its server calls it."""
    head = body[:_HEAD].replace(b"\0", b"")
    return bool(_PAGE.search(head)) and not _FEED.search(head)


def _read(body: bytes, content_type: str, url: str) -> Feed:
    body = as_utf8(body, content_type)
    if b"<" not in body[:_HEAD]:
        raise NotAFeed(
            f"{shown(url)} is no podcast feed", "Check the address; the podcast's website may name its feed."
        )
    if looks_like_page(body):
        raise NotAFeed(
            f"{shown(url)} is a web page and no podcast feed",
            "Look on the podcast's website for a link called RSS, and add its address.",
        )
    try:
        body = entities.resolved(body)
    except entities.Harmful as error:
        raise NotAFeed(
            f"The feed at {shown(url)} declares entities of its own, which can be used to fill a computer's memory",
            "Earmark doesn't read such feeds. Tell its publisher, or look for another address of the podcast.",
        ) from error
    with suppress(rss.NotRss):
        return rss.read(body, url)
    if len(body) > _TOLERANT_LIMIT:
        raise TooLarge(
            f"The feed at {shown(url)} is broken, and with {len(body) // 1_000_000} MB too large to be mended",
            "Try again later; its publisher may mend it.",
        )
    whole = mended(body)
    if whole != body:
        with suppress(rss.NotRss):
            return rss.read(whole, url)
    try:
        return tolerant.read(whole, url)
    except NotAFeed as error:
        raise NotAFeed(
            f"There is no podcast feed at {shown(url)}",
            "Check the address; the podcast's website may name its feed.",
        ) from error

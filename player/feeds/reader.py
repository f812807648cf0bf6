"""From the bytes of a feed to a Feed, by the reader that can: lxml for well-formed RSS 2.0, feedparser for the rest."""

import re

from player.errors import NoAudio, NotAFeed, TooLarge
from player.feeds import rss, tolerant
from player.feeds.failures import shown
from player.model import Feed

_HEAD = 4_096
_TOLERANT_LIMIT = 16_000_000
"""Bytes. feedparser takes 0.3 s for a MB, and up to 6 s when somebody means it ill."""
_PAGE = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_FEED = re.compile(rb"<(?:\w+:)?(?:rss|feed|rdf)[\s>]", re.IGNORECASE)
_PROLOG = re.compile(
    rb"(?:\s++|\xef\xbb\xbf|\xff\xfe|\xfe\xff|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE", re.DOTALL | re.IGNORECASE
)
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_FIRST_ELEMENT = re.compile(rb"<\w")
_ENCODING = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")


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
    if b"<" not in body[:_HEAD]:
        raise NotAFeed(
            f"{shown(url)} is no podcast feed", "Check the address; the podcast's website may name its feed."
        )
    if looks_like_page(body):
        raise NotAFeed(
            f"{shown(url)} is a web page and no podcast feed",
            "Look on the podcast's website for a link called RSS, and add its address.",
        )
    if _is_unsafe(body):
        raise NotAFeed(
            f"The feed at {shown(url)} declares entities of its own, which can be used to fill a computer's memory",
            "Earmark doesn't read such feeds. Tell its publisher, or look for another address of the podcast.",
        )
    try:
        return rss.read(body, url)
    except rss.NotRss:
        pass
    if len(body) > _TOLERANT_LIMIT:
        raise TooLarge(
            f"The feed at {shown(url)} is broken, and with {len(body) // 1_000_000} MB too large to be mended",
            "Try again later; its publisher may mend it.",
        )
    try:
        return tolerant.read(body, content_type, url)
    except NotAFeed as error:
        raise NotAFeed(
            f"There is no podcast feed at {shown(url)}",
            "Check the address; the podcast's website may name its feed.",
        ) from error


def _is_unsafe(body: bytes) -> bool:
    """Whether it declares entities, or is in an encoding that could hide that.

    A declaration counts where a parser sees one: after a DOCTYPE, or (feedparser) before the first element. Show notes
    may well speak of `<!ENTITY`.
    """
    plain = body.replace(b"\0", b"") if b"\0" in body[:8] else body  # UTF-16 and UTF-32
    if declared := _ENCODING.match(plain[:_HEAD].removeprefix(b"\xef\xbb\xbf")):
        name = declared[1].decode("ascii").lower()
        if not name.startswith(("utf-16", "utf-32", "ucs", "iso-10646")) and not tolerant.is_ascii_based(name):
            return True
    if not (found := _ENTITY.search(plain)):
        return False
    first = _FIRST_ELEMENT.search(plain)
    return bool(_PROLOG.match(plain)) or first is None or found.start() < first.start()

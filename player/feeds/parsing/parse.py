"""From the bytes of a feed to a Feed, with lxml for RSS 2.0 that is well-formed, or can be made so without guessing,
and feedparser for the rest."""

import re
from contextlib import suppress

from player.errors import NoAudio, NotAFeed, TooLarge
from player.feeds.parsing import recoding, rss, tolerant
from player.feeds.parsing.recoding import as_utf8, mended
from player.model.feed import Feed
from player.net.failures import shown
from player.text.sentences import _

_HEAD = 4_096
_TOLERANT_LIMIT = 16_000_000
"""Bytes. feedparser takes 0.3 s for a MB, and up to 6 s for a hostile one."""
_PAGE = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_FEED = re.compile(rb"<(?:\w+:)?(?:rss|feed|rdf)[\s>]", re.IGNORECASE)


def read_feed(body: bytes, content_type: str, url: str) -> Feed:
    """The feed in `body`, from `url`; its episodes are those with audio or video.

    Raises NotAFeed, TooLarge, or NoAudio when none has.
    """
    feed = _read(body, content_type, url)
    if not feed.episodes:
        raise NoAudio(
            _("“{title}” has no episodes to listen to", title=feed.title),
            _("It may be a blog's feed. Look for the podcast's own feed."),
        )
    return feed


def looks_like_page(body: bytes) -> bool:
    """Whether it is a web page, whatever its Content-Type."""
    head = body[:_HEAD].replace(b"\0", b"")
    return bool(_PAGE.search(head)) and not _FEED.search(head)


def _read(body: bytes, content_type: str, url: str) -> Feed:
    body = as_utf8(body, content_type)
    if body.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"#EXTM3U"):
        # A live stream would have been recognised as one.
        raise NotAFeed(
            _("{url} is the playlist of a recording, not a podcast feed or a live stream", url=shown(url)),
            _("Add the URL of the podcast's feed instead."),
        )
    if b"<" not in body[:_HEAD]:
        raise NotAFeed(
            _("There is no podcast feed at {url}", url=shown(url)),
            _("Check the URL, or look for the feed on the podcast's website."),
        )
    if looks_like_page(body):
        raise NotAFeed(
            _("{url} is a web page, not a podcast feed", url=shown(url)),
            _("Look for a link called RSS on the podcast's website, and add its URL."),
        )
    try:
        body = recoding.resolved(body)
    except recoding.Harmful as error:
        raise NotAFeed(
            _("The feed at {url} declares XML entities that could fill this computer's memory", url=shown(url)),
            _("Earmark doesn't read such feeds. Tell the publisher, or look for another feed of the podcast."),
        ) from error
    with suppress(rss.NotRss):
        return rss.read(body, url)
    if len(body) > _TOLERANT_LIMIT:
        raise TooLarge(
            _(
                "The feed at {url} is broken and, at {size} MB, too large to repair",
                url=shown(url),
                size=len(body) // 1_000_000,
            ),
            _("Try again later; its publisher may fix it."),
        )
    whole = mended(body)
    if whole != body:
        with suppress(rss.NotRss):
            return rss.read(whole, url)
    try:
        return tolerant.read(whole, url)
    except NotAFeed as error:
        raise NotAFeed(
            _("There is no podcast feed at {url}", url=shown(url)),
            _("Check the URL, or look for the feed on the podcast's website."),
        ) from error

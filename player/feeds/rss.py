"""The fast reader: well-formed RSS 2.0 with the itunes, content and podcast namespaces, by lxml.

Sources: RSS 2.0 (rssboard.org), Apple's podcast tags, RSS content module 1.0, Dublin Core, Podcasting 2.0
(github.com/Podcastindex-org/podcast-namespace), whose two namespace URIs mean the same.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from player.feeds.assemble import RawEnclosure, RawFeed, RawItem, RawTranscript, assemble
from player.model import Feed

if TYPE_CHECKING:
    from lxml.etree import _Element

_NAMESPACES = {
    "www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "purl.org/rss/1.0/modules/content": "content",
    "purl.org/dc/elements/1.1": "dc",
    "podcastindex.org/namespace/1.0": "podcast",
    "github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md": "podcast",
    "www.w3.org/2005/atom": "atom",
}
_DECLARATIONS = re.compile(r' xmlns(?::[\w.-]+)?="[^"]*"')


class NotRss(ValueError):
    """Not well-formed, or not RSS 2.0: the tolerant reader's turn."""


def read(body: bytes, url: str) -> Feed:
    """The feed in `body`, which came from `url`.

    The caller has refused entity declarations. Raises NotRss.
    """
    return assemble(read_raw(body), url)


def read_raw(body: bytes) -> RawFeed:
    """The feed's texts as they stand there. Raises NotRss."""
    from lxml import etree

    # huge_tree lifts the limit of ten million characters on a text; entities, what that limit is for, are refused.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(body.lstrip() if body[:1].isspace() else body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotRss(str(error)) from error
    channel = root.find("channel") if root.tag == "rss" else None
    if channel is None:
        raise NotRss("no channel in it")
    return _channel(channel, _Names())


class _Names(dict[str, str]):
    """From lxml's `{uri}name` to `prefix:name`, with prefixes of our own; "" for namespaces we don't read."""

    def __missing__(self, tag: str) -> str:
        if tag[:1] != "{":
            name = tag
        else:
            uri, _, local = tag[1:].partition("}")
            prefix = _NAMESPACES.get(uri.lower().partition("://")[2].rstrip("/"))
            name = f"{prefix}:{local}" if prefix else ""
        self[tag] = name
        return name


def _channel(channel: _Element, names: _Names) -> RawFeed:
    texts: dict[str, str] = {}
    image, items = "", []
    for child in channel:
        name = _name(child, names)
        if name == "item":
            items.append(_item(child, names))
        elif name == "image":
            image = image or child.findtext("url") or ""
        elif name == "itunes:image":
            texts.setdefault(name, child.get("href", ""))
        elif name:
            texts.setdefault(name, _text(child))
    return RawFeed(
        title=texts.get("title", ""),
        author=_first(texts, "itunes:author", "managingEditor", "dc:creator"),
        description=_first(texts, "description", "itunes:summary"),
        link=texts.get("link", ""),
        image=texts.get("itunes:image") or image,
        language=texts.get("language", ""),
        explicit=texts.get("itunes:explicit", ""),
        new_url=texts.get("itunes:new-feed-url", ""),
        items=items,
    )


def _item(item: _Element, names: _Names) -> RawItem:
    texts: dict[str, str] = {}
    raw = RawItem()
    for child in item:
        name = _name(child, names)
        if name == "enclosure":
            raw.enclosures.append(RawEnclosure(child.get("url", ""), child.get("type", ""), child.get("length", "")))
        elif name == "podcast:transcript":
            raw.transcripts.append(
                RawTranscript(child.get("url", ""), child.get("type", ""), child.get("language", ""))
            )
        elif name == "podcast:chapters":
            raw.chapters = raw.chapters or child.get("url", "")
        elif name == "itunes:image":
            raw.image = raw.image or child.get("href", "")
        elif name == "podcast:episode":
            texts.setdefault(name, child.get("display") or _text(child))
        elif name == "guid":
            raw.guid = raw.guid or _text(child)
            raw.guid_is_link = child.get("isPermaLink", "true") == "true"
        elif name:
            texts.setdefault(name, _text(child))
    raw.title = texts.get("title", "")
    raw.other_title = texts.get("itunes:title", "")
    raw.link = texts.get("link", "")
    raw.published = _first(texts, "pubDate", "dc:date", "atom:published", "atom:updated")
    raw.duration = texts.get("itunes:duration", "")
    raw.notes = [texts[name] for name in ("content:encoded", "description", "itunes:summary") if name in texts]
    raw.season = _first(texts, "itunes:season", "podcast:season")
    raw.number = _first(texts, "itunes:episode", "podcast:episode")
    raw.explicit = texts.get("itunes:explicit", "")
    return raw


def _name(element: _Element, names: _Names) -> str:
    tag = element.tag
    return names[tag] if isinstance(tag, str) else ""


def _text(element: _Element) -> str:
    """What it says; markup that a feed forgot to escape is given back as markup."""
    if not len(element):
        return (element.text or "").strip()
    from lxml import etree

    inside = "".join(etree.tostring(child, encoding="unicode") for child in element)
    return (escape(element.text or "", quote=False) + _DECLARATIONS.sub("", inside)).strip()


def _first(texts: dict[str, str], *names: str) -> str:
    return next((text for name in names if (text := texts.get(name))), "")

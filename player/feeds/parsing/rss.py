"""The fast parser: well-formed RSS 2.0 with the itunes, content and podcast namespaces, by lxml.

Sources: RSS 2.0 (rssboard.org), Apple's podcast tags, RSS content module 1.0, Dublin Core, Podcasting 2.0
(github.com/Podcastindex-org/podcast-namespace), whose two namespace URIs mean the same.
"""

from __future__ import annotations

import logging
import re
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any

from player.feeds.parsing.assemble import RawEnclosure, RawFeed, RawItem, assemble
from player.feeds.parsing.podcasting20 import DEEPEST, MOST, PLAIN, PODCAST_NAMESPACES, PSC_NAMESPACE, Tag
from player.feeds.parsing.rss_elements import OF_ITEM, raw_feed, raw_item
from player.model.feed import Feed
from player.model.podcast import MOST_EPISODES

if TYPE_CHECKING:
    from lxml.etree import _Element

_NAMESPACES = {
    "www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "purl.org/rss/1.0/modules/content": "content",
    "purl.org/dc/elements/1.1": "dc",
    "purl.org/dc/terms": "dcterms",
    "search.yahoo.com/mrss": "media",
    PSC_NAMESPACE: "psc",
    "www.w3.org/2005/atom": "atom",
} | dict.fromkeys(PODCAST_NAMESPACES, "podcast")
_OPTIONS: dict[str, Any] = {
    # huge_tree lifts the limit of ten million characters for a text, which guards against entities; feeds with entities
    # have been refused.
    "huge_tree": True, "resolve_entities": False, "no_network": True, "load_dtd": False, "remove_comments": True,
    "remove_pis": True, "encoding": "utf-8",
}  # fmt: skip
_AT_ONCE = 4_000_000
"""Most bytes of a feed whose tree is built as a whole."""
_FIRST_ELEMENT = re.compile(rb"<([A-Za-z_][\w.-]*)[\s>]")
log = logging.getLogger(__name__)

_DECLARATIONS = re.compile(r' xmlns(?::[\w.-]+)?="[^"]*"')


class NotRss(ValueError):
    """Not well-formed, or not RSS 2.0: for the tolerant parser."""


def read(body: bytes, url: str) -> Feed:
    """The feed in `body`, which came from `url`.

    It is UTF-8, whatever its declaration says, and declares no entities. Raises NotRss.
    """
    return assemble(read_raw(body), url)


def read_raw(body: bytes) -> RawFeed:
    """The feed's raw texts. Raises NotRss."""
    from lxml import etree

    first = _FIRST_ELEMENT.search(body[:8_192])
    if first is not None and first[1] != b"rss":
        raise NotRss("it begins as something else")
    body = body.lstrip() if body[:1].isspace() else body
    names = _Names()
    try:
        root, items = _read_at_once(body, names) if len(body) <= _AT_ONCE else _read_by_and_by(body, names)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotRss(str(error)) from error
    channel = root.find("channel") if root is not None and root.tag == "rss" else None
    if channel is None:
        raise NotRss("no channel in it")
    if len(items) >= MOST_EPISODES:
        log.warning("only the first %d items of a feed are read", MOST_EPISODES)
    raw = _channel(channel, names)
    raw.items = items
    return raw


def _read_at_once(body: bytes, names: _Names) -> tuple[_Element | None, list[RawItem]]:
    """The root and the items: half the time of reading incrementally, but briefly ten times the memory of the bytes."""
    from lxml import etree

    root = etree.fromstring(body, etree.XMLParser(**_OPTIONS))
    items = (one for one in root.iter("item") if _is_of_channel(one))
    return root, [_item(one, names) for one in islice(items, MOST_EPISODES)]


def _read_by_and_by(body: bytes, names: _Names) -> tuple[_Element | None, list[RawItem]]:
    """The root and the items, which are freed as they are read."""
    from lxml import etree

    items: list[RawItem] = []
    events = etree.iterparse(BytesIO(body), events=("end",), tag="item", **_OPTIONS)
    read: _Element | None = None
    for _, element in events:
        channel = element.getparent()
        if channel is None or not _is_of_channel(element):
            continue
        items.append(_item(element, names))
        if read is not None:
            channel.remove(read)
        element.clear()
        read = element
        if len(items) >= MOST_EPISODES:
            break
    root = events.root
    if root is None and read is not None:
        root = read.getroottree().getroot()
    return root, items


def _is_of_channel(item: _Element) -> bool:
    parent = item.getparent()
    return parent is not None and parent.tag == "channel"


class _Names(dict[Any, str]):
    """From lxml's `{uri}name` to `prefix:name`, with prefixes of our own; "" for namespaces we don't read.

    Also "" for nodes that aren't elements, whose tag in lxml is a function.
    """

    def __missing__(self, tag: Any) -> str:
        if not isinstance(tag, str):
            name = ""
        elif tag[:1] != "{":
            name = tag
        else:
            uri, _, local = tag[1:].partition("}")
            prefix = _NAMESPACES.get(uri.lower().partition("://")[2].rstrip("/"))
            name = f"{prefix}:{local}" if prefix else ""
        self[tag] = name
        return name


def _channel(channel: _Element, names: _Names) -> RawFeed:
    texts: dict[str, str] = {}
    image = ""
    pages: dict[str, str] = {}
    tags: list[Tag] = []
    topics: list[str] = []
    for child in channel:
        name = names[child.tag]
        if name == "item":
            continue
        if name == "image":
            image = image or child.findtext("url") or ""
        elif name == "itunes:image":
            texts.setdefault(name, child.get("href", ""))
        elif name == "itunes:category":
            topics += (one.get("text", "") for one in child.iter() if names[one.tag] == name)
        elif name == "atom:link":
            pages.setdefault(child.get("rel", "").lower(), child.get("href", ""))
        elif _is_kept(name):
            _keep(child, name, tags)
        elif name:
            texts.setdefault(name, _text(child))
    return raw_feed(texts, texts.get("itunes:image") or image, pages, topics, tags)


def _item(item: _Element, names: _Names) -> RawItem:
    texts: dict[str, str] = {}
    guid, guid_is_link, link, image = "", False, "", ""
    enclosures: list[RawEnclosure] = []
    media: list[RawEnclosure] = []
    tags: list[Tag] = []
    for child in item:
        name = names[child.tag]
        if name in OF_ITEM:
            if name not in texts:
                texts[name] = _text(child) if len(child) else (child.text or "").strip()
        elif name == "guid":
            guid = guid or _text(child)
            guid_is_link = child.get("isPermaLink", "true") == "true"
        elif name == "enclosure":
            enclosures.append(RawEnclosure(child.get("url", ""), child.get("type", ""), child.get("length", "")))
        elif name == "link" or name == "atom:link":
            if child.get("rel") == "enclosure":
                enclosures.append(RawEnclosure(child.get("href", ""), child.get("type", ""), child.get("length", "")))
            elif name == "link":
                link = link or _text(child)
        elif name == "itunes:image":
            image = image or child.get("href", "")
        elif _is_kept(name):
            _keep(child, name, tags)
        elif name in ("media:content", "media:group"):
            for content in child if name == "media:group" else (child,):
                if names[content.tag] == "media:content":
                    media.append(
                        RawEnclosure(content.get("url", ""), content.get("type", ""), content.get("fileSize", ""))
                    )
    return raw_item(texts, guid, guid_is_link, link, image, enclosures, media, tags)


def _is_kept(name: str) -> bool:
    return name.startswith(("podcast:", "psc:")) or name.lower() in PLAIN


def _keep(element: _Element, name: str, tags: list[Tag]) -> None:
    if len(tags) < MOST:
        tags.append(_tag(element, name.removeprefix("podcast:").lower()))


def _tag(element: _Element, name: str, depth: int = 1) -> Tag:
    inside = [child for child in element if isinstance(child.tag, str)] if depth < DEEPEST else []
    return Tag(
        name,
        {str(key).lower(): str(value) for key, value in element.attrib.items()},
        (element.text or "").strip(),
        tuple(_tag(child, str(child.tag).rpartition("}")[2].lower(), depth + 1) for child in inside[:MOST]),
    )


def _text(element: _Element) -> str:
    """An element's text; unescaped markup in it is serialised as markup."""
    if not len(element):
        return (element.text or "").strip()
    from lxml import etree

    # As a whole: each child alone would repeat all namespace declarations.
    whole = _DECLARATIONS.sub("", etree.tostring(element, encoding="unicode", with_tail=False))
    return whole[whole.index(">") + 1 : whole.rindex("<")].strip()

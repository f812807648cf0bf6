"""feedparser, which keeps besides what it keeps all tags of the namespaces for podcasts, where they stand.

It goes the way of `feedparser.parse`, from bytes alone: no address and no file name is ever opened.
"""

import io
import xml.sax
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import feedparser.api as parts

from player.feeds.tags import DEEPEST, MOST, PLAIN, PODCAST_NAMESPACES, PSC_NAMESPACE, Tag
from player.text import unescape


@dataclass(slots=True)
class Parsed:
    """`tags_of` has the tags of each entry by its place, `tags` those of the feed."""

    version: str = ""
    feed: Any = field(default_factory=dict)
    entries: list[Any] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    tags_of: dict[int, list[Tag]] = field(default_factory=dict)


def parse(body: bytes) -> Parsed:
    """The feed in `body`, which is UTF-8: strictly as long as that works, else loosely."""
    headers = {"content-type": "application/xml; charset=utf-8"}
    result = parts.FeedParserDict(bozo=False, entries=[], feed=parts.FeedParserDict(), headers=headers)
    if not body:
        return Parsed()
    data = parts.convert_to_utf8(headers, body, result)
    result["version"], data, entities = parts.replace_doctype(data)
    strict, loose = _parsers()
    reader = _strictly(strict, data) if result["encoding"] else None
    if reader is None:
        reader = loose("", None, "utf-8", entities)
        reader.resolve_relative_uris = reader.sanitize_html = False
        reader.feed(data.decode("utf-8", "replace"))
        reader.close_tags()
    tags = reader.kept.pop(-1, [])
    return Parsed(result["version"] or reader.version, reader.feeddata, reader.entries, tags, reader.kept)


def _strictly(strict: Any, data: bytes) -> Any:
    """The parser that has read it; None when the XML is broken."""
    reader = strict("", None, "utf-8")
    reader.resolve_relative_uris = reader.sanitize_html = False
    sax = xml.sax.make_parser(parts.PREFERRED_XML_PARSERS)
    sax.setFeature(xml.sax.handler.feature_namespaces, True)
    sax.setFeature(xml.sax.handler.feature_external_ges, False)
    sax.setContentHandler(reader)
    sax.setErrorHandler(reader)
    source = xml.sax.xmlreader.InputSource()
    source.setByteStream(io.BytesIO(data))
    try:
        sax.parse(source)
    except xml.sax.SAXException:
        return None
    return reader


@dataclass(slots=True)
class _Open:
    """A tag whose end hasn't come."""

    name: str
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)
    inside: list[Tag] = field(default_factory=list)


class _Keeping:
    """Goes before feedparser's own classes. A tag that is kept, and all inside it, is hidden from them."""

    kept: dict[int, list[Tag]]

    def __init__(self, *more: Any) -> None:
        self.kept = {}
        self._open: list[_Open] = []
        super().__init__(*more)

    def unknown_starttag(self: Any, tag: str, attributes: list[tuple[str, str]]) -> None:
        prefix, _, local = tag.rpartition(":")
        if self._open and tag in _OUTER and self._open[0].name != "liveitem":
            self.close_tags()  # a broken feed: the tag has no end
        space = self.namespacemap.get(prefix, prefix)
        keeps = not self.incontent and (space in ("podcast", "psc") or (not prefix and tag in PLAIN))
        if not self._open and not keeps:
            feedparsers: Any = super()
            feedparsers.unknown_starttag(tag, attributes)
            return
        name = f"psc:{local}" if space == "psc" and not self._open else local
        pairs = (self._normalize_attributes(pair) for pair in attributes)
        self._open.append(_Open(name.lower(), {key: value for key, value in pairs if not key.startswith("xmlns")}))

    def unknown_endtag(self: Any, tag: str) -> None:
        feedparsers: Any = super()
        if not self._open:
            feedparsers.unknown_endtag(tag)
            return
        local = tag.rpartition(":")[2].lower()
        names = [one.name.removeprefix("psc:") for one in self._open]
        if local in names:
            for _ in range(len(names) - 1 - names[::-1].index(local), len(names)):
                self._close()
        elif tag in _OUTER:
            self.close_tags()
            feedparsers.unknown_endtag(tag)

    def close_tags(self: Any) -> None:
        while self._open:
            self._close()

    def handle_data(self: Any, text: str, escape: int = 1) -> None:
        if self._open:
            self._open[-1].text.append(text if escape else unescape(text))
        else:
            feedparsers: Any = super()
            feedparsers.handle_data(text, escape)

    def handle_charref(self: Any, ref: str) -> None:
        if self._open:
            self._open[-1].text.append(unescape(f"&#{ref};"))
        else:
            feedparsers: Any = super()
            feedparsers.handle_charref(ref)

    def handle_entityref(self: Any, ref: str) -> None:
        if self._open:
            self._open[-1].text.append(unescape(f"&{ref};"))
        else:
            feedparsers: Any = super()
            feedparsers.handle_entityref(ref)

    def _close(self: Any) -> None:
        done = self._open.pop()
        tag = Tag(done.name, done.attributes, "".join(done.text).strip(), tuple(done.inside))
        if self._open:
            if len(self._open) < DEEPEST and len(self._open[-1].inside) < MOST:
                self._open[-1].inside.append(tag)
            return
        kept = self.kept.setdefault(len(self.entries) - 1 if self.inentry else -1, [])
        if len(kept) < MOST:
            kept.append(tag)


_OUTER = frozenset({"item", "entry", "channel", "feed", "rss"})


@cache
def _parsers() -> tuple[Any, Any]:
    spaces = {
        f"{scheme}://{uri}{end}": name
        for name, uris in (("podcast", PODCAST_NAMESPACES), ("psc", (PSC_NAMESPACE,)))
        for uri in uris
        for scheme in ("http", "https")
        for end in ("", "/")
    }
    more = {"namespaces": {**parts.StrictFeedParser.namespaces, **spaces}, "_matchnamespaces": {}}
    return (
        type("Strict", (_Keeping, parts.StrictFeedParser), dict(more)),
        type("Loose", (_Keeping, parts.LooseFeedParser), {**more, "_matchnamespaces": {}}),
    )

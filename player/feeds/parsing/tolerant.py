"""The tolerant reader, with feedparser: Atom, RSS of any version, broken XML and wrong encodings."""

from __future__ import annotations

import io
import logging
import re
import xml.sax
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any
from xml.sax import saxutils
from xml.sax.expatreader import ExpatParser

import feedparser.api as parts

from player.errors import NotAFeed
from player.feeds.parsing.assemble import RawEnclosure, RawFeed, RawItem, assemble
from player.feeds.parsing.podcasting20 import DEEPEST, MOST, PLAIN, PODCAST_NAMESPACES, PSC_NAMESPACE, Tag
from player.feeds.parsing.recoding import without_long_runs
from player.feeds.parsing.rss_elements import OF_CHANNEL, OF_ITEM, raw_feed, raw_item
from player.links.urls import LIMIT
from player.model.feed import Feed
from player.model.podcast import MOST_EPISODES
from player.text.cleaning import unescape
from player.text.sentences import _

if TYPE_CHECKING:
    pass


# Spelled unlike feedparser's own "utf-8": with that name feedparser also decodes text a second time if it seems to have
# been encoded as UTF-8 twice, which the fast parser doesn't do.
_UTF_8 = "utf8"


@dataclass(slots=True)
class Noted:
    """What feedparser doesn't keep apart: the first text of each element, by the element's name; the podcast tags."""

    texts: dict[str, str] = field(default_factory=dict)
    topics: list[str] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)


@dataclass(slots=True)
class Parsed:
    """`entries` and `of_entries` correspond, index by index."""

    version: str = ""
    feed: Any = field(default_factory=dict)
    entries: list[Any] = field(default_factory=list)
    of_feed: Noted = field(default_factory=lambda: Noted())
    of_entries: list[Noted] = field(default_factory=list)


def parse(body: bytes) -> Parsed:
    """The feed in `body`, which is UTF-8: parsed strictly if possible, otherwise loosely."""
    headers = {"content-type": "application/xml; charset=utf-8"}
    result = parts.FeedParserDict(bozo=False, entries=[], feed=parts.FeedParserDict(), headers=headers)
    if not body:
        return Parsed()
    data = parts.convert_to_utf8(headers, body, result)
    result["version"], data, entities = parts.replace_doctype(data)
    data = without_long_runs(data)
    strict, loose = _parsers()
    reader = _strictly(strict, data) if result["encoding"] else None
    if reader is None:
        reader = loose("", None, _UTF_8, entities)
        reader.resolve_relative_uris = reader.sanitize_html = False
        reader.feed(data.decode("utf-8", "replace"))
        reader.close_tags()
    of_entries = [reader.noted.get(index) or Noted() for index in range(len(reader.entries))]
    return Parsed(
        result["version"] or reader.version, reader.feeddata, reader.entries, reader.noted_of(None), of_entries
    )


class _Joining(ExpatParser):
    """Passes on adjacent text in one call, where expat makes a call for each line break: 3.4 s for two million."""

    _parser: Any

    def reset(self) -> None:
        super().reset()
        self._parser.buffer_text = True


def _strictly(strict: Any, data: bytes) -> Any:
    """The parser after reading the data; None if the XML is broken."""
    reader = strict("", None, _UTF_8)
    reader.resolve_relative_uris = reader.sanitize_html = False
    sax = _Joining()
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


class _Unescaping:
    """Precedes feedparser's loose parser, which decodes references only in titles and notes."""

    def decode_entities(self: Any, element: str, text: str) -> str:
        feedparsers: Any = super()
        text = feedparsers.decode_entities(element, text)
        return text if self.contentparams else _unescaped(text)

    def _normalize_attributes(self, pair: tuple[str, str]) -> tuple[str, str]:
        key, value = pair[0].lower(), _unescaped(pair[1])
        return key, value.lower() if key in ("rel", "type") else value


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    return saxutils.unescape(_NUMBER.sub(_character, text), {"&quot;": '"', "&apos;": "'"})


def _character(number: re.Match[str]) -> str:
    code = int(number[1], 16) if number[1] else int(number[2])
    return "&amp;" if code == 38 else chr(code) if code < 0x110000 else ""


@dataclass(slots=True)
class _Open:
    """A tag whose end hasn't come."""

    name: str
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)
    inside: list[Tag] = field(default_factory=list)


class _Keeping:
    """Precedes feedparser's own classes. A tag that is kept is hidden from them, with everything inside it."""

    noted: dict[int | None, Noted]

    def __init__(self, *more: Any) -> None:
        self.noted = {}
        self._open: list[_Open] = []
        self._popped: str | None = None
        super().__init__(*more)

    def noted_of(self, index: int | None) -> Noted:
        """What was noted of an entry, by its index, or (None) of the feed."""
        return self.noted.setdefault(index, Noted())

    def unknown_starttag(self: Any, tag: str, attributes: list[tuple[str, str]]) -> None:
        prefix, _, local = tag.rpartition(":")
        attributes = [pair for pair in attributes if pair[0] not in ("base", "xml:base") or len(pair[1]) <= LIMIT]
        if self._open and tag in _OUTER and self._open[0].name != "liveitem":
            self.close_tags()  # a broken feed: the tag has no end
        space = self.namespacemap.get(prefix, prefix)
        keeps = not self.incontent and (space in ("podcast", "psc") or (not prefix and tag in PLAIN))
        if not self._open and not keeps:
            self._note_attributes(f"{space}:{local}", attributes)
            feedparsers: Any = super()
            feedparsers.unknown_starttag(tag, attributes)
            return
        name = f"psc:{local}" if space == "psc" and not self._open else local
        pairs = (self._normalize_attributes(pair) for pair in attributes)
        if len(self._open) < _MOST_OPEN:
            self._open.append(_Open(name.lower(), {key: value for key, value in pairs if not key.startswith("xmlns")}))

    def unknown_endtag(self: Any, tag: str) -> None:
        feedparsers: Any = super()
        local = tag.rpartition(":")[2].lower()
        if not self._open:
            name = _NOTED.get(f"{self.namespacemap.get(tag[: -len(local) - 1], tag[: -len(local) - 1])}:{local}")
            index, within = self._index(), self.insource or self.intextinput or self.inauthor or self.incontributor
            if (name == "image/url" and not self.inimage) or (name in _OF_IMAGES and self.inimage):
                name = None
            self._popped = None
            feedparsers.unknown_endtag(tag)
            if name and self._popped is not None and not self.incontent and (not within or name in _AUTHORS):
                self.noted_of(index).texts.setdefault(name, self._popped)
            return
        names = [one.name.removeprefix("psc:") for one in self._open]
        if local in names:
            for _ in range(len(names) - 1 - names[::-1].index(local), len(names)):
                self._close()
        elif tag in _OUTER:
            self.close_tags()
            feedparsers.unknown_endtag(tag)

    def pop(self, element: str, *more: Any) -> Any:
        """Called when feedparser has finished a text."""
        feedparsers: Any = super()
        self._popped = text = feedparsers.pop(element, *more)
        return text

    # We don't use what feedparser makes of these elements, and for some it takes quadratic time.

    def _sync_author_detail(self: Any, key: str = "author") -> None:
        context = self._get_context()
        if details := context.get(f"{key}s"):
            context[key] = details[-1].get("name") or details[-1].get("email") or context.get(key, "")

    def _add_tag(self, *_: object) -> None: ...

    def _end_category(self) -> None:
        self.pop("category")

    def _end_itunes_keywords(self) -> None:
        self.pop("itunes_keywords")

    def _end_media_keywords(self) -> None:
        self.pop("media_keywords")

    def _end_tags(self) -> None:
        self.pop("tags")

    def _end_published(self) -> None:
        self.pop("published")

    def _end_updated(self) -> None:
        self.pop("updated")

    def _end_created(self) -> None:
        self.pop("created")

    def _end_expirationdate(self) -> None:
        self.pop("expired")

    def _end_dcterms_valid(self) -> None:
        self.pop("validity")

    _end_keywords = _end_category
    _end_issued = _end_pubdate = _end_published
    _end_modified = _end_lastbuilddate = _end_updated

    # ---------------------------------------------------------------------------------------------------------

    def _index(self: Any) -> int | None:
        return len(self.entries) - 1 if self.inentry else None

    def _note_attributes(self: Any, name: str, attributes: list[tuple[str, str]]) -> None:
        if name in ("itunes:image", "itunes:category") and not self.incontent:
            values = dict(map(self._normalize_attributes, attributes))
            if name == "itunes:image":
                self.noted_of(self._index()).texts.setdefault(name, values.get("href", ""))
            elif not self.inentry:
                self.noted_of(None).topics.append(values.get("text", ""))

    def close_tags(self: Any) -> None:
        while self._open:
            self._close()

    def handle_data(self: Any, text: str, escape: int = 1) -> None:
        if self._open:
            self._open[-1].text.append(text if escape else saxutils.unescape(text))
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
        tags = self.noted_of(self._index()).tags
        if len(tags) < MOST:
            tags.append(tag)


_NUMBER = re.compile(r"&#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));")
_NOTED = {
    f"{'' if ':' in name else ':'}{name.lower()}": name for name in OF_ITEM | OF_CHANNEL if name[:5] != "atom:"
} | {":published": "atom:published", ":updated": "atom:updated", ":url": "image/url"}
"""From an element's name here to the name under which its text is stored."""
_MOST_OPEN = 50
_OF_IMAGES = frozenset({"title", "link", "description"})
_AUTHORS = frozenset({"itunes:author", "managingEditor", "dc:creator"})
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
        type("Loose", (_Unescaping, _Keeping, parts.LooseFeedParser), {**more, "_matchnamespaces": {}}),
    )


log = logging.getLogger(__name__)

_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|<!--.*?-->", re.DOTALL)


def read(body: bytes, url: str) -> Feed:
    """The feed in `body`, which came from `url`.

    It is UTF-8, whatever its declaration says, declares no entities, and has been mended. Raises NotAFeed.
    """
    return assemble(read_raw(body), url)


def read_raw(body: bytes) -> RawFeed:
    """The feed's texts as feedparser finds them. Raises NotAFeed."""

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
    """The web page of an item. If feedparser took the guid for the link, `assemble` decides."""
    link = _text(entry, "link")
    return "" if entry.get("guidislink") and link == _text(entry, "id") else link


def _image(context: Any) -> str:
    image = context.get("image")
    return str(image.get("href", "")) if isinstance(image, dict) else ""

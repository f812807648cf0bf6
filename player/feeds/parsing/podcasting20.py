"""The podcast namespace's tags, as raw elements from either parser and as JSON: all of them are stored, even unknown
ones."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import Struct, field

from player.feeds.parsing import feed_fields
from player.text.cleaning import clean_block, clean_line, unescape

MOST = 2_000
"""The most such elements that an item or channel may have."""
DEEPEST = 6


class Tag(NamedTuple):
    """An element. Names, also those of attributes, are in lower case and without their prefix."""

    name: str
    attributes: dict[str, str]
    text: str = ""
    inside: tuple["Tag", ...] = ()

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")


PODCAST_NAMESPACES = (
    "podcastindex.org/namespace/1.0",
    "github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
)
"""Both mean the same; in lower case, without scheme."""
PSC_NAMESPACE = "podlove.org/simple-chapters"
PLAIN = frozenset({"skiphours", "skipdays"})
"""Elements of RSS itself that hold a list."""


def first(tags: list[Tag], name: str) -> Tag | None:
    return next((tag for tag in tags if tag.name == name), None) if tags else None


_MOST = 200
"""The most that are kept of each tag."""
_LONGEST = 4_000
_GUIDS = "ead4c236-bf58-58c6-a2c6-a6b28d128cb6"
_FOREVER_AGO = datetime(1, 1, 1, tzinfo=UTC)

Clean = Callable[[str, str], Any]
"""From a text and the feed's address to a value; false values are left out."""


def _line(text: str, _base: str) -> str:
    return clean_line(text)


def _title(text: str, _base: str) -> str:
    return clean_line(unescape(text[:_LONGEST]))  # many feeds escape it twice


def _long(text: str, _base: str) -> str:
    return clean_block(text, _LONGEST).strip()


def _word(text: str, _base: str) -> str:
    return clean_line(text, 100).lower()


def _url(text: str, base: str) -> str:
    return feed_fields.web_url(text, base)


def _number(text: str, _base: str) -> float | int | None:
    return feed_fields.number(text)


def _flag(text: str, _base: str) -> bool:
    return text.strip().lower() in ("yes", "true", "1")


class Shape(Struct, frozen=True):
    """What is stored of a tag: its text, as `text`, attributes, nested tags; nothing if something in `needs` is
    missing."""

    text: str = ""
    clean: Clean = _title
    attributes: Mapping[str, Clean] = field(default_factory=dict)
    inside: Mapping[str, "Shape"] = field(default_factory=dict)
    many: bool = True
    needs: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)


_REMOTE_ITEM = Shape(
    attributes={"feedGuid": _line, "feedUrl": _url, "itemGuid": _line, "medium": _word, "title": _line}
)
_RECIPIENT = Shape(
    attributes={
        "name": _line, "customKey": _line, "customValue": _line, "type": _word, "address": _line, "split": _number,
        "fee": _flag,
    },
    needs="address",
)  # fmt: skip
_PERSON = Shape(
    "name",
    attributes={"role": _word, "group": _word, "img": _url, "href": _url},
    needs="name",
    defaults={"role": "host", "group": "cast"},
)
_IMAGE = Shape(
    attributes={
        "href": _url, "alt": _line, "aspect-ratio": _line, "width": _number, "height": _number, "type": _word,
        "purpose": _word,
    },
    needs="href",
)  # fmt: skip
_ALTERNATE = Shape(
    attributes={
        "type": _word, "length": _number, "bitrate": _number, "height": _number, "lang": _line, "title": _line,
        "rel": _line, "codecs": _line, "default": _flag,
    },
    inside={
        "source": Shape(attributes={"uri": _url, "contentType": _word}, needs="uri"),
        "integrity": Shape(attributes={"type": _word, "value": _line}, needs="value"),
    },
    needs="source",
)  # fmt: skip
_CHAT = Shape(
    attributes={"server": _line, "protocol": _word, "accountId": _line, "space": _line, "embedUrl": _url}, many=False
)
_VALUE = Shape(
    attributes={"type": _word, "method": _word, "suggested": _number},
    inside={
        "valueRecipient": _RECIPIENT,
        "valueTimeSplit": Shape(
            attributes={
                "startTime": _number, "duration": _number, "remoteStartTime": _number, "remotePercentage": _number,
            },
            inside={"remoteItem": _REMOTE_ITEM, "valueRecipient": _RECIPIENT},
        ),
    },
    needs="type",
)  # fmt: skip
_SOCIAL = Shape(
    attributes={"uri": _line, "protocol": _word, "accountId": _line, "accountUrl": _url, "priority": _number},
    needs="protocol",
)
_CONTENT_LINK = Shape("text", attributes={"href": _url}, needs="href")
_LIVE_ITEM = Shape(
    attributes={"status": _word, "start": _line, "end": _line},
    inside={
        "title": Shape("text", many=False),
        "description": Shape("text", _long, many=False),
        "guid": Shape("text", many=False),
        "link": Shape("text", _url, many=False),
        "enclosure": Shape(attributes={"url": _url, "type": _word, "length": _number}, needs="url"),
        "contentLink": _CONTENT_LINK,
        "alternateEnclosure": _ALTERNATE,
        "person": _PERSON,
        "chat": _CHAT,
        "socialInteract": _SOCIAL,
        "value": _VALUE,
    },
    needs="status",
)
_SHAPES = {
    "person": _PERSON,
    "soundbite": Shape("title", attributes={"startTime": _number, "duration": _number}, needs="duration"),
    "funding": Shape("label", attributes={"url": _url}, needs="url"),
    "location": Shape("name", attributes={"rel": _word, "geo": _line, "osm": _line, "country": _word}),
    "season": Shape("number", _number, {"name": _line}, many=False),
    "episode": Shape("number", _number, {"display": _line}, many=False),
    "alternateEnclosure": _ALTERNATE,
    "trailer": Shape(
        "title",
        attributes={"pubDate": _line, "url": _url, "length": _number, "type": _word, "season": _number},
        needs="url",
    ),
    "guid": Shape("text", many=False),
    "podroll": Shape(inside={"remoteItem": _REMOTE_ITEM}, many=False),
    "remoteItem": _REMOTE_ITEM,
    "publisher": Shape(inside={"remoteItem": _REMOTE_ITEM}, many=False),
    "updateFrequency": Shape(
        "text", attributes={"rrule": _line, "dtstart": _line, "complete": _flag}, many=False
    ),
    "license": Shape("text", attributes={"url": _url}, many=False),
    "socialInteract": _SOCIAL,
    "value": _VALUE,
    "image": _IMAGE,
    "images": Shape(attributes={"srcset": _line}, many=False),
    "txt": Shape("text", _long, {"purpose": _word}, needs="text"),
    "locked": Shape("text", _flag, {"owner": _line}, many=False),
    "medium": Shape("text", _word, many=False),
    "block": Shape("text", _flag, {"id": _word}),
    "chat": _CHAT,
    "contentLink": _CONTENT_LINK,
    "podping": Shape(attributes={"usesPodping": _flag}, many=False),
    "liveItem": _LIVE_ITEM,
    "transcript": Shape(attributes={"url": _url, "type": _word, "language": _line, "rel": _word}, needs="url"),
}  # fmt: skip
_BY_NAME = {name.lower(): (name, shape) for name, shape in _SHAPES.items()}


def extra_of(tags: Sequence[Tag], base: str) -> dict[str, Any]:
    """The values of `tags`, by name; relative addresses are resolved against `base`."""
    found = _inside(tags, _BY_NAME, base)
    if any(one["protocol"] == "disabled" for one in found.get("socialInteract", ())):
        del found["socialInteract"]
    if not any("rel" in one for one in found.get("transcript", ())):
        found.pop("transcript", None)  # its addresses are stored elsewhere
    if "trailer" in found:
        found["trailer"].sort(key=lambda one: feed_fields.date(one.get("pubDate", "")) or _FOREVER_AGO, reverse=True)
    if "images" in found:
        found["images"] = _sources(found["images"].get("srcset", ""), base)
        found = {name: value for name, value in found.items() if value}
    if "image" in found:  # the newer tag replaces the older one
        found.pop("images", None)
    return found


def as_json(found: Mapping[str, Any]) -> str:
    """Deterministic JSON; "" for no values."""
    return json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":")) if found else ""


def people(episode_extra: str, podcast_extra: str) -> tuple[Mapping[str, str], ...]:
    """The people of the episode, else those of the podcast. Each has a `name`, a `role` and a `group`."""
    for extra in (episode_extra, podcast_extra):
        if extra and (found := json.loads(extra).get("person")):
            return tuple(found)
    return ()


def podcast_guid(podcast_extra: str, url: str) -> str:
    """The podcast's guid, the same on any host: the feed's own, else derived from its address."""
    found = json.loads(podcast_extra).get("guid", {}) if podcast_extra else {}
    import uuid

    return str(found.get("text") or uuid.uuid5(uuid.UUID(_GUIDS), url.partition("://")[2].rstrip("/")))


def _inside(tags: Sequence[Tag], shapes: Mapping[str, tuple[str, Shape]], base: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for tag in tags:
        name, shape = shapes.get(tag.name, ("", None))
        if shape is None or (not shape.many and name in found):
            continue
        if not (value := _value(tag, shape, base)):
            continue
        if not shape.many:
            found[name] = value
        elif len(values := found.setdefault(name, [])) < _MOST:
            values.append(value)
    return found


def _value(tag: Tag, shape: Shape, base: str) -> dict[str, Any]:
    value = {
        name: cleaned
        for name, clean in shape.attributes.items()
        if (text := tag.attributes.get(name.lower())) and _has_meaning(cleaned := clean(text, base))
    }
    if shape.text and _has_meaning(text := shape.clean(tag.text, base)):
        value[shape.text] = text
    if shape.inside:
        value |= _inside(tag.inside, {name.lower(): (name, one) for name, one in shape.inside.items()}, base)
    if not value or (shape.needs and shape.needs not in value):
        return {}
    return {**shape.defaults, **value}


def _has_meaning(value: Any) -> bool:
    """Zero has a meaning; empty and "no" don't."""
    return value is not None and value is not False and value != ""


def _sources(srcset: str, base: str) -> list[dict[str, Any]]:
    """`URL 1500w, URL 600w` (HTML's srcset), the widest first."""
    found = []
    for part in srcset.split(", ", _MOST)[:_MOST]:
        address, _, width = part.strip().rstrip(",").partition(" ")
        if url := feed_fields.web_url(address, base):
            found.append({"url": url, "width": feed_fields.number(width.strip().removesuffix("w")) or 0})
    return sorted(found, key=lambda one: -one["width"])

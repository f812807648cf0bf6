"""From what a reader finds in a feed, as it stands there, to a Feed of clean values. Both readers end here."""

import re
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple
from urllib.parse import urlsplit

from player.feeds import fields
from player.feeds.fields import web_url
from player.model import Feed, FeedEpisode, TranscriptRef
from player.notes import read_notes, words
from player.text import LINE_LIMIT, clean_block, clean_line

_GUID_LIMIT = 2_000
_DESCRIPTION_LIMIT = 20_000
_YES = {"yes", "true", "explicit"}
_MAIL_AND_NAME = re.compile(r"\S+@\S+\s*\((.+)\)")


class RawEnclosure(NamedTuple):
    url: str
    media_type: str = ""
    length: str = ""


class RawTranscript(NamedTuple):
    url: str
    media_type: str = ""
    language: str = ""


@dataclass(slots=True)
class RawItem:
    """An item's texts. `notes` are all that could be its show notes, the likeliest first."""

    guid: str = ""
    guid_is_link: bool = False
    title: str = ""
    other_title: str = ""
    link: str = ""
    published: str = ""
    duration: str = ""
    notes: list[str] = field(default_factory=list)
    image: str = ""
    season: str = ""
    number: str = ""
    explicit: str = ""
    enclosures: list[RawEnclosure] = field(default_factory=list)
    chapters: str = ""
    transcripts: list[RawTranscript] = field(default_factory=list)


@dataclass(slots=True)
class RawFeed:
    """A channel's texts."""

    title: str = ""
    author: str = ""
    description: str = ""
    link: str = ""
    image: str = ""
    language: str = ""
    explicit: str = ""
    new_url: str = ""
    items: list[RawItem] = field(default_factory=list)


def assemble(raw: RawFeed, url: str) -> Feed:
    """The feed at `url`; items with nothing to hear are left out."""
    explicit = _explicit(raw.explicit, False)
    made = (_episode(item, url, explicit) for item in raw.items)
    return Feed(
        title=_line(raw.title) or clean_line(urlsplit(url).hostname or url),
        author=_author(raw.author),
        description=clean_block(words(read_notes(raw.description)), _DESCRIPTION_LIMIT),
        link=web_url(raw.link, url),
        image_url=web_url(raw.image, url),
        language=clean_line(raw.language, 40),
        new_url=web_url(raw.new_url),
        episodes=tuple(episode for episode in made if episode is not None),
    )


def _episode(raw: RawItem, url: str, explicit: bool) -> FeedEpisode | None:
    heard = _enclosure(raw.enclosures, url)
    if heard is None:
        return None
    address, media_type, size = heard
    return FeedEpisode(
        guid=clean_line(raw.guid, _GUID_LIMIT),
        title=_line(raw.title) or _line(raw.other_title) or clean_line(address.rpartition("/")[2]) or "Untitled",
        url=address,
        media_type=media_type,
        size=size,
        link=web_url(raw.link, url) or (web_url(raw.guid) if raw.guid_is_link else ""),
        published=fields.date(raw.published),
        duration_ms=fields.duration(raw.duration),
        notes=clean_block(max(raw.notes, key=len, default="")).strip(),
        image_url=web_url(raw.image, url),
        season=_season(raw.season),
        number=clean_line(raw.number, 40),
        explicit=_explicit(raw.explicit, explicit),
        chapters_url=web_url(raw.chapters, url),
        transcripts=tuple(
            TranscriptRef(address, clean_line(media, 100).lower(), clean_line(language, 40))
            for target, media, language in raw.transcripts
            if (address := web_url(target, url))
        ),
    )


def _enclosure(raw: list[RawEnclosure], base: str) -> tuple[str, str, int | None] | None:
    """The first that is audio, else the first that is video."""
    known = [
        (url, media_type, fields.size(enclosure.length))
        for enclosure in raw
        if (url := web_url(enclosure.url, base)) and (media_type := fields.media_type(enclosure.media_type, url))
    ]
    return next((one for one in known if one[1].startswith("audio/")), known[0] if known else None)


def _line(text: str) -> str:
    """A title. Many feeds escape it twice."""
    return clean_line(unescape(text[: LINE_LIMIT * 10]))


def _author(text: str) -> str:
    """A name; `mail@host (Name)` of RSS 2.0's managingEditor keeps the name alone."""
    line = _line(text)
    found = _MAIL_AND_NAME.fullmatch(line)
    return found[1].strip() if found else line


def _season(text: str) -> int | None:
    found = re.match(r"\s*([0-9]{1,6})\b", text[:40])
    return int(found[1]) if found else None


def _explicit(text: str, otherwise: bool) -> bool:
    word = text.strip().lower()
    return word in _YES if word else otherwise

"""Turns the raw texts that either parser found in a feed into a Feed of clean values."""

import re
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from player.feeds.parsing import feed_fields
from player.feeds.parsing.feed_fields import HLS_TYPE, web_url
from player.feeds.parsing.podcasting20 import Tag, as_json, extra_of, first
from player.links.addresses import RADIO_TYPE, VIDEO_TYPE, captions_of, chapters_of, video_page
from player.model.episode import LiveState, TranscriptRef
from player.model.feed import Feed, FeedEpisode, LiveShow, signed
from player.text.cleaning import LINE_LIMIT, clean_block, clean_line, unescape
from player.text.sentences import _

_GUID_LIMIT = 2_000
_DESCRIPTION_LIMIT = 20_000
_YES = {"yes", "true", "explicit"}
_ENCLOSURES, _CHAPTERS, _TRANSCRIPTS, _TOPICS = 50, 1_000, 50, 20
"""How many of each are kept at most, for one episode or podcast."""
_LIVE_SHOWS = 20
_DAYS = {
    name: number
    for number, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
}
_RELATIVE = re.compile(
    r"""(<(?:a|img)\s[^<>]{0,500}?\b(?:href|src)\s*=\s*)(["'])(?![a-zA-Z][a-zA-Z0-9+.-]*:|#)([^"'<>]{1,2000})\2"""
)
# A quick test: if this finds nothing, neither does the pattern above. It begins with a letter, for which the search is
# fast.
_PERHAPS_RELATIVE = re.compile(r"""=(?<=[fc\s]=)\s*["'](?![a-zA-Z][a-zA-Z0-9+.-]*:|#)""")
# Plain sentences on one line, without anything that looks like a list, a link or markup: parsing them as notes wouldn't
# change them.
_SENTENCES = re.compile(r"(?:[A-Za-z](?:[A-Za-z']|[0-9](?![0-9.)])|[.,!?](?= |$)| (?! ))*)?(?<! )")
_TAG = re.compile(r"<[^<>]*>")
_SEASON = re.compile(r"\s*([0-9]{1,6})\b")
_MAIL_AND_NAME = re.compile(r"\S+@\S+\s*\((.+)\)")


class RawEnclosure(NamedTuple):
    url: str
    media_type: str = ""
    length: str = ""


@dataclass(slots=True)
class RawItem:
    """An item's raw texts. `notes` are all candidates for its show notes, the likeliest first; `tags` are the elements
    of the podcast namespaces."""

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
    kind: str = ""
    block: str = ""
    enclosures: list[RawEnclosure] = field(default_factory=list)
    media: list[RawEnclosure] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)


@dataclass(slots=True)
class RawFeed:
    """A channel's raw texts."""

    title: str = ""
    author: str = ""
    description: str = ""
    link: str = ""
    image: str = ""
    language: str = ""
    explicit: str = ""
    new_url: str = ""
    next_page: str = ""
    ttl: str = ""
    kind: str = ""
    block: str = ""
    complete: str = ""
    topics: list[str] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    items: list[RawItem] = field(default_factory=list)


def assemble(raw: RawFeed, url: str) -> Feed:
    """The feed at `url`; items without audio or video are left out."""
    explicit = _explicit(raw.explicit, False)
    link = _page(raw.link, url)
    made = (_episode(item, url, link, explicit) for item in raw.items)
    extra = extra_of(raw.tags, url) | _apple(raw.kind, raw.block) | _rhythm(raw) | _topics(raw)
    return Feed(
        title=_line(raw.title) or clean_line(urlsplit(url).hostname or url),
        author=_author(raw.author),
        description=_description(raw.description),
        link=link,
        image_url=web_url(raw.image, url) or _first_image(extra),
        language=clean_line(raw.language, 40),
        new_url=web_url(raw.new_url),
        next_page=web_url(raw.next_page, url),
        extra=as_json(extra),
        episodes=tuple(episode for episode in made if episode is not None),
        live=_live_shows(raw.tags, url, link, explicit),
    )


def _episode(raw: RawItem, url: str, site: str, explicit: bool) -> FeedEpisode | None:
    files = _files(raw.enclosures, url) or _files(raw.media, url)
    page = video_page(raw.guid) if not files else ""
    if page:
        files = [(page, VIDEO_TYPE, None)]
    if not files:
        return None
    # Of several enclosures, sound rather than video, and a file rather than a playlist.
    chosen = min(files, key=lambda one: (one[1] == HLS_TYPE, not one[1].startswith("audio/")))
    address, media_type, size = chosen
    link = _page(raw.link, url) or (web_url(raw.guid) if raw.guid_is_link else "")
    extra = _apple(raw.kind, raw.block)
    season, number, chapters_url = raw.season, raw.number, ""
    transcripts: tuple[TranscriptRef, ...] = ()
    if raw.tags:
        season = season or _text(raw.tags, "season")
        number = number or _number(raw.tags)
        chapters_url, transcripts = _chapters_url(raw.tags, url), _transcripts(raw.tags, url)
        extra |= extra_of(raw.tags, url)
        if chapters := _psc_chapters(raw.tags, url):
            extra["chapters"] = chapters
    if page:
        chapters_url, transcripts = chapters_of(page), (TranscriptRef(captions_of(page), "text/vtt"),)
    if len(files) > 1:
        extra["enclosures"] = [{"url": one[0], "type": one[1], "length": one[2] or 0} for one in files if one != chosen]
    return signed(
        clean_line(raw.guid, _GUID_LIMIT),
        _line(raw.title) or _line(raw.other_title) or clean_line(address.rpartition("/")[2]) or "Untitled",
        address,
        media_type,
        size,
        link,
        feed_fields.date(raw.published),
        feed_fields.duration(raw.duration),
        _with_whole_links(clean_block(_notes(raw.notes)).strip(), link or site or url),
        (web_url(raw.image, url) if raw.image else "") or (_first_image(extra) if extra else ""),
        _season(season) if season else None,
        clean_line(number, 40) if number else "",
        _explicit(raw.explicit, explicit) if raw.explicit else explicit,
        chapters_url,
        transcripts,
        as_json(extra) if extra else "",
    )


def _live_shows(tags: list[Tag], url: str, site: str, explicit: bool) -> tuple[LiveShow, ...]:
    """The shows that the feed announces, and those it says are over (`podcast:liveItem`)."""
    shows = (_live_show(tag, url, site, explicit) for tag in tags if tag.name == "liveitem")
    return tuple(islice((show for show in shows if show is not None), _LIVE_SHOWS))


def _live_show(tag: Tag, url: str, site: str, explicit: bool) -> LiveShow | None:
    """None without a state or a stream that Earmark knows."""
    state, inside = tag.get("status").strip().lower(), list(tag.inside)
    if state not in set(LiveState):
        return None
    alternates = [one for one in inside if one.name == "alternateenclosure"]
    streams = [RawEnclosure(one.get("url"), one.get("type")) for one in inside if one.name == "enclosure"]
    more = [
        RawEnclosure(source.get("uri"), source.get("contenttype") or one.get("type"))
        for one in alternates
        for source in one.inside
        if source.name == "source"
    ]
    own = _files(streams, url)
    files = own or _files(more, url)
    if not files:
        return None
    address, _type, _size = min(files, key=lambda one: not one[1].startswith("audio/"))
    extra = extra_of(inside, url)
    # The media type that is stored is that of a stream, so a video has its own beside it.
    if videos := [{"type": kind, "source": [{"uri": one}]} for one, kind, _ in own if kind.startswith("video/")]:
        extra["alternateEnclosure"] = [*videos, *extra.get("alternateEnclosure", [])]
    starts_at = feed_fields.date(tag.get("start"))
    episode = signed(
        clean_line(_text(inside, "guid"), _GUID_LIMIT),
        _line(_text(inside, "title")) or _("Live show"),
        address,
        RADIO_TYPE,
        None,
        _page(_text(inside, "link"), url) or next((one["href"] for one in extra.get("contentLink", ())), ""),
        starts_at,
        None,
        _with_whole_links(clean_block(_text(inside, "description")).strip(), site or url),
        _first_image(extra),
        None,
        "",
        _explicit(_text(inside, "explicit"), explicit),
        "",
        (),
        as_json(extra),
    )
    return LiveShow(episode, LiveState(state), starts_at, feed_fields.date(tag.get("end")))


def _page(text: str, base: str) -> str:
    """A web page's address; `www.example.com/1` is absolute, not relative to the feed."""
    return web_url(f"http://{text}" if text[:4].lower() == "www." else text, base)


def _notes(found: list[str]) -> str:
    """The longest candidate. If it isn't the likeliest, it must have more text, not only longer addresses."""
    if len(found) < 2:
        return found[0] if found else ""
    longest = max(found, key=len)
    if longest is found[0]:
        return longest
    return max(found, key=lambda one: len(_TAG.sub("", one)))


def _files(raw: list[RawEnclosure], base: str) -> list[tuple[str, str, int | None]]:
    """Playable enclosures: address, type and size. The first audio enclosure is the episode; if there is none, the
    first enclosure."""
    files = []
    for address, declared, length in raw[:_ENCLOSURES]:
        if (url := web_url(address, base)) and (media_type := feed_fields.media_type(declared, url)):
            files.append((url, media_type, feed_fields.size(length) if length else None))
    return list(dict.fromkeys(files)) if len(files) > 1 else files


def _chapters_url(tags: list[Tag], base: str) -> str:
    found = first(tags, "chapters")
    return web_url(found.get("url"), base) if found else ""


def _transcripts(tags: list[Tag], base: str) -> tuple[TranscriptRef, ...]:
    found = (
        TranscriptRef(address, clean_line(tag.get("type"), 100).lower(), clean_line(tag.get("language"), 40))
        for tag in tags
        if tag.name == "transcript" and (address := web_url(tag.get("url"), base))
    )
    return tuple(islice(found, _TRANSCRIPTS))


def _rhythm(raw: RawFeed) -> dict[str, Any]:
    """How often the feed wants to be checked: RSS's ttl (minutes), skipHours (UTC) and skipDays, itunes:complete."""
    hours = {int(text) % 24 for text in _listed(raw.tags, "skiphours") if re.fullmatch("[0-9]{1,2}", text)}
    days = {_DAYS[name] for text in _listed(raw.tags, "skipdays") if (name := text.lower()) in _DAYS}
    extra: dict[str, Any] = {"ttl": int(raw.ttl)} if re.fullmatch("[0-9]{1,6}", raw.ttl) else {}
    extra |= {name: sorted(some) for name, some in (("skipHours", hours), ("skipDays", days)) if some}
    return extra | ({"complete": True} if raw.complete.strip().lower() == "yes" else {})


def _topics(raw: RawFeed) -> dict[str, Any]:
    """itunes:category, nested ones too."""
    names = list(dict.fromkeys(filter(None, map(_line, raw.topics[:_TOPICS]))))
    return {"topics": names} if names else {}


def _apple(kind: str, block: str) -> dict[str, Any]:
    """itunes:type or itunes:episodeType, and itunes:block."""
    if not kind and not block:
        return {}
    extra: dict[str, Any] = {"kind": name} if (name := clean_line(kind, 40).lower()) else {}
    return extra | ({"hidden": True} if block.strip().lower() == "yes" else {})


def _psc_chapters(tags: list[Tag], base: str) -> list[dict[str, Any]]:
    """Podlove Simple Chapters: in the feed itself."""
    listed = first(tags, "psc:chapters")
    found = []
    for one in listed.inside[:_CHAPTERS] if listed else ():
        start, title = feed_fields.position(one.get("start")), _line(one.get("title"))
        if one.name == "chapter" and start is not None:
            chapter = {"start_ms": start, "title": title}
            chapter |= {name: url for name in ("href", "image") if (url := web_url(one.get(name), base))}
            found.append(chapter)
    return found


def _first_image(extra: dict[str, Any]) -> str:
    """The picture that the podcast namespace names, if Apple's tag names none."""
    if not extra:
        return ""
    if images := extra.get("image"):
        return str(images[0]["href"])
    return str(extra["images"][0]["url"]) if extra.get("images") else ""


def _with_whole_links(notes: str, base: str) -> str:
    """Makes addresses in the notes absolute, because the code that shows the notes doesn't know the feed's address."""
    if "<" not in notes or not _PERHAPS_RELATIVE.search(notes):
        return notes

    def whole(found: re.Match[str]) -> str:
        address = web_url(unescape(found[3]), base)
        return f"{found[1]}{found[2]}{escape(address)}{found[2]}" if address else found[0]

    return _RELATIVE.sub(whole, notes)


def _listed(tags: list[Tag], name: str) -> list[str]:
    found = first(tags, name)
    return [one.text.strip() for one in found.inside] if found else []


def _text(tags: list[Tag], name: str) -> str:
    found = first(tags, name)
    return found.text if found else ""


def _number(tags: list[Tag]) -> str:
    found = first(tags, "episode")
    return (found.get("display") or found.text) if found else ""


def _description(text: str) -> str:
    """Without markup. Importing the parser for it takes 40 ms, and most texts have none."""
    text = text[: _DESCRIPTION_LIMIT * 5]
    if not _SENTENCES.fullmatch(text):
        from player.notes import read_notes, words

        text = words(read_notes(text))
    return clean_block(text, _DESCRIPTION_LIMIT)


def _line(text: str) -> str:
    """A title on one line. Many feeds escape it twice."""
    return clean_line(unescape(text[: LINE_LIMIT * 10]))


def _author(text: str) -> str:
    """A name; `mail@host (Name)` of RSS 2.0's managingEditor keeps the name alone."""
    line = _line(text)
    found = _MAIL_AND_NAME.fullmatch(line)
    return found[1].strip() if found else line


def _season(text: str) -> int | None:
    found = _SEASON.match(text[:40]) if text else None
    return int(found[1]) if found else None


def _explicit(text: str, otherwise: bool) -> bool:
    word = text.strip().lower() if text else ""
    return word in _YES if word else otherwise

"""An episode, as a list shows it; its position, chapters, transcript, people and the like."""

import json
import math
from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime
from enum import Enum, StrEnum
from typing import Any, NamedTuple, NewType

from msgspec import Struct

from player.links.addresses import chat_address
from player.links.urls import web_address
from player.model.podcast import PodcastId

EpisodeId = NewType("EpisodeId", int)


class LiveState(StrEnum):
    """The state of a live show, as its feed has it (`podcast:liveItem`). The values are kept in the library."""

    PENDING = "pending"
    LIVE = "live"
    ENDED = "ended"


class Episode(Struct, frozen=True):
    """A row of an episode list. Notes are not here: they are read for the episode under the cursor alone.

    `url` is the enclosure's address. `duration_ms` is None while it isn't known. `size` is the length in bytes that the
    feed claims, a guess at best. `new`: it has arrived, and the
    listener hasn't decided about it yet (it is in the inbox). `live` is None unless it is a live show; `published` is
    then when it begins.
    """

    id: EpisodeId
    podcast_id: PodcastId
    podcast: str
    title: str
    guid: str
    url: str
    media_type: str = ""
    size: int | None = None
    link: str = ""
    published: datetime | None = None
    duration_ms: int | None = None
    position_ms: int = 0
    played: bool = False
    starred: bool = False
    downloaded: bool = False
    queued: bool = False
    new: bool = False
    live: LiveState | None = None

    @property
    def in_progress(self) -> bool:
        return self.position_ms > 0 and not self.played


class Person(Struct, frozen=True):
    """A person who is heard, or was involved in making it (`podcast:person`): `role` is `host`, `guest` ..., `group`
    `cast` ..."""

    name: str
    role: str = "host"
    group: str = "cast"
    url: str = ""
    image_url: str = ""


class Funding(Struct, frozen=True):
    """Where listeners can give money or other support (`podcast:funding`)."""

    url: str
    label: str = ""


class Discussion(Struct, frozen=True):
    """A post about an episode, whose replies are its comments (`podcast:socialInteract`)."""

    url: str
    protocol: str


class Recommendation(Struct, frozen=True):
    """A podcast that another one recommends (`podcast:podroll`); `title` may be ""."""

    url: str
    title: str = ""


class Soundbite(Struct, frozen=True):
    """A piece that the publisher picked out (`podcast:soundbite`); `title` may be ""."""

    start_ms: int
    duration_ms: int
    title: str = ""


def people(extra: str) -> tuple[Person, ...]:
    """The people who are heard or were involved, each once in a role."""
    found = (
        Person(one["name"], one.get("role", "host"), one.get("group", "cast"), one.get("href", ""), one.get("img", ""))
        for one in _listed(extra, "person")
        if one.get("name")
    )
    return tuple(dict.fromkeys(found))


def fundings(extra: str) -> tuple[Funding, ...]:
    return tuple(Funding(one["url"], one.get("label", "")) for one in _listed(extra, "funding") if one.get("url"))


def discussions(extra: str) -> tuple[Discussion, ...]:
    """The posts about an episode, the one that its publisher prefers first; none if it wants no comments."""
    found = [
        (one.get("priority", math.inf), Discussion(url, one["protocol"]))
        for one in _listed(extra, "socialInteract")
        if (url := web_address(one.get("uri", "")))
    ]
    return tuple(dict.fromkeys(one for _priority, one in sorted(found, key=lambda one: one[0])))


def chat(extra: str) -> str:
    """The address of the chat of an episode or a podcast (`podcast:chat`); "" for none."""
    found = _read(extra).get("chat", {}) if '"chat"' in extra else {}
    address = chat_address(found.get("protocol", ""), found.get("server", ""), found.get("space", ""))
    return address or str(found.get("embedUrl", ""))


def content_links(extra: str) -> tuple[tuple[str, str], ...]:
    """Other places where it can be seen or heard (`podcast:contentLink`): address and title, which may be ""."""
    return tuple((one["href"], one.get("text", "")) for one in _listed(extra, "contentLink") if one.get("href"))


def recommendations(extra: str) -> tuple[Recommendation, ...]:
    """The podroll: the podcasts whose feeds it names, each once. Podcasts named only by guid are left out, because only
    a directory with an API key knows where they are."""
    roll = _read(extra).get("podroll", {}) if '"podroll"' in extra else {}
    items = roll.get("remoteItem", ()) if isinstance(roll, dict) else ()
    found = {one["feedUrl"]: Recommendation(one["feedUrl"], one.get("title", "")) for one in items if "feedUrl" in one}
    return tuple(found.values())


def soundbites(extra: str) -> tuple[Soundbite, ...]:
    """In the order of their starts."""
    found = (
        Soundbite(round(one.get("startTime", 0) * 1000), round(one["duration"] * 1000), one.get("title", ""))
        for one in _listed(extra, "soundbite")
        if one.get("duration")
    )
    return tuple(sorted(found, key=lambda one: one.start_ms))


def topics(extra: str) -> tuple[str, ...]:
    """Apple's categories, from the broad to the narrow."""
    return tuple(map(str, _read(extra).get("topics", ())))


def kind(extra: str) -> str:
    """itunes:episodeType, if it says something: `trailer`, `bonus`; of a podcast `serial`."""
    value = str(_read(extra).get("kind", ""))
    return "" if value in ("full", "episodic") else value


def _listed(extra: str, name: str) -> Iterator[dict[str, Any]]:
    yield from _read(extra).get(name, ()) if f'"{name}"' in extra else ()


def _read(extra: str) -> dict[str, Any]:
    value = json.loads(extra) if extra else {}
    return value if isinstance(value, dict) else {}


class BytePosition(Struct, frozen=True):
    """The audio at `position_ms` begins at `byte` of a file of `size` bytes.

    `exact`: the position is known. Otherwise it was guessed, and only the byte says where the listener was.
    """

    position_ms: int
    byte: int
    size: int
    exact: bool


class SavedPosition(Struct, frozen=True):
    """Where a listener stopped in an episode, and when; `byte` is set if the position alone isn't enough to find the
    place again. `audio`: the number of the audio that it is a position in; None if that isn't known. `unsure`: the
    audio has changed since, and can't be aligned with the former one."""

    position_ms: int
    saved_at: datetime
    byte: BytePosition | None = None
    audio: int | None = None
    unsure: bool = False


class Chapter(Struct, frozen=True):
    """`end_ms` is only set if the source gives it; `hidden` chapters (`toc: false`) are in no list but count for what
    is shown while they play. `url` is the chapter's link."""

    start_ms: int
    title: str
    end_ms: int | None = None
    url: str = ""
    image_url: str = ""
    hidden: bool = False


class ChapterSource(Enum):
    """Where chapters come from, the best first."""

    JSON = "json"
    PODLOVE = "podlove"
    FILE = "file"
    NOTES = "notes"
    HERE = "here"
    """Made here of the transcript."""


class Chapters(Struct, frozen=True):
    """An episode's chapters in their order, including hidden ones; `source` is None when it has none. `made_by` names
    the program of those that were made here. `moved_ms`: by how much they were moved to the words in the audio, at
    most."""

    items: tuple[Chapter, ...] = ()
    source: ChapterSource | None = None
    made_by: str = ""
    moved_ms: int = 0

    @property
    def listed(self) -> tuple[Chapter, ...]:
        """The chapters for a table of contents."""
        return tuple(one for one in self.items if not one.hidden)

    def at(self, position_ms: int) -> Chapter | None:
        """The chapter that plays there; None before the first, after an end, and if there are none.

        A hidden chapter lies inside another chapter, which continues when it has ended.
        """
        after = bisect_right(self.items, position_ms, key=lambda one: one.start_ms)
        for found in reversed(self.items[:after]):
            if found.end_ms is None or position_ms < found.end_ms:
                return found
            if not found.hidden:
                break
        return None

    def end_of(self, chapter: Chapter, duration_ms: int | None) -> int | None:
        """Where the chapter ends: as its source says, else where the next one begins, or at the end of the episode."""
        if chapter.end_ms is not None:
            return chapter.end_ms
        later = (one.start_ms for one in self.items if one.start_ms > chapter.start_ms and not one.hidden)
        return next(later, duration_ms)


class SpokenWord(NamedTuple):
    """A word of a line: where it begins in the line's text, in characters, and when it is said."""

    begin: int
    start_ms: int


class TranscriptLine(Struct, frozen=True):
    """What is said from `start_ms` on; both times are None in a transcript without times. `speaker` may be "", `words`
    are those whose times are known."""

    text: str
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str = ""
    words: tuple[SpokenWord, ...] = ()

    def word_at(self, position_ms: int) -> tuple[int, int] | None:
        """Where in the text the word begins and ends that is heard at that position, or was heard last; None before the
        first."""
        at = bisect_right(self.words, position_ms, key=lambda one: one.start_ms) - 1
        if at < 0:
            return None
        begin = self.words[at].begin
        end = self.words[at + 1].begin if at + 1 < len(self.words) else len(self.text)
        return begin, begin + len(self.text[begin:end].rstrip())

    def said_at(self, offset: int) -> int | None:
        """When the word at that character of the text is said, in ms; the beginning of the line if that isn't known."""
        at = bisect_right(self.words, offset, key=lambda one: one.begin) - 1
        return self.words[at].start_ms if at >= 0 else self.start_ms


class Transcript(Struct, frozen=True):
    """Lines in their order; `language` is a tag such as `en`, or "". `made_by` names the program and the model that
    wrote it, `url` is its address (`TranscriptRef`); "" if unknown. `moved_ms`: by how much it was moved to the words
    in the audio, at most."""

    lines: tuple[TranscriptLine, ...] = ()
    language: str = ""
    made_by: str = ""
    url: str = ""
    moved_ms: int = 0

    @property
    def timed(self) -> bool:
        return any(line.start_ms is not None for line in self.lines)

    def at(self, position_ms: int) -> int | None:
        """The index of the line that is heard at that position, or was heard last; None before the first."""
        index = bisect_right(self.lines, position_ms, key=lambda one: one.start_ms or 0) - 1
        return index if index >= 0 and self.timed else None


class Summary(Struct, frozen=True):
    """A summary that was made here of the transcript, in Markdown, and the name of what made it."""

    text: str
    made_by: str


class TranscriptSource(StrEnum):
    """Where transcripts come from, the preferred ones first."""

    OWN = "own"
    PODCAST = "podcast"
    FILE = "file"
    HERE = "here"


class TranscriptRef(Struct, frozen=True):
    """Where a transcript can be fetched (`podcast:transcript`)."""

    url: str
    media_type: str = ""
    language: str = ""

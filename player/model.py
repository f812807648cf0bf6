"""What Earmark is about, as frozen values. Times are whole milliseconds, moments are aware datetimes in UTC."""

from bisect import bisect_right
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, StrEnum
from hashlib import blake2b
from typing import NamedTuple, NewType

PodcastId = NewType("PodcastId", int)
EpisodeId = NewType("EpisodeId", int)

WELCOME_URL = "earmark:welcome"
"""The address of the built-in show; its enclosures are `earmark:welcome/NAME`."""

STARTER_URL = "https://feeds.simplecast.com/OB5FkIl8"
"""The show a new library starts with: the PyTorch Developer Podcast."""

MOST_EPISODES = 30_000
"""Read of one feed, its first ones: in nearly all feeds the newest. The largest feeds have some ten thousand."""


@dataclass(frozen=True, slots=True)
class Podcast:
    """A subscription, with the counts its row shows.

    `last_refreshed` is None until the feed was read once; `error` is the sentence of the last failed refresh.
    """

    id: PodcastId
    url: str
    title: str
    author: str = ""
    description: str = ""
    link: str = ""
    image_url: str = ""
    episode_count: int = 0
    unplayed_count: int = 0
    last_refreshed: datetime | None = None
    error: str | None = None

    @property
    def note(self) -> str:
        """What is worth knowing of it and is no failure; "" for nothing."""
        if self.episode_count < MOST_EPISODES:
            return ""
        return f"Only the first {MOST_EPISODES:,} episodes of a feed are read; this one may have more."


@dataclass(frozen=True, slots=True)
class Episode:
    """A row of an episode list. Notes are not here: they are read for the episode under the cursor alone.

    `url` is the enclosure's address. `duration_ms` is None while nobody knows it. `size` is the length in bytes
    that the feed claims, a guess at best.
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

    @property
    def in_progress(self) -> bool:
        return self.position_ms > 0 and not self.played


class View(StrEnum):
    """What an episode list shows."""

    ALL = "all"
    IN_PROGRESS = "in_progress"
    STARRED = "starred"
    PODCAST = "podcast"


@dataclass(frozen=True, slots=True)
class EpisodeQuery:
    """Which episodes, newest first (in progress: the last heard first). `text` filters titles by folded text."""

    view: View = View.ALL
    podcast_id: PodcastId | None = None
    text: str = ""
    unplayed: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ViewCounts:
    """How many episodes stand in each view; those in progress are all unplayed."""

    all: int = 0
    in_progress: int = 0
    starred: int = 0
    starred_unplayed: int = 0


@dataclass(frozen=True, slots=True)
class Anchor:
    """What sounds at `position_ms` stands at `byte` of a file of `size` bytes.

    `exact`: the position is known. Else it was guessed, and only the byte tells where the listener was.
    """

    position_ms: int
    byte: int
    size: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where a listener stopped in an episode, and when; `anchor` where its position alone would not find it again."""

    position_ms: int
    saved_at: datetime
    anchor: Anchor | None = None


@dataclass(frozen=True, slots=True)
class Chapter:
    """`end_ms` only where its source says it; `hidden` ones (`toc: false`) are in no list and count for what is shown
    while they play. `url` is its link."""

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


@dataclass(frozen=True, slots=True)
class Chapters:
    """An episode's chapters in their order, hidden ones too; `source` is None when it has none."""

    items: tuple[Chapter, ...] = ()
    source: ChapterSource | None = None

    @property
    def listed(self) -> tuple[Chapter, ...]:
        """Those for a list of contents."""
        return tuple(one for one in self.items if not one.hidden)

    def at(self, position_ms: int) -> Chapter | None:
        """The one that plays there; None before the first, after an end, and where there are none.

        A hidden one stands in the middle of another, which goes on when it has ended.
        """
        place = bisect_right(self.items, position_ms, key=lambda one: one.start_ms)
        for found in reversed(self.items[:place]):
            if found.end_ms is None or position_ms < found.end_ms:
                return found
            if not found.hidden:
                break
        return None

    def end_of(self, chapter: Chapter, duration_ms: int | None) -> int | None:
        """Where it ends: as its source says, else where the next one begins, at last with the episode."""
        if chapter.end_ms is not None:
            return chapter.end_ms
        later = (one.start_ms for one in self.items if one.start_ms > chapter.start_ms and not one.hidden)
        return next(later, duration_ms)


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """What is said from `start_ms` on; both times are None in a transcript without times. `speaker` may be ""."""

    text: str
    start_ms: int | None = None
    end_ms: int | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """Lines in their order; `language` is a tag such as `en`, or ""."""

    lines: tuple[TranscriptLine, ...] = ()
    language: str = ""

    @property
    def timed(self) -> bool:
        return any(line.start_ms is not None for line in self.lines)

    def at(self, position_ms: int) -> int | None:
        """The place of the line that is heard there, or was heard last; None before the first."""
        place = bisect_right(self.lines, position_ms, key=lambda one: one.start_ms or 0) - 1
        return place if place >= 0 and self.timed else None


@dataclass(frozen=True, slots=True)
class Person:
    """Who is heard, or made it (`podcast:person`): `role` is `host`, `guest` ..., `group` `cast` ..."""

    name: str
    role: str = "host"
    group: str = "cast"
    url: str = ""
    image_url: str = ""


@dataclass(frozen=True, slots=True)
class Funding:
    """Where listeners give something (`podcast:funding`)."""

    url: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Soundbite:
    """A piece that the publisher picked out (`podcast:soundbite`); `title` may be ""."""

    start_ms: int
    duration_ms: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class TranscriptRef:
    """Where a transcript is to be had (`podcast:transcript`)."""

    url: str
    media_type: str = ""
    language: str = ""


# -- what a feed says -----------------------------------------------------------------------------------------


class FeedEpisode(NamedTuple):
    """An item of a feed that has something to hear. Every text is cleaned; `notes` is the feed's HTML or plain text.

    `guid` is "" where the feed gives none. `extra` is a JSON object with all else that it says, keys in order; "" for
    nothing. `fingerprint` is a short hash of all the others, which `signed` sets: the same as long as the feed says the
    same. A tuple, as fifty thousand of them come from other processes at once.
    """

    guid: str
    title: str
    url: str
    media_type: str = ""
    size: int | None = None
    link: str = ""
    published: datetime | None = None
    duration_ms: int | None = None
    notes: str = ""
    image_url: str = ""
    season: int | None = None
    number: str = ""
    explicit: bool = False
    chapters_url: str = ""
    transcripts: tuple[TranscriptRef, ...] = ()
    extra: str = ""
    fingerprint: str = ""

    def signed(self) -> "FeedEpisode":
        """The same with its fingerprint."""
        return signed(*self[:-1])


def signed(
    guid: str,
    title: str,
    url: str,
    media_type: str,
    size: int | None,
    link: str,
    published: datetime | None,
    duration_ms: int | None,
    notes: str,
    image_url: str,
    season: int | None,
    number: str,
    explicit: bool,
    chapters_url: str,
    transcripts: tuple[TranscriptRef, ...],
    extra: str,
) -> FeedEpisode:
    """An episode with its fingerprint, in less than half the time of making one and signing it: an import makes fifty
    thousand. The fingerprint's text never changes its form: every episode of every library would be written anew."""
    said = (
        f"{guid}\0{title}\0{url}\0{media_type}\0{size!s}\0{link}\0{published.isoformat(' ') if published else None!s}\0"
        f"{duration_ms!s}\0{notes}\0{image_url}\0{season!s}\0{number}\0{explicit!s}\0{chapters_url}\0{transcripts!s}\0"
        f"{extra}"
    )
    fingerprint = blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return tuple.__new__(
        FeedEpisode,
        (
            guid, title, url, media_type, size, link, published, duration_ms, notes, image_url, season, number,
            explicit, chapters_url, transcripts, extra, fingerprint,
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Feed:
    """What both readers make of a feed's bytes. Episodes stand in the feed's order; `extra` is as an episode's.

    `next_page` is where a paged feed goes on (RFC 5005).
    """

    title: str
    author: str = ""
    description: str = ""
    link: str = ""
    image_url: str = ""
    language: str = ""
    new_url: str = ""
    next_page: str = ""
    extra: str = ""
    episodes: tuple[FeedEpisode, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownEpisode:
    """What tells whether an item of a feed is an episode that the library has."""

    id: EpisodeId
    guid: str
    url: str
    title: str
    published: datetime | None
    duration_ms: int | None
    fingerprint: str
    """`FeedEpisode.fingerprint` of what the feed last said of it, so that an unchanged item costs no write."""


@dataclass(frozen=True, slots=True)
class Merge:
    """The decision: what to write so that the library holds what the feed says. Nothing is ever dropped."""

    new: tuple[FeedEpisode, ...] = ()
    changed: tuple[tuple[EpisodeId, FeedEpisode], ...] = ()
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class FeedState:
    """What a conditional GET needs to know about the last one."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """The last time a feed was asked, and what follows from the answer for the next.

    Nobody is asked before `due_at` unless the listener wants it, nor before `held_until` whoever wants it: the server
    asked for that pause. `failures` are those in a row. A `gone` feed (410) is asked only when the listener wants it.
    `digest` is of the last body, so that the same one need not be read again. `archive` is the page of a paged feed
    that comes next; once all were read the feed is `archived`.
    """

    checked_at: datetime | None = None
    due_at: datetime | None = None
    held_until: datetime | None = None
    failures: int = 0
    gone: bool = False
    digest: str = ""
    archive: str = ""
    archived: bool = False


# -- playback -------------------------------------------------------------------------------------------------


class PlaybackState(StrEnum):
    """The states of the contract, as `status` names them."""

    STOPPED = "stopped"
    OPENING = "opening"
    PLAYING = "playing"
    PAUSED = "paused"
    BUFFERING = "buffering"
    ENDED = "ended"
    ERROR = "error"


class Severity(Enum):
    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class PlaybackStatus:
    """Everything the bar, `status` and a remote control show.

    `position_ms` was true at `measured_at` (time.monotonic, seconds). `kept` are the parts of the file at hand, as
    (from, to) fractions of it. `error` is a whole sentence for the user, in state ERROR; `waiting` is one in state
    BUFFERING, where it is known why no bytes come. `live`: a stream, in which there is no place to keep.
    """

    state: PlaybackState = PlaybackState.STOPPED
    episode: Episode | None = None
    position_ms: int = 0
    duration_ms: int | None = None
    approximate: bool = False
    speed: float = 1.0
    volume: int = 100
    kept: tuple[tuple[float, float], ...] = ()
    error: str | None = None
    waiting: str | None = None
    live: bool = False
    measured_at: float = 0.0

    @property
    def buffered_ms(self) -> int:
        """How far, from the start of the episode, the bytes at hand reach without a gap from the place."""
        if not self.duration_ms:
            return self.position_ms
        place = self.position_ms / self.duration_ms
        ends = (end for start, end in self.kept if start <= place <= end)
        return max(self.position_ms, int(max(ends, default=0.0) * self.duration_ms))

    def at(self, now: float) -> "PlaybackStatus":
        """The status with its position carried forward to `now` (time.monotonic, seconds)."""
        if self.state is not PlaybackState.PLAYING:
            return self
        place = self.position_ms + int(max(0.0, now - self.measured_at) * 1000 * self.speed)
        if self.duration_ms is not None:
            place = min(place, max(self.position_ms, self.duration_ms))
        return replace(self, position_ms=place, measured_at=now)

"""Listening: what was heard and when, bookmarks, and the acts that can be undone."""

from collections.abc import Iterable
from datetime import date, datetime
from enum import StrEnum
from typing import NewType

from msgspec import Struct

from player.model.episode import EpisodeId
from player.model.podcast import PodcastId

LONGEST_SPAN_MS = 1_000_000_000
"""Eleven days of an episode: nobody hears more in one go, so a longer span is damaged."""


class ListeningSpan(Struct, frozen=True):
    """A piece of an episode that was heard in one go: without a jump, a pause or another speed in between.

    `began_at` is in UTC; with the episode it names the span. `speed` is a factor.
    """

    episode_id: EpisodeId
    from_ms: int
    to_ms: int
    began_at: datetime
    speed: float = 1.0

    @property
    def content_ms(self) -> int:
        """How much of the episode was heard."""
        return max(0, self.to_ms - self.from_ms)

    @property
    def real_ms(self) -> int:
        """How long the listener took to hear it."""
        return round(self.content_ms / self.speed)


class ListeningDay(Struct, frozen=True):
    """`real_ms` is the listener's time, `content_ms` the episodes' time: at twice the speed twice as much."""

    day: date
    real_ms: int
    content_ms: int


def latest_spans(spans: Iterable[ListeningSpan]) -> tuple[ListeningSpan, ...]:
    """The last version of each span, in the order in which the spans first appear."""
    return tuple({(span.episode_id, span.began_at): span for span in spans}.values())


BookmarkId = NewType("BookmarkId", int)


class Moment(Struct, frozen=True):
    """A moment that is bookmarked. `line` is what the transcript says there; chapter, line and note may be "". A clip
    has a length."""

    position_ms: int
    chapter: str = ""
    line: str = ""
    note: str = ""
    length_ms: int = 0


class Bookmark(Struct, frozen=True):
    """`episode` and `podcast` are titles. `link` is the episode's page, else its audio, else "". `length_ms` is a
    clip's; 0 for a moment.

    `episode_id` is None once the episode is no longer in the library; the rest stays as it was.
    """

    id: BookmarkId
    episode_id: EpisodeId | None
    position_ms: int
    created_at: datetime
    chapter: str
    line: str
    note: str
    episode: str
    podcast: str
    link: str
    length_ms: int = 0

    @property
    def end_ms(self) -> int:
        return self.position_ms + self.length_ms

    @property
    def text(self) -> str:
        """The bookmark's text in one line: the note, else the line, else the chapter."""
        return self.note or self.line or self.chapter


TEMPLATE_FIELDS = ("date", "time", "moment", "length", "episode", "podcast", "chapter", "line", "note", "link")
"""What a template of Markdown can hold, in braces."""
TEMPLATE = "- {moment} {episode} ({podcast})\n  - {chapter}\n  - {note}\n  - “{line}”"


class ActKind(StrEnum):
    """The values are kept in the library."""

    PLAYED = "played"
    UNPLAYED = "unplayed"
    STARRED = "starred"
    UNSTARRED = "unstarred"
    QUEUED = "queued"
    QUEUED_NEXT = "queued_next"
    UNQUEUED = "unqueued"
    MOVED = "moved"
    SORTED = "sorted"
    SHUFFLED = "shuffled"
    MIXED = "mixed"
    CLEARED = "cleared"
    SKIPPED = "skipped"
    DISMISSED = "dismissed"
    UNSUBSCRIBED = "unsubscribed"
    BOOKMARKED = "bookmarked"
    BOOKMARK_DELETED = "bookmark_deleted"
    SEGMENT_MARKED = "segment_marked"
    SEGMENT_CHANGED = "segment_changed"
    SEGMENT_DELETED = "segment_deleted"
    TAGGED = "tagged"
    RENAMED = "renamed"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    IMPORTED = "imported"
    SYNCED = "synced"
    """By the first merge with the state of other devices."""
    DOWNLOADS_DELETED = "downloads_deleted"
    """By a clean-up."""


class Part(StrEnum):
    """The parts of an episode or a podcast that an act changes. Bookmarks and segments are changed by separate acts,
    because their episodes may be gone."""

    PLAYED = "played"
    STARRED = "starred"
    QUEUE = "queue"
    INBOX = "inbox"
    POSITION = "position"
    BOOKMARKS = "bookmarks"
    SEGMENTS = "segments"
    TAGS = "tags"
    TITLE = "title"
    PIN = "pin"
    DOWNLOADS = "downloads"


OF_PODCASTS = frozenset({Part.TAGS, Part.TITLE, Part.PIN})
"""The parts that are a podcast's."""


class Act(Struct, frozen=True):
    """`title` is that of the episode or podcast that was changed, the first of `count`."""

    id: int
    kind: ActKind
    title: str
    count: int
    at: datetime


class Reverted(Struct, frozen=True):
    """An act that was undone or redone, and its effects. `podcast_id` is the podcast that is back, or gone again;
    `replaced` is the podcast that it replaced. `arranged` are podcasts whose tags, title or pin have changed.
    `together` are the other podcasts that came or went with it."""

    act: Act
    episode_ids: tuple[EpisodeId, ...]
    parts: frozenset[Part]
    is_undone: bool
    podcast_id: PodcastId | None = None
    replaced: PodcastId | None = None
    arranged: tuple[PodcastId, ...] = ()
    together: tuple["Reverted", ...] = ()

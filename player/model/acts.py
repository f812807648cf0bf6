"""What a listener did with episodes and podcasts, and can take back."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from player.model.episode import EpisodeId
from player.model.podcast import PodcastId


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
    TAGGED = "tagged"
    RENAMED = "renamed"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    IMPORTED = "imported"
    SYNCED = "synced"
    """By the first merge with what other devices have."""
    DOWNLOADS_DELETED = "downloads_deleted"
    """By a clean-up."""


class Part(StrEnum):
    """What an act changes of an episode or a podcast. Bookmarks are changed by acts of their own: episodes may be
    gone."""

    PLAYED = "played"
    STARRED = "starred"
    QUEUE = "queue"
    INBOX = "inbox"
    POSITION = "position"
    BOOKMARKS = "bookmarks"
    TAGS = "tags"
    TITLE = "title"
    PIN = "pin"
    DOWNLOADS = "downloads"


OF_PODCASTS = frozenset({Part.TAGS, Part.TITLE, Part.PIN})
"""The parts that are a podcast's."""


class Act(Struct, frozen=True):
    """`title` is that of the episode or podcast that it was done to, the first of `count`."""

    id: int
    kind: ActKind
    title: str
    count: int
    at: datetime


class Reverted(Struct, frozen=True):
    """An act that was undone or redone, and what has changed by that. `podcast_id` is the podcast that is back, or gone
    again; `replaced` the one in whose place it came. `arranged` are podcasts with other tags, another title or pin.
    `together`: the other podcasts that came or went with it."""

    act: Act
    episode_ids: tuple[EpisodeId, ...]
    parts: frozenset[Part]
    is_undone: bool
    podcast_id: PodcastId | None = None
    replaced: PodcastId | None = None
    arranged: tuple[PodcastId, ...] = ()
    together: tuple["Reverted", ...] = ()

"""What download rules know of a library. Sizes are bytes, times ms since 1970 in UTC."""

from enum import StrEnum

from msgspec import Struct

from player.model.episode import EpisodeId
from player.model.podcast import PodcastId


class Source(StrEnum):
    """Where a rule's episodes come from. The values are kept in the library."""

    QUEUE = "queue"
    LIST = "list"
    INBOX = "inbox"
    PODCAST = "podcast"


class Rule(Struct, frozen=True):
    """Downloads the first `most` episodes of its source: of a podcast and of the inbox the newest, of a list or the
    queue those that come first. `number` is the id of the podcast or list, `title` its title."""

    source: Source
    most: int
    number: int = 0
    title: str = ""

    @property
    def key(self) -> str:
        """What the library calls it: `queue`, `podcast:3`, `list:7`."""
        return f"{self.source}:{self.number}" if self.number else self.source.value


class Candidate(Struct, frozen=True):
    """An episode that a rule may want. `size` is what the feed says about its file; None if it says nothing."""

    episode_id: EpisodeId
    podcast_id: PodcastId
    title: str
    sort: int
    size: int | None = None
    duration_ms: int | None = None
    played: bool = False


class Offer(Struct, frozen=True):
    """A rule and the first episodes of its source, in its order: more than it wants, where some may not pass."""

    rule: Rule
    candidates: tuple[Candidate, ...]


class Protection(StrEnum):
    """What keeps a download: none of these is ever deleted by a rule."""

    MANUAL = "manual"
    PLAYING = "playing"
    STARRED = "starred"
    QUEUED = "queued"
    IN_PROGRESS = "in progress"


class Stored(Struct, frozen=True):
    """A download. `rule` is the key of the rule that began it, "" for one by hand. `played_at`: None if unplayed."""

    episode_id: EpisodeId
    size: int
    at: int
    rule: str = ""
    played_at: int | None = None
    protection: Protection | None = None


class Trashed(Struct, frozen=True):
    """A file that a clean-up has moved aside."""

    episode_id: EpisodeId
    size: int
    at: int


class Refusal(StrEnum):
    """Why no rule downloads an episode again. The values are kept in the library."""

    DELETED = "deleted"
    """The listener deleted or cancelled it."""
    FAILED = "failed"
    """It can't be downloaded."""
    CLEANED = "cleaned"
    """A clean-up deleted it in time. The queue may bring it back."""


class Coming(Struct, frozen=True):
    """A download that waits or is under way. `left` is what will still be written to the disk. `is_held`: the listener
    has paused it, or it waits for another attempt, so that others needn't wait for it."""

    episode_id: EpisodeId
    size: int
    left: int
    rule: str = ""
    is_held: bool = False

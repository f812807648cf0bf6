"""What a feed contains, how it is merged with the library, and how its checks went."""

from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from player.model.episode import EpisodeId, LiveState, TranscriptRef

# -- what a feed says -----------------------------------------------------------------------------------------


class FeedEpisode(NamedTuple):
    """An item of a feed that has something to hear. Every text is cleaned; `notes` is the feed's HTML or plain text.

    `guid` is "" if the feed gives none. `extra` is a JSON object with everything else in the item, keys in order; ""
    for nothing. `fingerprint` is a short hash of all other fields, set by `signed`: it stays the same as long as the
    item does. A tuple, because fifty thousand of them come from other processes at once.
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
        """The same episode with its fingerprint."""
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
    """An episode with its fingerprint, in less than half the time of creating and then signing it: an import creates
    fifty thousand. The text that is hashed must never change its form, or every episode of every library would be
    written again."""
    from hashlib import blake2b  # loads OpenSSL, 3 ms, which a start of the app doesn't need

    content = (
        f"{guid}\0{title}\0{url}\0{media_type}\0{size!s}\0{link}\0{published.isoformat(' ') if published else None!s}\0"
        f"{duration_ms!s}\0{notes}\0{image_url}\0{season!s}\0{number}\0{explicit!s}\0{chapters_url}\0{transcripts!s}\0"
        f"{extra}"
    )
    fingerprint = blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return tuple.__new__(
        FeedEpisode,
        (
            guid, title, url, media_type, size, link, published, duration_ms, notes, image_url, season, number,
            explicit, chapters_url, transcripts, extra, fingerprint,
        ),
    )  # fmt: skip


class LiveShow(NamedTuple):
    """A show that is or will be streamed (`podcast:liveItem`). `episode` is the show as an episode, published when it
    begins; `ends_at` is when it is to end."""

    episode: FeedEpisode
    state: LiveState
    starts_at: datetime | None = None
    ends_at: datetime | None = None


class Feed(Struct, frozen=True):
    """The result of both parsers. Episodes are in the feed's order; `extra` is like an episode's.

    `next_page` is the next page of a paged feed (RFC 5005). `is_ordered`: the episodes are in listening order, first
    one first, whatever their dates. `is_whole`: there are no other episodes, as in a folder, while feeds drop old
    episodes.
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
    is_ordered: bool = False
    is_whole: bool = False
    live: tuple[LiveShow, ...] = ()


class KnownEpisode(Struct, frozen=True):
    """The fields that decide whether an item of a feed is an episode of the library."""

    id: EpisodeId
    guid: str
    url: str
    title: str
    published: datetime | None
    duration_ms: int | None
    fingerprint: str
    """`FeedEpisode.fingerprint` of the item when it was last read, so that an unchanged item needn't be written."""


class Merge(Struct, frozen=True):
    """The decision: what to write so that the library matches the feed.

    `gone` episodes are no longer in a feed that always lists all of its episodes. Only episodes that the listener has
    never touched are dropped.
    """

    new: tuple[FeedEpisode, ...] = ()
    changed: tuple[tuple[EpisodeId, FeedEpisode], ...] = ()
    unchanged: int = 0
    gone: tuple[EpisodeId, ...] = ()


class FeedState(Struct, frozen=True):
    """What a conditional GET needs to know about the previous response."""

    etag: str = ""
    last_modified: str = ""


class FeedSchedule(Struct, frozen=True):
    """When a feed was last checked, and what follows from the response for the next check.

    Before `due_at` a feed is only checked for the listener, and before `held_until` for nobody: the server asked for
    that pause. `failures` is how many have happened in a row. A `gone` feed (410) is only checked for the listener.
    `digest` is the hash of the last body, so that an identical body needn't be parsed again. `archive` is the next page
    of a paged feed to read; once all pages were read the feed is `archived`.
    """

    checked_at: datetime | None = None
    due_at: datetime | None = None
    held_until: datetime | None = None
    failures: int = 0
    gone: bool = False
    digest: str = ""
    archive: str = ""
    archived: bool = False

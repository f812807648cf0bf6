"""What a feed says, how it is merged with what is known, and how its checks went."""

from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from player.model.episode import EpisodeId, TranscriptRef

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
    from hashlib import blake2b  # loads OpenSSL, 3 ms, which a start of the app has no use for

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


class Feed(Struct, frozen=True):
    """What both readers make of a feed's bytes. Episodes stand in the feed's order; `extra` is as an episode's.

    `next_page` is where a paged feed goes on (RFC 5005). `is_ordered`: the episodes stand as they are to be heard, the
    first one first, whatever their dates. `is_whole`: there are no others, as in a folder; feeds drop old ones.
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


class KnownEpisode(Struct, frozen=True):
    """What tells whether an item of a feed is an episode that the library has."""

    id: EpisodeId
    guid: str
    url: str
    title: str
    published: datetime | None
    duration_ms: int | None
    fingerprint: str
    """`FeedEpisode.fingerprint` of what the feed last said of it, so that an unchanged item costs no write."""


class Merge(Struct, frozen=True):
    """The decision: what to write so that the library holds what the feed says.

    `gone` are no longer in a feed that names all it has. Only those are dropped that the listener never touched.
    """

    new: tuple[FeedEpisode, ...] = ()
    changed: tuple[tuple[EpisodeId, FeedEpisode], ...] = ()
    unchanged: int = 0
    gone: tuple[EpisodeId, ...] = ()


class FeedState(Struct, frozen=True):
    """What a conditional GET needs to know about the last one."""

    etag: str = ""
    last_modified: str = ""


class FeedSchedule(Struct, frozen=True):
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

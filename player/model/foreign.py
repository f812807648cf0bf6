"""What another app knows about podcasts and episodes, or another Earmark that has exported its library. None of it is
in this library yet.

Lengths and positions are in ms, moments in UTC. An export of Earmark has podcasts, episodes and bookmarks as they are
here, and what has its default is left out of it: docs/export.md describes them, and a field is added, never renamed.
"""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from player.model.listening import LONGEST_SPAN_MS
from player.model.playback import SLOWEST
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.model.segments import SegmentKind

Moment = Annotated[datetime, Meta(tz=True)]
Ms = Annotated[int, Meta(ge=0, le=LONGEST_SPAN_MS)]
Whole = Annotated[int, Meta(ge=0, lt=2**53)]
Rank = Annotated[int, Meta(gt=-(2**53), lt=2**53)]
Speed = Annotated[float, Meta(ge=SLOWEST, le=100)]


class HeardSpan(Struct, frozen=True, omit_defaults=True):
    """A piece of an episode that was heard in one go, from `began_at` on; `speed` is a factor."""

    from_ms: Ms
    to_ms: Ms
    began_at: Moment
    speed: Speed = 1.0


class SavedAt(Struct, frozen=True, omit_defaults=True):
    """Where the listener stopped, and when: None if the app has no time for the position itself, only for the episode.
    `byte` in a file of `file_size` bytes; `guessed`: its position in the episode is an estimate."""

    position_ms: Ms
    saved_at: Moment | None = None
    byte: Whole | None = None
    file_size: Whole | None = None
    guessed: bool = False


class Queued(Struct, frozen=True, omit_defaults=True):
    """The rank in the queue, lowest first, and since when; None if the app doesn't say."""

    rank: Rank
    added_at: Moment | None = None


class Kept(Struct, frozen=True, omit_defaults=True):
    """A bookmark; a clip has a length. If its episode is in the export, `episode`, `podcast` and `link` are given only
    if they differ from the episode's; otherwise `feed` and `guid` say which episode it was."""

    position_ms: Ms
    created_at: Moment | None = None
    note: str = ""
    chapter: str = ""
    line: str = ""
    episode: str = ""
    podcast: str = ""
    link: str = ""
    feed: str = ""
    guid: str = ""
    length_ms: Ms = 0


class MarkedSegment(Struct, frozen=True):
    """A segment that the listener has marked."""

    kind: SegmentKind
    start_ms: Ms
    end_ms: Ms
    created_at: Moment


class ForeignEpisode(Struct, frozen=True, omit_defaults=True):
    """An episode that the listener has done something with in another app; an export also has the newest episodes, to
    say that they aren't new.

    `guid`, `url` (the enclosure), or `title` with `published` find the episode here. `changed_at` is when its mark or
    position last changed, None if the app doesn't say. Only exports have the fields after `heard`: `listed_at` is its
    place in lists, if that isn't its date; `inbox` is since when it has been there; `playlists` are the titles of the
    playlists that it is in, with its rank. `duration_ms` is the feed's duration, `measured_ms` the measured one.
    """

    guid: str = ""
    url: str = ""
    title: str = ""
    published: Moment | None = None
    duration_ms: Whole | None = None
    played: bool = False
    position: SavedAt | None = None
    changed_at: Moment | None = None
    starred: bool = False
    queued: Queued | None = None
    heard: tuple[HeardSpan, ...] = ()
    listed_at: Moment | None = None
    link: str = ""
    media_type: str = ""
    measured_ms: Whole | None = None
    inbox: Moment | None = None
    playlists: dict[str, Rank] | None = None
    bookmarks: tuple[Kept, ...] = ()
    segments: tuple[MarkedSegment, ...] = ()

    def __hash__(self) -> int:
        return hash((self.guid, self.url, self.title, self.published))

    @property
    def is_touched(self) -> bool:
        """Whether the listener has done something with it in the other app."""
        return self.played or self.starred or bool(self.position or self.queued or self.heard)


def position_of(ms: int) -> SavedAt | None:
    """A position as other apps store it: 0 means none."""
    return SavedAt(ms) if ms else None


def queued_at(rank: int | None) -> Queued | None:
    """A place in the queue as other apps store it."""
    return None if rank is None else Queued(rank)


class ForeignPodcast(Struct, frozen=True, omit_defaults=True):
    """`url` is the feed's address as the app has it, perhaps with a name and password, which `login` may be instead.

    `title` is the feed's, `own_title` one that the listener gave it. `settings` has what the app's settings mean here;
    whatever it doesn't set stays `AS_ALL`'s. `subscribed`: False for one that was only tried, or is archived; what is
    known of its episodes comes only if there is a subscription here. Of an export, it is False for a preview.

    Only exports have what comes after `bookmarks`: `link` is its web page; `continues` is "newest" or "oldest" where
    its list plays on in that order.
    """

    url: str
    title: str = ""
    own_title: str = ""
    tags: tuple[str, ...] = ()
    settings: PodcastSettings = AS_ALL
    login: tuple[str, str] | None = None
    subscribed: bool = True
    episodes: tuple[ForeignEpisode, ...] = ()
    bookmarks: tuple[Kept, ...] = ()
    link: str = ""
    pinned: bool = False
    continues: str = ""


class ForeignList(Struct, frozen=True, omit_defaults=True):
    """A list that the listener made. `feeds` and `episodes` name podcasts by the `url` that `ForeignLibrary` has.

    With `is_smart` it has all unplayed episodes of its `feeds`, or of all podcasts where there are none, in this
    `order`; else the `episodes`, each with its podcast, in the order in which they stand or in this one.

    Of an export, a smart list has a `query`, and the episodes of a playlist name it. Only exports have what comes after
    `order`; `downloads`: that many of its first episodes are downloaded by rules.
    """

    title: str
    is_smart: bool = False
    feeds: tuple[str, ...] = ()
    episodes: tuple[tuple[str, ForeignEpisode], ...] = ()
    query: str | None = None
    order: str = ""
    hide_played: bool = False
    continues: str = ""
    downloads: Rank | None = None


class ForeignLibrary(Struct, frozen=True):
    """`app` is the other program's name, `version` that of its file's format, "" if it doesn't say.

    `left_out` says what can't be taken over, and what couldn't be read, in whole sentences.
    """

    app: str
    version: str = ""
    podcasts: tuple[ForeignPodcast, ...] = ()
    left_out: tuple[str, ...] = ()
    lists: tuple[ForeignList, ...] = ()


class ExportedView(Struct, frozen=True, omit_defaults=True):
    """How one of Earmark's own lists is shown. `view` is its key: `all`, `queue`, `tag work`."""

    view: str
    order: str = ""
    hide_played: bool = False
    continues: str = ""


class RemovedEpisode(Struct, frozen=True, omit_defaults=True):
    """What was heard of an episode that is no longer in the library."""

    episode: str = ""
    podcast: str = ""
    duration_ms: Whole | None = None
    heard: tuple[HeardSpan, ...] = ()

"""The entries of an export. docs/export.md describes them; a field is added, never renamed.

Lengths and positions are in ms, moments in UTC. What has its default is left out of the file.
"""

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from player.model.listening import LONGEST_SPAN_MS
from player.model.playback import SLOWEST

Moment = Annotated[datetime, Meta(tz=True)]
Ms = Annotated[int, Meta(ge=0, le=LONGEST_SPAN_MS)]
Whole = Annotated[int, Meta(ge=0, lt=2**53)]
Rank = Annotated[int, Meta(gt=-(2**53), lt=2**53)]
Speed = Annotated[float, Meta(ge=SLOWEST, le=100)]


class SavedAt(Struct, frozen=True, omit_defaults=True):
    """Where the listener stopped, and when. `byte` of a file of `file_size` bytes; `guessed`: its place in the episode
    is an estimate."""

    position_ms: Ms
    saved_at: Moment
    byte: Whole | None = None
    file_size: Whole | None = None
    guessed: bool = False


class Heard(Struct, frozen=True, omit_defaults=True):
    """A piece of an episode that was heard in one go. `speed` is a factor."""

    from_ms: Ms
    to_ms: Ms
    began_at: Moment
    speed: Speed = 1.0


class Kept(Struct, frozen=True, omit_defaults=True):
    """A bookmark. Of an episode that is in the export, `episode`, `podcast` and `link` are given where they differ from
    the episode's; of any other, `feed` and `guid` say which one it was."""

    position_ms: Ms
    created_at: Moment
    note: str = ""
    chapter: str = ""
    line: str = ""
    episode: str = ""
    podcast: str = ""
    link: str = ""
    feed: str = ""
    guid: str = ""


class Queued(Struct, frozen=True, omit_defaults=True):
    rank: Rank
    added_at: Moment


class ExportedEpisode(Struct, frozen=True, omit_defaults=True):
    """An episode that the listener has done something with, or one of the newest, which are known not to be new.

    `url` is the enclosure's address. `listed_at` is its place in lists, where that isn't its date. `inbox`: since
    when it waits there. `playlists`: the titles of those that it is in, with its rank. `duration_ms` is what the feed
    says, `measured_ms` what was measured.
    """

    guid: str = ""
    url: str = ""
    title: str = ""
    published: Moment | None = None
    listed_at: Moment | None = None
    link: str = ""
    media_type: str = ""
    duration_ms: Whole | None = None
    measured_ms: Whole | None = None
    played: bool = False
    starred: bool = False
    position: SavedAt | None = None
    queued: Queued | None = None
    inbox: Moment | None = None
    playlists: dict[str, Rank] = {}
    bookmarks: tuple[Kept, ...] = ()
    heard: tuple[Heard, ...] = ()


class ExportedPodcast(Struct, frozen=True, omit_defaults=True):
    """A podcast; one that isn't `subscribed` was previewed, and something of it heard. `title` is the feed's.

    `settings` has what was set for it, by the names that `player.model.podcast_settings` has; `continues` is "newest"
    or "oldest" where its list plays on in that order.
    """

    url: str
    subscribed: bool = True
    title: str = ""
    own_title: str = ""
    link: str = ""
    tags: tuple[str, ...] = ()
    pinned: bool = False
    settings: dict[str, Any] = {}
    continues: str = ""
    episodes: tuple[ExportedEpisode, ...] = ()


class ExportedList(Struct, frozen=True, omit_defaults=True):
    """A list of the listener's: a smart list has a `query`; the episodes of a playlist name it. `downloads`: that many
    of its first episodes are downloaded by rules."""

    title: str
    query: str | None = None
    order: str = ""
    hide_played: bool = False
    continues: str = ""
    downloads: Rank | None = None


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
    heard: tuple[Heard, ...] = ()

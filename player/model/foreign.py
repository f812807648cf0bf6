"""What was read from another app's file. Nothing of it is in the library yet."""

from datetime import datetime

from msgspec import Struct

from player.model.filters import Order
from player.model.podcast_settings import AS_ALL, PodcastSettings


class HeardSpan(Struct, frozen=True):
    """A piece of an episode that was heard in one go, from `began_at` (UTC) on; `speed` is a factor."""

    from_ms: int
    to_ms: int
    began_at: datetime
    speed: float = 1.0


class ForeignEpisode(Struct, frozen=True):
    """Only episodes that the listener has done something with need to be named. Moments are in UTC.

    `guid`, `url` (the enclosure), or `title` with `published` find the episode here. `changed_at` is when its mark or
    position last changed, None if the app doesn't say. `queued` is its rank in the queue, lowest first; None: it isn't
    in the queue. `position_ms` 0 is no position.
    """

    guid: str = ""
    url: str = ""
    title: str = ""
    published: datetime | None = None
    duration_ms: int | None = None
    played: bool = False
    position_ms: int = 0
    changed_at: datetime | None = None
    starred: bool = False
    queued: int | None = None
    heard: tuple[HeardSpan, ...] = ()


class ForeignBookmark(Struct, frozen=True):
    """A moment of an episode that the listener has kept. Its guid finds the episode; `episode` is its title."""

    guid: str
    position_ms: int
    created_at: datetime | None = None
    note: str = ""
    episode: str = ""
    link: str = ""


class ForeignPodcast(Struct, frozen=True):
    """`url` is the feed's address as the app has it, perhaps with a name and password, which `login` may be instead.

    `title` is the feed's, `own_title` one that the listener gave it. `settings` has what the app's settings mean here;
    whatever it doesn't set stays `AS_ALL`'s. `subscribed`: False for one that was only tried, or is archived; what is
    known of its episodes comes only if there is a subscription here.
    """

    url: str
    title: str = ""
    own_title: str = ""
    tags: tuple[str, ...] = ()
    settings: PodcastSettings = AS_ALL
    login: tuple[str, str] | None = None
    subscribed: bool = True
    episodes: tuple[ForeignEpisode, ...] = ()
    bookmarks: tuple[ForeignBookmark, ...] = ()


class ForeignList(Struct, frozen=True):
    """A list that the listener made. `feeds` and `episodes` name podcasts by the `url` that `ForeignLibrary` has.

    With `is_smart` it has all unplayed episodes of its `feeds`, or of all podcasts where there are none, in this
    `order`; else the `episodes`, each with its podcast, in the order in which they stand or in this one.
    """

    title: str
    is_smart: bool = False
    feeds: tuple[str, ...] = ()
    episodes: tuple[tuple[str, ForeignEpisode], ...] = ()
    order: Order = Order.OWN


class ForeignLibrary(Struct, frozen=True):
    """`app` is the other program's name, `version` that of its file's format, "" if it doesn't say.

    `left_out` says what can't be brought, and what couldn't be read: whole sentences.
    """

    app: str
    version: str = ""
    podcasts: tuple[ForeignPodcast, ...] = ()
    left_out: tuple[str, ...] = ()
    lists: tuple[ForeignList, ...] = ()

"""Which episodes a list has, and in which order: one filter for lists, search and commands."""

from collections.abc import Iterable
from datetime import date
from enum import StrEnum
from typing import NewType, Self

from msgspec import Struct
from msgspec.structs import replace

from player.model.episode import EpisodeId
from player.model.podcast import PodcastId

ListId = NewType("ListId", int)


class SavedList(Struct, frozen=True):
    """A list that the listener made. `query` is the search that a smart list saves; None for a playlist, put together
    by hand."""

    id: ListId
    title: str
    query: str | None = None

    @property
    def is_playlist(self) -> bool:
        return self.query is None


class State(StrEnum):
    """The state of an episode for the listener. The values are the words after `is:` in a search."""

    UNPLAYED = "unplayed"
    PLAYED = "played"
    STARRED = "starred"
    IN_PROGRESS = "in-progress"
    DOWNLOADED = "downloaded"
    QUEUED = "queued"
    NEW = "new"
    """It is in the inbox."""


class Term(Struct, frozen=True):
    """Consecutive words, folded. `beginning`: the last word may be the beginning of one. `left_out`: the words must not
    occur. `said`: only transcripts count."""

    words: tuple[str, ...]
    beginning: bool = False
    left_out: bool = False
    said: bool = False


class EpisodeFilter(Struct, frozen=True):
    """Which episodes. All given conditions must hold; a filter without conditions matches every episode.

    `terms` occur in titles and notes, or in titles, notes and transcripts together. `speakers` means any of them: that
    speaker says all the terms, or anything if there are none. `in_transcripts`: there is a transcript. Each word of
    `title` is part of the title, each of `names` part of the title or of the podcast's name. `podcasts` means any of
    them; so do `podcast_titles`, parts of podcasts' titles, and `tags` of podcasts, without regard to case. `after` and
    `before` are days (UTC): published from its first moment on, or before it. Lengths are in ms; an episode whose
    length is unknown is neither long nor short. `here`: episodes that can be played without a network, which are
    downloads, episodes that never came from a network, and the episodes in `here`.
    """

    terms: tuple[Term, ...] = ()
    speakers: tuple[Term, ...] = ()
    title: str = ""
    names: str = ""
    podcasts: frozenset[PodcastId] = frozenset()
    podcast_titles: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None
    states: frozenset[State] = frozenset()
    at_least_ms: int | None = None
    under_ms: int | None = None
    in_transcripts: bool = False
    here: frozenset[EpisodeId] | None = None

    @property
    def needs_words(self) -> bool:
        """Whether the index of words is needed, not just the library."""
        return bool(self.terms or self.speakers) or self.in_transcripts

    @property
    def without_words(self) -> Self:
        """The conditions that the library alone can check."""
        return replace(self, terms=(), speakers=(), in_transcripts=False)


EVERYTHING = EpisodeFilter()


class Order(StrEnum):
    """The order of a list. Episodes with equal moments are in order of id, with equal lengths newest first."""

    NEWEST = "newest"
    OLDEST = "oldest"
    """Exactly the reverse: of episodes with equal moments, as in a feed without dates, the last id comes first."""
    LONGEST = "longest"
    """Episodes of unknown length come last."""
    SHORTEST = "shortest"
    """Episodes of unknown length come last."""
    QUEUE = "queue"
    """Episodes that aren't queued come last."""
    OWN = "own"
    """The order of a smart list's query, or the order in which a playlist was arranged by hand."""
    LAST_HEARD = "last_heard"
    """Episodes that were never heard come last."""


class ViewSettings(Struct, frozen=True):
    """The listener's settings for a view. `order` None: the view's own order."""

    order: Order | None = None
    hide_played: bool = False


AS_IT_IS = ViewSettings()
"""The settings of a view for which nothing was set."""


class ViewName(StrEnum):
    """The views that come with Earmark. The values are kept in the library."""

    ALL = "all"
    NEW = "new"
    QUEUE = "queue"
    IN_PROGRESS = "in_progress"
    STARRED = "starred"
    DOWNLOADS = "downloads"
    BOOKMARKS = "bookmarks"
    """Its rows are bookmarks, not the episodes of a filter."""
    HISTORY = "history"
    """The listening history, session by session: its rows aren't the episodes of a filter."""
    PODCAST = "podcast"
    LIST = "list"
    """A smart list or a playlist."""
    TAG = "tag"
    """All episodes of the podcasts with a tag."""


_STATES_OF = {
    ViewName.IN_PROGRESS: frozenset({State.IN_PROGRESS}),
    ViewName.STARRED: frozenset({State.STARRED}),
    ViewName.NEW: frozenset({State.NEW}),
    ViewName.QUEUE: frozenset({State.QUEUED}),
    ViewName.DOWNLOADS: frozenset({State.DOWNLOADED}),
}
_ORDERS = {ViewName.IN_PROGRESS: Order.LAST_HEARD, ViewName.QUEUE: Order.QUEUE}


class View(Struct, frozen=True):
    """A named filter with an order: what an episode list shows."""

    name: ViewName = ViewName.ALL
    filter: EpisodeFilter = EVERYTHING
    order: Order = Order.NEWEST
    list_id: ListId | None = None
    """The list that the listener made, if this is one; the filter then narrows it."""

    @classmethod
    def of_list(cls, list_id: ListId) -> Self:
        return cls(ViewName.LIST, order=Order.OWN, list_id=list_id)

    @classmethod
    def of_tag(cls, tag: str) -> Self:
        return cls(ViewName.TAG, EpisodeFilter(tags=(tag,)))

    @classmethod
    def of(
        cls,
        name: ViewName = ViewName.ALL,
        podcast_id: PodcastId | None = None,
        *,
        title: str = "",
        states: Iterable[State] = (),
    ) -> Self:
        """The view of that name, of a single podcast if one is given; narrowed by `more`, if that is given."""
        chosen = EpisodeFilter(
            title=title,
            podcasts=frozenset() if podcast_id is None else frozenset({podcast_id}),
            states=_STATES_OF.get(name, frozenset()) | frozenset(states),
        )
        return cls(name, chosen, _ORDERS.get(name, Order.NEWEST))

    @property
    def podcast_id(self) -> PodcastId | None:
        """The podcast whose episodes these are, if all of them belong to one."""
        return next(iter(self.filter.podcasts)) if len(self.filter.podcasts) == 1 else None

    @property
    def tag(self) -> str | None:
        """The tag whose episodes these are, if it is the view of a tag."""
        return next(iter(self.filter.tags), None) if self.name is ViewName.TAG else None

    @property
    def key(self) -> str:
        """The library's name for the view: `starred`, `podcast 3`, `list 7`, `tag work`."""
        if self.tag is not None:
            return f"{self.name} {self.tag}"
        number = self.podcast_id if self.list_id is None else self.list_id
        return self.name if number is None else f"{self.name} {number}"

    @classmethod
    def of_key(cls, key: str) -> Self | None:
        """The view with that `key`; None if there is none."""
        name, _space, podcast = key.partition(" ")
        if name == ViewName.TAG:
            return cls.of_tag(podcast) if podcast else None
        if name not in tuple(ViewName) or (podcast and not podcast.isdecimal()):
            return None
        if name == ViewName.LIST:
            return cls.of_list(ListId(int(podcast))) if podcast else None
        return cls.of(ViewName(name), PodcastId(int(podcast)) if podcast else None)

    @property
    def title(self) -> str:
        """The words by which the listener narrows it: words of titles and, in views of several podcasts, of the
        podcasts' names."""
        return self.filter.names or self.filter.title

    @property
    def whole(self) -> Self:
        """The view before the listener narrowed it."""
        return self.narrowed("")

    def narrowed(self, title: str) -> Self:
        """The episodes of the view with these words in their titles or, in views of several podcasts, in the podcasts'
        names."""
        if title == self.title:
            return self
        mixed = self.podcast_id is None
        words = replace(self.filter, title="" if mixed else title, names=title if mixed else "")
        return replace(self, filter=words)

    def shown(self, settings: ViewSettings) -> Self:
        """The view with the listener's settings for it."""
        states = self.filter.states | ({State.UNPLAYED} if settings.hide_played else frozenset())
        return replace(self, filter=replace(self.filter, states=states), order=settings.order or self.order)


class ViewCounts(Struct, frozen=True):
    """How many episodes are in each view (in Downloads, those asked for too), and how many bookmarks there are. All
    episodes in progress are unplayed; queued episodes are upcoming, whether or not they were played before: `to_come`
    counts all of them except the one being heard."""

    all: int = 0
    in_progress: int = 0
    starred: int = 0
    new: int = 0
    queued: int = 0
    downloaded: int = 0
    bookmarks: int = 0
    to_come: int = 0

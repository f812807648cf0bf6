"""The entries of an export that are Earmark's alone: podcasts, lists, views. docs/export.md describes them; a field is
added, never renamed. Episodes and bookmarks are those of `player.model.foreign`.

What has its default is left out of the file.
"""

from typing import Any

from msgspec import Struct

from player.model.foreign import ForeignEpisode, HeardSpan, Rank, Whole


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
    episodes: tuple[ForeignEpisode, ...] = ()


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
    heard: tuple[HeardSpan, ...] = ()

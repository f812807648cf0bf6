"""A podcast: one that is subscribed to, or one that is previewed."""

from datetime import datetime
from typing import NewType

from msgspec import Struct

from player.text.sentences import _, spoken

PodcastId = NewType("PodcastId", int)

WELCOME_URL = "earmark:welcome"
"""The address of the built-in podcast; its enclosures are `earmark:welcome/NAME`."""

STARTER_URL = "https://feeds.simplecast.com/OB5FkIl8"
"""The show that Earmark suggests in a new library: the PyTorch Developer Podcast."""

MOST_EPISODES = 30_000
"""How many episodes of a feed are read, from its beginning: in nearly all feeds the newest. The largest feeds have some
ten thousand."""


def is_foreign(url: str) -> bool:
    """Whether a feed or an episode is the built-in one, which is in English, while the listener reads another
    language."""
    return url.startswith(WELCOME_URL) and spoken() not in ("", "en")


class Podcast(Struct, frozen=True):
    """A subscription, with the counts its row shows.

    `title` is the listener's own title, if there is one, and `feed_title` is then the feed's title; otherwise
    `feed_title` is "". `last_refreshed` is None until the feed was read once; `error` is the sentence of the last
    failed refresh. `tags` are in alphabetical order. A `previewed` podcast was opened without subscribing to it: no
    list or count includes it. A `suggested` one is a preview that came with the library.
    """

    id: PodcastId
    url: str
    title: str
    author: str = ""
    description: str = ""
    link: str = ""
    image_url: str = ""
    episode_count: int = 0
    unplayed_count: int = 0
    last_refreshed: datetime | None = None
    error: str | None = None
    feed_title: str = ""
    pinned: bool = False
    tags: tuple[str, ...] = ()
    previewed: bool = False
    suggested: bool = False

    @property
    def own_title(self) -> str:
        """The listener's own title; "" if the podcast goes by the title in its feed."""
        return self.title if self.feed_title else ""

    @property
    def note(self) -> str:
        """Something worth knowing about the podcast that isn't a failure; "" for nothing."""
        if self.episode_count < MOST_EPISODES:
            return ""
        return _("Only the first {limit:,} episodes of a feed are read; this one may have more.", limit=MOST_EPISODES)

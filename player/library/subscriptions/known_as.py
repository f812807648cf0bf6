"""What the listener subscribes to, as others name it: by feed address and by guid."""

import json
from collections.abc import Sequence
from typing import Protocol

from player.links.same_feed import url_key
from player.model.podcast import Podcast, PodcastId


class Subscribed(Protocol):
    """`Library.podcasts` fits."""

    def all(self) -> Sequence[Podcast]: ...

    def extra(self, podcast_id: PodcastId, /) -> str: ...


def subscriptions(podcasts: Subscribed) -> dict[str, PodcastId]:
    """The podcasts by the `url_key` of their feeds, and by the guids that the feeds give (Podcasting 2.0), in lower
    case. A thousand take 0.1 s."""
    known: dict[str, PodcastId] = {}
    for podcast in podcasts.all():
        known[url_key(podcast.url)] = podcast.id
        extra = podcasts.extra(podcast.id)
        if '"guid"' in extra and (guid := json.loads(extra).get("guid", {}).get("text", "")):
            known.setdefault(guid.lower(), podcast.id)
    return known

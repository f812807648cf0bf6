"""A podcast as directories describe it."""

from datetime import datetime

from msgspec import Struct

from player.model.podcast import PodcastId


class FoundPodcast(Struct, frozen=True):
    """All text is clean, all addresses are http or https; "" or None where no directory says anything.

    Without a `feed_url` nobody can subscribe to it. `newest` is when its newest episode appeared. `directories` are the
    names of those that know it, `podcast_id` is the subscription that the listener has already.
    """

    title: str
    author: str = ""
    feed_url: str = ""
    apple_id: int | None = None
    guid: str = ""
    website: str = ""
    description: str = ""
    artwork_url: str = ""
    episode_count: int | None = None
    newest: datetime | None = None
    language: str = ""
    topics: tuple[str, ...] = ()
    explicit: bool | None = None
    directories: tuple[str, ...] = ()
    podcast_id: PodcastId | None = None

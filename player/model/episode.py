"""An episode, as a list shows it."""

from datetime import datetime
from typing import NewType

from msgspec import Struct

from player.model.podcast import PodcastId

EpisodeId = NewType("EpisodeId", int)


class Episode(Struct, frozen=True):
    """A row of an episode list. Notes are not here: they are read for the episode under the cursor alone.

    `url` is the enclosure's address. `duration_ms` is None while nobody knows it. `size` is the length in bytes
    that the feed claims, a guess at best. `feed_url` is the address of the podcast's feed. `new`: it has arrived, and
    the listener hasn't decided about it yet (it is in the inbox).
    """

    id: EpisodeId
    podcast_id: PodcastId
    podcast: str
    title: str
    guid: str
    url: str
    media_type: str = ""
    size: int | None = None
    link: str = ""
    published: datetime | None = None
    duration_ms: int | None = None
    position_ms: int = 0
    played: bool = False
    starred: bool = False
    downloaded: bool = False
    queued: bool = False
    new: bool = False
    feed_url: str = ""

    @property
    def in_progress(self) -> bool:
        return self.position_ms > 0 and not self.played

"""Whether any feed is due: the app checks every few minutes, before it starts a process that refreshes."""

from collections.abc import Sequence
from datetime import datetime

from player.feeds.schedule import may_ask
from player.feeds.storage import FeedLibrary
from player.model.feed import FeedSchedule
from player.model.podcast import PodcastId


def anything_due(library: FeedLibrary, podcast_ids: Sequence[PodcastId] | None, now: datetime) -> bool:
    """Whether an automatic refresh would have anything to do."""
    feed_schedules = library.feed_schedules.all()
    ids = (one.id for one in library.podcasts.all()) if podcast_ids is None else podcast_ids
    return any(may_ask(feed_schedules.get(one, FeedSchedule()), now, by_person=False) for one in ids)

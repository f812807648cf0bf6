"""Subscriptions that began on another device."""

from collections.abc import Sequence

from player.feeds.opml import Outline, subscribe_all
from player.library import Library
from player.model.podcast import PodcastId
from player.model.syncing import SubscriptionChange


def subscribe(library: Library, changes: Sequence[SubscriptionChange]) -> tuple[PodcastId, ...]:
    """Subscribes to all in one transaction, and answers with those that are new: their feeds are to be read. What isn't
    an address of a feed is left out. Raises LibraryError."""
    return subscribe_all(library, [Outline(one.podcast, one.title) for one in changes]).added

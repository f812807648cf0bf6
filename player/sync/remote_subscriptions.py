"""Subscriptions that began on another device."""

from collections.abc import Sequence

from player.feeds.opml import Outline, subscribe_all
from player.library import Library
from player.model.podcast import PodcastId
from player.model.syncing import SubscriptionChange


def subscribe(library: Library, changes: Sequence[SubscriptionChange]) -> tuple[PodcastId, ...]:
    """Subscribes to all in one transaction, and returns the new podcasts, whose feeds are still to be read. Addresses
    that can't be a feed's are left out. Raises LibraryError."""
    return subscribe_all(library, [Outline(one.podcast, one.title) for one in changes]).added

"""Podcasts that are opened and played before anybody subscribes to them."""

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from typing import Protocol

from player.events import Bus, Cause, InboxChanged, PodcastAdded, QueueChanged
from player.library import Library
from player.model.podcast import Podcast, PodcastId

_KEPT = timedelta(days=7)
"""Previews that were opened within this time stay, listened to or not."""

Run = Callable[[Callable[[], Podcast]], Future[Podcast]]


class Opening(Protocol):
    """`player.new_podcasts.NewPodcasts` fits."""

    def previewing(self, url: str, /) -> Callable[[], Podcast]: ...

    def cancel(self, url: str, /) -> None: ...


class Previews:
    """Every command returns at once. `fetch` runs the function from `opening`, which may wait for the network; `write`
    runs functions that only write, and notifies the listener if one fails."""

    def __init__(self, library: Library, bus: Bus, fetch: Run, write: Run, opening: Opening) -> None:
        self._library = library
        self._bus = bus
        self._fetch = fetch
        self._write = write
        self._opening = opening

    def open(self, url: str) -> Future[Podcast]:
        """Opens the podcast at that address without subscribing to it; the future has the subscription if there is one.
        It raises FeedError with a sentence for each way it can fail; there is no Notice."""
        return self._fetch(self._opening.previewing(url))

    def cancel(self, url: str) -> None:
        """The podcast at that address isn't wanted any more: nothing of it stays, unless it is already open."""
        self._opening.cancel(url)

    def subscribe(self, podcast_id: PodcastId) -> Future[Podcast]:
        """Subscribes to a preview, keeping everything that was done with its episodes. The future raises NotFound if it
        is gone."""

        def work() -> Podcast:
            landed = self._library.previews.subscribe(podcast_id)
            podcast = self._library.podcasts.get(podcast_id)
            self._bus.publish(PodcastAdded(podcast_id))
            if landed.inbox:
                self._bus.publish(InboxChanged(Cause.FEED))
            if landed.queue:
                self._bus.publish(QueueChanged(Cause.FEED))
            return podcast

        return self._write(work)

    def clear(self) -> None:
        """Discards the previews that nobody listened to, a while after they were last opened. Waits for the disk."""
        self._library.previews.clear(datetime.now(UTC) - _KEPT)

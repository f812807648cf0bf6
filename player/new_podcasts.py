"""Podcasts on their way into the library: added one by one, or imported as a list."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from player.events import (
    Bus,
    Cause,
    InboxChanged,
    Notice,
    PodcastAdded,
    PodcastRemoved,
    PodcastsArranged,
    PodcastsImported,
)
from player.feeds.refresh_summary import RefreshSummary
from player.library import Library
from player.model.playback import Severity
from player.model.podcast import Podcast
from player.text.sentences import _

if TYPE_CHECKING:
    from player.feeds.opml import Outline
    from player.feeds.opml_import import Subscribed
    from player.jobs.runner import JobRunner

_REFUSED_SHOWN = 3
"""How many addresses of an import that can't be subscribed to get a Notice each; the summary counts the rest."""


class NewPodcasts:
    """`adding` and `import_all` run on a thread that may wait for the network; `cancel` returns at once."""

    def __init__(self, library: Library, bus: Bus, jobs: Callable[[], JobRunner]) -> None:
        self._library = library
        self._bus = bus
        self._jobs = jobs
        self._adding: dict[str, _Adding] = {}

    def adding(self, url: str) -> Callable[[], Podcast]:
        """The work of subscribing to `url`, which can be cancelled from now on.

        It raises FeedError with a sentence of its own for each way it can fail, or Cancelled.
        """
        from player.jobs.runner import Cancelled

        adding = self._adding[url] = _Adding()

        def work() -> Podcast:
            adding.raise_if_cancelled()
            try:
                podcast = self._jobs().add(url, adding.stored_at.append)
                adding.finish()
            except Cancelled:
                if adding.cancelled:
                    self._take_back(adding.stored_at)
                raise
            finally:
                if self._adding.get(url) is adding:
                    del self._adding[url]
            self._bus.publish(PodcastAdded(podcast.id))
            self._bus.publish(InboxChanged(Cause.FEED))
            return podcast

        return work

    def cancel(self, url: str) -> None:
        """Ends the adding of `url` and leaves nothing of it, unless it is done already."""
        if (adding := self._adding.pop(url, None)) is not None and adding.cancel():
            self._jobs().cancel_add(url)

    def _take_back(self, urls: Sequence[str]) -> None:
        """What was written in the moment in which it was cancelled. It was nowhere in the library before."""
        for url in urls:
            if (podcast := self._library.podcasts.by_url(url)) is not None:
                self._library.podcasts.remove(podcast.id)
                self._bus.publish(PodcastRemoved(podcast.id))

    def import_all(self, outlines: Sequence[Outline]) -> Subscribed:
        """Subscribes to all of a list and reads their feeds. Notices say what came of it."""
        from player.feeds.opml_import import import_report, subscribe_all

        subscribed = subscribe_all(self._library, outlines)
        if subscribed.added:
            self._bus.publish(PodcastsImported(subscribed.added))
        if subscribed.tagged:
            self._bus.publish(PodcastsArranged(subscribed.tagged))
        to_read = [*subscribed.added, *subscribed.unread]
        summary = self._jobs().refresh(to_read) if to_read else RefreshSummary()
        left = len(to_read) - summary.refreshed - len(summary.failed)
        self._bus.publish(Notice(import_report(subscribed, len(summary.failed), max(0, left)), Severity.INFORMATION))
        for name, sentence in subscribed.refused[:_REFUSED_SHOWN]:
            self._bus.publish(Notice(f"{name}: {sentence}", Severity.WARNING))
        return subscribed


class _Adding:
    """A podcast on its way into the library; it is either finished or cancelled, whichever thread comes first."""

    def __init__(self) -> None:
        self.stored_at: list[str] = []
        self.cancelled = False
        self._finished = False
        self._lock = threading.Lock()

    def raise_if_cancelled(self) -> None:
        """Raises Cancelled where that has happened."""
        from player.jobs.runner import Cancelled

        if self.cancelled:
            raise Cancelled(_("Adding the podcast was cancelled"))

    def finish(self) -> None:
        """As `raise_if_cancelled`; from here on it can't be cancelled."""
        with self._lock:
            self.raise_if_cancelled()
            self._finished = True

    def cancel(self) -> bool:
        """False where it was too late."""
        with self._lock:
            self.cancelled = not self._finished
            return self.cancelled

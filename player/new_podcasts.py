"""Podcasts on their way into the library: added one by one, imported as a list, or opened and played before anybody
subscribes to them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from player.errors import AlreadySubscribed, FeedError
from player.events import (
    BookmarksChanged,
    Bus,
    Cause,
    EpisodesChanged,
    EpisodeStarted,
    InboxChanged,
    ListsChanged,
    Notice,
    PodcastAdded,
    PodcastRefreshed,
    PodcastRemoved,
    PodcastsArranged,
    PodcastsImported,
    QueueChanged,
)
from player.feeds.refresh_summary import RefreshSummary
from player.library import Library
from player.model.episode import Episode
from player.model.feed import FeedEpisode
from player.model.moments import within
from player.model.playback import Severity
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import _

if TYPE_CHECKING:
    from player.directory.directory import FoundEpisode
    from player.feeds.opml import Subscribed
    from player.feeds.source import Offered
    from player.jobs.runner import JobRunner
    from player.model.foreign import ForeignLibrary
    from player.net.credentials import Credentials
    from player.transfer.bring import Arrived


_READ_LATELY = timedelta(minutes=30)
"""A preview whose feed was read within this time is opened without reading it again."""
_REFUSED_SHOWN = 3
"""How many addresses of an import that can't be subscribed to get a Notice each; the summary counts the rest."""


class OpenedEpisode(NamedTuple):
    """An episode found in a directory, as it is in the library now. `problem` is a sentence that says why its podcast's
    feed couldn't be read; "" if it could."""

    podcast: Podcast
    episode: Episode
    problem: str = ""


class NewPodcasts:
    """`adding` and `bring` run on a thread that may wait for the network; `cancel` returns at once."""

    def __init__(self, library: Library, bus: Bus, jobs: Callable[[], JobRunner]) -> None:
        self._library = library
        self._bus = bus
        self._jobs = jobs
        self._adding: dict[str, _Adding] = {}

    def adding(self, url: str) -> Callable[[], Podcast]:
        """A function that subscribes to `url`, which can be cancelled from now on.

        It raises FeedError with a sentence for each way it can fail, or Cancelled.
        """
        adding = self._adding[url] = _Adding()

        def work() -> Podcast:
            adding.raise_if_cancelled()
            podcast = self._job(url, adding, previews=False)
            self._bus.publish(PodcastAdded(podcast.id))
            self._bus.publish(InboxChanged(Cause.FEED))
            return podcast

        return work

    def previewing(self, url: str) -> Callable[[], Podcast]:
        """A function that opens the podcast at `url` without subscribing to it, which can be cancelled from now on.

        It returns a preview, or the subscription if there is one. A feed that was read a moment ago isn't read again,
        and an older preview is shown as it is if its feed can't be read. It raises the same as the function from
        `adding`.
        """
        adding = self._adding[url] = _Adding()

        def work() -> Podcast:
            adding.raise_if_cancelled()
            library = self._library
            known = library.podcasts.by_url(url) or library.previews.by_url(url)
            now = datetime.now(UTC)
            if known is not None and (not known.previewed or within(known.last_refreshed, now, _READ_LATELY)):
                library.previews.opened(known.id)
                return known
            try:
                return self._job(url, adding, previews=True)
            except AlreadySubscribed as error:  # the address redirects there, or was added meanwhile
                if error.podcast_id is None:
                    raise
                return library.podcasts.get(PodcastId(error.podcast_id))
            except FeedError:
                if known is None or known.last_refreshed is None or adding.cancelled:
                    raise
                return known

        return work

    def opening(self, found: FoundEpisode) -> Callable[[], OpenedEpisode]:
        """A function that opens the podcast of an episode as `previewing` does, and returns the episode. If the feed
        can't be read or no longer lists the episode, it is added as the directory describes it. Raises the same, and
        NotFound."""
        previewing = self.previewing(found.feed_url)

        def work() -> OpenedEpisode:
            from player.jobs.runner import Cancelled

            previews, problem = self._library.previews, ""
            try:
                podcast = previewing()
            except Cancelled:
                raise
            except FeedError as error:
                if not found.url:
                    raise
                podcast, problem = previews.add(found.feed_url, found.podcast), str(error)
            episode_id, is_new = previews.episode(podcast.id, _described(found))
            if is_new and not podcast.previewed:
                self._bus.publish(PodcastRefreshed(podcast.id, changed=True, cause=Cause.PERSON))
            return OpenedEpisode(podcast, self._library.episodes.get(episode_id), problem)

        return work

    def cancel(self, url: str) -> None:
        """Cancels the adding or previewing of `url` and leaves nothing of it, unless it is already done."""
        if (adding := self._adding.pop(url, None)) is not None and adding.cancel():
            self._jobs().cancel_add(url)

    def _job(self, url: str, adding: _Adding, *, previews: bool) -> Podcast:
        """Runs the job for `url`. Raises the same as the function from `adding`."""
        from player.jobs.runner import Cancelled

        try:
            podcast = self._jobs().add(url, adding.stored_at.append, previews=previews)
            adding.finish()
        except Cancelled:
            if adding.cancelled:
                self._take_back(adding.stored_at, previews=previews)
            raise
        finally:
            if self._adding.get(url) is adding:
                del self._adding[url]
        return podcast

    def _take_back(self, urls: Sequence[str], *, previews: bool) -> None:
        """Removes a podcast that was written just when it was cancelled. It wasn't in the library before; a preview may
        have been, and stays if any of it was played."""
        library = self._library
        for url in urls:
            if previews and (preview := library.previews.by_url(url)) is not None:
                library.previews.discard(preview.id)
            elif not previews and (podcast := library.podcasts.by_url(url)) is not None:
                library.podcasts.remove(podcast.id)
                self._bus.publish(PodcastRemoved(podcast.id))

    def bring(self, read: ForeignLibrary, logins: Credentials) -> Arrived:
        """Takes over what another app knew, and reads the feeds of new podcasts. Notices report the outcome."""
        from player.feeds.opml import import_report
        from player.transfer.bring import bring, episodes_report, fill

        arrived = bring(self._library, read, logins)
        if arrived.episodes.ids:
            self._bus.publish(EpisodesChanged(arrived.episodes.ids))
            self._bus.publish(QueueChanged(Cause.PERSON))
            self._bus.publish(InboxChanged(Cause.PERSON))
        if arrived.bookmarks:
            self._bus.publish(BookmarksChanged(Cause.PERSON))
        if arrived.lists:
            self._bus.publish(ListsChanged())
        failed, left = self._read(arrived.subscribed)
        waiting = self._library.incoming.waiting(arrived.episodes.act_id)
        unlisted = fill(self._library, arrived.playlists)
        if arrived.playlists:
            self._bus.publish(ListsChanged())
        words = import_report(arrived.subscribed.read(self._library), failed, left)
        self._report(" ".join(filter(None, (words, episodes_report(arrived, waiting, unlisted)))), arrived.subscribed)
        return arrived

    def subscribe(self, offered: Sequence[Offered]) -> None:
        """Subscribes to podcasts that a source offered, and reads them. Notices report the outcome."""
        from player.feeds.opml import Outline, import_report, subscribe_all

        outlines = [Outline(one.url, one.title) for one in offered]
        subscribed = subscribe_all(self._library, outlines, str)
        failed, left = self._read(subscribed)
        self._report(import_report(subscribed.read(self._library), failed, left), subscribed)

    def _read(self, subscribed: Subscribed) -> tuple[int, int]:
        """Reads the feeds that were never read. Returns how many couldn't be read, and how many are left."""
        if subscribed.added:
            self._bus.publish(PodcastsImported(subscribed.added))
        if subscribed.tagged:
            self._bus.publish(PodcastsArranged(subscribed.tagged))
        to_read = [*subscribed.added, *subscribed.unread]
        summary = self._jobs().refresh(to_read) if to_read else RefreshSummary()
        return len(summary.failed), max(0, len(to_read) - summary.refreshed - len(summary.failed))

    def _report(self, words: str, subscribed: Subscribed) -> None:
        self._bus.publish(Notice(words, Severity.INFORMATION))
        for name, sentence in subscribed.refused[:_REFUSED_SHOWN]:
            self._bus.publish(Notice(f"{name}: {sentence}", Severity.WARNING))


def _described(found: FoundEpisode) -> FeedEpisode:
    """The episode as a feed would have it."""
    return FeedEpisode(
        found.guid, found.title, found.url, found.media_type, found.size, found.link, found.published,
        found.duration_ms, found.description, found.image_url,
    )  # fmt: skip


class _Adding:
    """A podcast on its way into the library; it is either finished or cancelled, whichever thread comes first."""

    def __init__(self) -> None:
        self.stored_at: list[str] = []
        self.cancelled = False
        self._finished = False
        self._lock = threading.Lock()

    def raise_if_cancelled(self) -> None:
        """Raises Cancelled if it has been cancelled."""
        from player.jobs.runner import Cancelled

        if self.cancelled:
            raise Cancelled(_("Adding the podcast was cancelled"))

    def finish(self) -> None:
        """Like `raise_if_cancelled`; from here on it can't be cancelled."""
        with self._lock:
            self.raise_if_cancelled()
            self._finished = True

    def cancel(self) -> bool:
        """False if it was too late."""
        with self._lock:
            self.cancelled = not self._finished
            return self.cancelled


_KEPT = timedelta(days=7)
"""Previews that were opened within this time stay, listened to or not."""

T = TypeVar("T")


class Run(Protocol):
    def __call__(self, work: Callable[[], T], /) -> Future[T]: ...


class Opening(Protocol):
    """`player.new_podcasts.NewPodcasts` fits."""

    def previewing(self, url: str, /) -> Callable[[], Podcast]: ...

    def opening(self, found: FoundEpisode, /) -> Callable[[], OpenedEpisode]: ...

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

    def open_episode(self, found: FoundEpisode) -> Future[OpenedEpisode]:
        """Opens the podcast of an episode found in a directory, as `open` does, and returns the episode in the library.
        `found` needs a `feed_url`. Raises the same, and NotFound."""
        return self._fetch(self._opening.opening(found))

    def cancel(self, url: str) -> None:
        """The podcast at that address isn't wanted any more: nothing of it stays, unless it is already open."""
        self._opening.cancel(url)

    def subscribe(self, podcast_id: PodcastId) -> Future[Podcast]:
        """Subscribes to a preview, keeping everything that was done with its episodes. The future raises NotFound if it
        is gone."""

        return self._write(lambda: self._subscribe(podcast_id, Cause.PERSON))

    def started(self, event: EpisodeStarted) -> None:
        """Playing an episode of a suggestion subscribes to it."""

        def work() -> Podcast | None:
            podcast = self._library.previews.suggestion_of(event.episode_id)
            return podcast and self._subscribe(podcast.id, event.cause)

        self._write(work)

    def _subscribe(self, podcast_id: PodcastId, cause: Cause) -> Podcast:
        landed = self._library.previews.subscribe(podcast_id)
        podcast = self._library.podcasts.get(podcast_id)
        self._bus.publish(PodcastAdded(podcast_id, cause))
        if landed.inbox:
            self._bus.publish(InboxChanged(Cause.FEED))
        if landed.queue:
            self._bus.publish(QueueChanged(Cause.FEED))
        return podcast

    def clear(self) -> None:
        """Discards the previews that nobody listened to, a while after they were last opened. Waits for the disk."""
        self._library.previews.clear(datetime.now(UTC) - _KEPT)

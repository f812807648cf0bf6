"""What other devices' changes mean for the rest of a running Earmark: lists are updated, podcasts are added and
removed.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from player.events import (
    BookmarksChanged,
    Bus,
    Cause,
    EpisodesChanged,
    EpisodesMarked,
    InboxChanged,
    Mark,
    Notice,
    PodcastsArranged,
    PodcastsImported,
    QueueChanged,
    SegmentsChanged,
)
from player.feeds.opml import Outline, subscribe_all
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import ACTIVE, PlaybackStatus
from player.model.podcast import PodcastId
from player.model.syncing import SubscriptionChange, Taken
from player.playback.navigation import Moved
from player.sync.sync_sentences import arrived_words


def subscribe(library: Library, changes: Sequence[SubscriptionChange]) -> tuple[PodcastId, ...]:
    """Subscribes to all in one transaction, and returns the new podcasts, whose feeds are still to be read. Addresses
    that can't be a feed's are left out. Raises LibraryError."""
    return subscribe_all(library, [Outline(one.podcast, one.title) for one in changes]).added


class Arrived:
    """Called on the thread that syncs, after each `take`. `status` is the playback status, `move` moves the current
    episode unless it is playing. `read` reads feeds in the background; `unsubscribe` does the same as for the listener,
    so that it can be undone: all podcasts with the same moment together."""

    def __init__(
        self,
        library: Library,
        bus: Bus,
        *,
        status: Callable[[], PlaybackStatus],
        move: Callable[[Moved], object],
        read: Callable[[Sequence[PodcastId]], object],
        unsubscribe: Callable[[PodcastId, datetime], object],
    ) -> None:
        self._library = library
        self._bus = bus
        self._status = status
        self._move = move
        self._read = read
        self._unsubscribe = unsubscribe

    def playing(self) -> frozenset[EpisodeId]:
        """The episodes that must not be moved."""
        status = self._status()
        return frozenset({status.episode.id}) if status.episode and status.state in ACTIVE else frozenset()

    def taken(self, taken: Taken) -> None:
        """Raises LibraryError."""
        self._move_current(taken)
        self._publish(taken)
        playing, now = self._status(), datetime.now(UTC)
        for podcast_id in taken.unsubscribe:
            busy = playing.episode is not None and playing.state in ACTIVE and playing.episode.podcast_id == podcast_id
            if not busy:  # an episode that is playing is heard to its end: a later round removes it
                self._unsubscribe(podcast_id, now)
        if taken.subscribe and (added := subscribe(self._library, taken.subscribe)):
            self._bus.publish(PodcastsImported(added, Cause.SYNC))
            self._read(added)
        if taken.act_id:
            self._bus.publish(Notice(arrived_words(taken)))

    def _move_current(self, taken: Taken) -> None:
        """Before lists and the session read the position again, so that the listener can go back."""
        episode = self._status().episode
        for one in taken.changed:
            if episode is not None and one.id == episode.id:
                names = {device.id: device.name for device in self._library.syncing.devices()}
                self._move(Moved(one.id, names.get(one.device) or one.device))

    def _publish(self, taken: Taken) -> None:
        if ids := (*(one.id for one in taken.changed), *taken.others):
            self._bus.publish(EpisodesChanged(ids))
        for on in (True, False):
            marked = tuple(one.id for one in taken.changed if one.played is on and one.was_played is not on)
            if marked:
                self._bus.publish(EpisodesMarked(marked, Mark.PLAYED, on, Cause.SYNC))
        if taken.queue:
            self._bus.publish(QueueChanged(Cause.SYNC))
        if taken.inbox:
            self._bus.publish(InboxChanged(Cause.SYNC))
        if taken.others:
            self._bus.publish(BookmarksChanged(Cause.SYNC))
        if taken.segments:
            self._bus.publish(SegmentsChanged(taken.segments, Cause.SYNC))
        if taken.arranged:
            self._bus.publish(PodcastsArranged(taken.arranged))

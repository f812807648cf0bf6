"""Events, and the bus that carries them from any thread to the subscribers.

Some events say that a state has changed (`PlaybackChanged`, `RefreshProgress`): only the latest of them matters. All
others are discrete: each stands for one occurrence, is published once, and says what caused it.
"""

import logging
import time
from collections.abc import Callable, Hashable
from enum import StrEnum
from threading import Lock
from typing import TYPE_CHECKING, TypeVar, cast

from msgspec import Struct

from player.model.downloads import (
    DownloadCancelled,
    DownloadDeleted,
    DownloadFailed,
    DownloadFinished,
    DownloadProgress,
    DownloadQueueChanged,
    DownloadsProgress,
)
from player.model.episode import EpisodeId
from player.model.listening import Bookmark
from player.model.playback import Cause as Cause
from player.model.playback import Offer, PlaybackStatus, Severity
from player.model.podcast import PodcastId
from player.processes.threads import MOST_WAITING, Lane

if TYPE_CHECKING:
    from player.model.syncing import SyncStatus

log = logging.getLogger(__name__)


# -- playback, on the session's thread, in the order in which it happened ---------------------------------------
#
# An episode that was started is finished or left before another is started. In between, each Paused and each
# PlaybackFailed is followed by Resumed, unless the episode is left first. A clip is none of these: it is no listening.


class EpisodeStarted(Struct, frozen=True):
    """An episode is being heard for the first time since it was chosen, stopped or finished."""

    episode_id: EpisodeId
    position_ms: int
    cause: Cause


class EpisodeFinished(Struct, frozen=True):
    """The episode was heard to its end."""

    episode_id: EpisodeId
    cause: Cause


class EpisodeLeft(Struct, frozen=True):
    """The episode was stopped before its end: for another episode, for none, or because Earmark ends."""

    episode_id: EpisodeId
    position_ms: int
    cause: Cause


class Paused(Struct, frozen=True):
    episode_id: EpisodeId
    position_ms: int
    cause: Cause


class Resumed(Struct, frozen=True):
    """The episode is heard again after a pause or a failure, perhaps from a little earlier."""

    episode_id: EpisodeId
    position_ms: int
    cause: Cause


class PlaybackFailed(Struct, frozen=True):
    """The episode can't be played, or can't be played any further. `error` is a sentence for the user."""

    episode_id: EpisodeId
    position_ms: int
    error: str
    cause: Cause


class Seeked(Struct, frozen=True):
    """A jump within an episode, whether or not it is playing."""

    episode_id: EpisodeId
    from_ms: int
    to_ms: int
    cause: Cause


class SpeedChanged(Struct, frozen=True):
    speed: float
    cause: Cause


# -- podcasts and episodes --------------------------------------------------------------------------------------


class PodcastAdded(Struct, frozen=True):
    podcast_id: PodcastId
    cause: Cause = Cause.PERSON


class PodcastsImported(Struct, frozen=True):
    """Many podcasts at once, whose feeds haven't been read yet. There is no PodcastAdded for any of them."""

    podcast_ids: tuple[PodcastId, ...]
    cause: Cause = Cause.PERSON


class PodcastRemoved(Struct, frozen=True):
    podcast_id: PodcastId
    cause: Cause = Cause.PERSON


class PodcastRefreshed(Struct, frozen=True):
    """A feed was read (`error` is None) or couldn't be (`error` is the sentence for its row).

    `reason` is the error in a few words. `changed`: its row or its episodes have changed. `first`: the feed was read
    for the first time, so that the episodes in `new` haven't just been published. `live`: the live shows that have
    begun; no live show is in `new`.
    """

    podcast_id: PodcastId
    new: tuple[EpisodeId, ...] = ()
    changed: bool = False
    error: str | None = None
    reason: str = ""
    cause: Cause = Cause.FEED
    first: bool = False
    live: tuple[EpisodeId, ...] = ()


class PodcastsArranged(Struct, frozen=True):
    """The listener changed the tags, the title or the pin of these podcasts."""

    podcast_ids: tuple[PodcastId, ...]


class RefreshProgress(Struct, frozen=True):
    """`done` of `total` feeds; the refresh is over when they are equal, which is published once. `number` tells
    refreshes apart that run at the same time."""

    done: int
    total: int
    new: int = 0
    failed: int = 0
    cause: Cause = Cause.PERSON
    number: int = 0


class Mark(StrEnum):
    PLAYED = "played"
    STARRED = "starred"


class EpisodesMarked(Struct, frozen=True):
    """These episodes now have the mark (`on`), or no longer have it. The change is on the disk; each of them has
    changed."""

    episode_ids: tuple[EpisodeId, ...]
    mark: Mark
    on: bool
    cause: Cause


class EpisodesChanged(Struct, frozen=True):
    """Stars, played marks or positions of these episodes may have changed: lists should read them again."""

    episode_ids: tuple[EpisodeId, ...]


class QueueChanged(Struct, frozen=True):
    """Episodes entered or left the queue, or changed their order."""

    cause: Cause


class InboxChanged(Struct, frozen=True):
    """Episodes entered or left the inbox."""

    cause: Cause


class ListsChanged(Struct, frozen=True):
    """Smart lists or playlists were made, changed or deleted, or have other episodes; or a list is shown differently
    because of a setting made elsewhere."""


class BookmarksChanged(Struct, frozen=True):
    """Bookmarks were made, changed or deleted."""

    cause: Cause


class Bookmarked(Struct, frozen=True):
    """A moment was bookmarked, or an existing bookmark now has another note or position."""

    bookmark: Bookmark
    cause: Cause


class SegmentsChanged(Struct, frozen=True):
    """Segments were marked, changed, deleted or rejected, or found: in these episodes others are drawn and skipped
    now."""

    episode_ids: tuple[EpisodeId, ...]
    cause: Cause


class AttachmentsChanged(Struct, frozen=True):
    """Chapters, transcripts or comments of this episode were fetched, or failed to be."""

    episode_id: EpisodeId


class LibraryChanged(Struct, frozen=True):
    """Another process wrote to the library: anything on the screen may be outdated."""


class PlaybackChanged(Struct, frozen=True):
    """A new status: state, position, what is cached. At most about ten times a second."""

    status: PlaybackStatus


class EpisodeMeasured(Struct, frozen=True):
    """This episode was measured, for example its loudness, or further than before. Another than the current one only
    once all of it has been measured."""

    episode_id: EpisodeId
    is_whole: bool = False
    """Whether all of it has been measured."""


class SoundMeasured(Struct, frozen=True):
    """All of this episode has been measured, so that its sound can be found in other bytes: `Measuring.sound` has it.
    `version` identifies the bytes that are on this disk. Published again when the episode becomes the current one, and
    once in each run where it has been looked for."""

    episode_id: EpisodeId
    version: str


class SoundMoved(Struct, frozen=True):
    """Other bytes of this episode are on this disk than before, with the same sound elsewhere: each of `parts` is from
    when to when in the former ones, and how much later it is now, in ms. They last `longer_ms` more. The listener's
    marks have been moved."""

    episode_id: EpisodeId
    parts: tuple[tuple[int, int, int], ...]
    longer_ms: int


class NetworkChanged(Struct, frozen=True):
    """Earmark is offline now, or isn't any more. `by_hand`: the listener wants it so. `only_here`: lists show only
    episodes that can be played without a network."""

    offline: bool
    by_hand: bool = False
    only_here: bool = False


class SyncChanged(Struct, frozen=True):
    """A round of syncing began or ended, or the account has changed."""

    status: "SyncStatus"


class CachedChanged(Struct, frozen=True):
    """The set of completely cached episodes has changed."""


class Notice(Struct, frozen=True):
    """A sentence for the user that belongs to no row, and what can be done about it now."""

    text: str
    severity: Severity = Severity.INFORMATION
    offer: Offer | None = None


class SettingsChanged(Struct, frozen=True):
    """config.toml was saved with other values: `names` of settings, as `playback.seek_back`. They apply already, except
    those that need a restart."""

    names: tuple[str, ...]


class QuitAsked(Struct, frozen=True):
    """Another program asks Earmark to end. Its handler does the same as for the key."""


Event = (
    EpisodeStarted | EpisodeFinished | EpisodeLeft | Paused | Resumed | PlaybackFailed | Seeked | SpeedChanged
    | PodcastAdded | PodcastsImported | PodcastRemoved | PodcastRefreshed | PodcastsArranged | RefreshProgress
    | EpisodesMarked | EpisodesChanged | QueueChanged | InboxChanged | Bookmarked | BookmarksChanged
    | SegmentsChanged | ListsChanged | DownloadProgress | DownloadsProgress | DownloadQueueChanged | DownloadFinished
    | DownloadFailed | DownloadCancelled | DownloadDeleted | AttachmentsChanged | LibraryChanged | PlaybackChanged
    | NetworkChanged | SyncChanged | CachedChanged | EpisodeMeasured | SoundMeasured | SoundMoved | Notice
    | SettingsChanged | QuitAsked
)  # fmt: skip
E_ = TypeVar("E_")


def superseded_by(event: object) -> Hashable | None:
    """Events with the same result supersede each other: only the latest matters. None for a discrete event."""
    match event:
        case RefreshProgress(done, total) if done == total:
            return None
        case RefreshProgress():
            return ("refresh", event.number)
        case PlaybackChanged() | LibraryChanged() | DownloadsProgress() | DownloadQueueChanged():
            return type(event).__name__
        case NetworkChanged() | SyncChanged() | CachedChanged():
            return type(event).__name__
        case DownloadProgress(episode_id):
            return ("download", episode_id)
        case _:
            return None


class Bus:
    """Carries events from any thread.

    Handlers run on the publisher's thread, in order of subscription, and must be quick: the thread may be the one that
    saves positions. A handler that only passes the event on (to a queue, to the screen) is quick. Any other asks for a
    lane: a thread of its own, on which its events come in order, and a bounded queue before it (`Lane` says what
    happens when that is full). A handler that raises is logged and doesn't keep the event from the others.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._handlers: tuple[tuple[type[object], Callable[[object], None]], ...] = ()
        self._lanes: list[Lane] = []
        self._closed = False

    def lane(self, name: str, *, most: int = MOST_WAITING) -> Lane:
        """A lane for all handlers of one subscriber; `name` identifies it in the log."""
        lane = Lane(name, most=most)
        with self._lock:
            if self._closed:
                lane.close(0.0)
            self._lanes.append(lane)
        return lane

    def subscribe(self, kind: type[E_], handler: Callable[[E_], None], lane: Lane | None = None) -> Callable[[], None]:
        """Calls `handler` with each event of `kind` (`object`: with all), on the publisher's thread or in `lane`.

        Returns a function that ends the subscription; events that wait in the lane are then dropped.
        """
        called = cast(Callable[[object], None], handler)
        entry = (cast(type[object], kind), called if lane is None else self._in_lane(called, lane))
        with self._lock:
            self._handlers = (*self._handlers, entry)

        def unsubscribe() -> None:
            with self._lock:
                self._handlers = tuple(other for other in self._handlers if other is not entry)

        return unsubscribe

    def publish(self, event: Event) -> None:
        for kind, handler in self._handlers:
            if isinstance(event, kind):
                _handle(handler, event)

    def close(self, timeout_s: float) -> None:
        """Ends the lanes: waiting events are still handled, as far as that succeeds in the given time, for all lanes
        together."""
        deadline = time.monotonic() + timeout_s
        with self._lock:
            self._closed = True
            lanes = tuple(self._lanes)
        for lane in lanes:
            lane.close(max(0.0, deadline - time.monotonic()))

    def _in_lane(self, handler: Callable[[object], None], lane: Lane) -> Callable[[object], None]:
        def hand_over(event: object) -> None:
            def handle() -> None:
                if any(other is hand_over for _, other in self._handlers):
                    _handle(handler, event)

            state = superseded_by(event)
            lane.put(handle, None if state is None else (hand_over, state))

        return hand_over


def _handle(handler: Callable[[object], None], event: object) -> None:
    try:
        handler(event)
    except Exception:
        log.exception("a listener failed on %r", event)

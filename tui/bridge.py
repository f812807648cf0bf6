"""Passes the player's events, from any thread, to the screen as messages. Of some kinds, only the latest message
waits."""

from collections.abc import Callable

from textual.message import Message
from textual.message_pump import MessagePump

from player.events import (
    AttachmentsChanged,
    BookmarksChanged,
    Bus,
    CachedChanged,
    Cause,
    EpisodeMeasured,
    EpisodesChanged,
    EpisodesMarked,
    InboxChanged,
    LibraryChanged,
    ListsChanged,
    Mark,
    NetworkChanged,
    Notice,
    PlaybackChanged,
    PodcastAdded,
    PodcastRefreshed,
    PodcastRemoved,
    PodcastsArranged,
    PodcastsImported,
    QueueChanged,
    RefreshProgress,
    SegmentsChanged,
    SyncChanged,
)
from player.model.downloads import (
    DownloadDeleted,
    DownloadFinished,
    DownloadProgress,
    DownloadQueueChanged,
    DownloadsProgress,
)
from player.model.episode import EpisodeId
from player.model.filters import State
from player.model.playback import PlaybackStatus
from player.model.podcast import PodcastId
from tui.framework.messages import FieldMessage


class _Latest(FieldMessage):
    """A message that replaces an earlier one of its kind that is still waiting."""

    def can_replace(self, message: Message) -> bool:
        return type(message) is type(self)


class StatusMoved(_Latest):
    """The playback status has changed."""

    status: PlaybackStatus


class RefreshMoved(FieldMessage):
    progress: RefreshProgress

    def can_replace(self, message: Message) -> bool:
        return (
            isinstance(message, RefreshMoved)
            and message.progress.number == self.progress.number
            and self.progress.done < self.progress.total
        )


class SubscriptionsChanged(_Latest):
    """Podcasts were added, removed or refreshed, or another process wrote to the library: lists may be outdated."""


class PodcastArrived(FieldMessage):
    podcast_id: PodcastId


class EpisodesTouched(FieldMessage):
    """Stars, played marks or positions of these episodes have changed."""

    episode_ids: tuple[EpisodeId, ...]


class MarksTouched(FieldMessage):
    """These episodes got the mark, or lost it."""

    episode_ids: tuple[EpisodeId, ...]
    mark: Mark


class ListsTouched(_Latest):
    """The listener's own lists or their episodes have changed, the options of a list were set outside of that list, or
    the tags, own titles or pins of podcasts have changed."""


class StateChanged(FieldMessage):
    """Episodes entered or left a state, or their order has changed: views of that state may be out of date."""

    state: State

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, StateChanged) and message.state is self.state


class AttachmentsArrived(FieldMessage):
    """Chapters or transcripts of this episode arrived, or couldn't be fetched."""

    episode_id: EpisodeId


class WaveformArrived(FieldMessage):
    """The loudness of this episode was measured, or more of it."""

    episode_id: EpisodeId


class BookmarksTouched(_Latest):
    """Bookmarks were made, changed or deleted."""


class SegmentsTouched(FieldMessage):
    """Segments of these episodes were marked, changed, deleted, found or rejected."""

    episode_ids: tuple[EpisodeId, ...]


class NetworkMoved(_Latest):
    """Earmark went offline or came back online."""


class SyncMoved(_Latest):
    """Syncing began or ended, or uses another account."""


class CachedMoved(_Latest):
    """The set of completely cached episodes has changed."""


class DownloadsMoved(_Latest):
    """Downloads began, ended, wait, were reordered or made progress."""


class NoticeArrived(FieldMessage):
    notice: Notice


def message_for(event: object) -> Message | None:
    """The message about `event` for screens; None for events that screens don't need."""
    match event:
        case PlaybackChanged(status):
            return StatusMoved(status)
        case EpisodesChanged(episode_ids):
            return EpisodesTouched(episode_ids)
        case EpisodesMarked(episode_ids, mark):
            return MarksTouched(episode_ids, mark)
        case QueueChanged(Cause.FEED) | InboxChanged(Cause.FEED):
            return SubscriptionsChanged()  # published every few feeds of a refresh: the lists are read once for many
        case QueueChanged():
            return StateChanged(State.QUEUED)
        case InboxChanged():
            return StateChanged(State.NEW)
        case DownloadFinished() | DownloadDeleted():
            return StateChanged(State.DOWNLOADED)
        case NetworkChanged():
            return NetworkMoved()
        case SyncChanged():
            return SyncMoved()
        case DownloadQueueChanged() | DownloadProgress() | DownloadsProgress():
            return DownloadsMoved()
        case CachedChanged():
            return CachedMoved()
        case AttachmentsChanged(episode_id):
            return AttachmentsArrived(episode_id)
        case EpisodeMeasured(episode_id):
            return WaveformArrived(episode_id)
        case BookmarksChanged():
            return BookmarksTouched()
        case SegmentsChanged(episode_ids):
            return SegmentsTouched(episode_ids)
        case RefreshProgress():
            return RefreshMoved(event)
        case PodcastAdded(podcast_id, Cause.PERSON):
            return PodcastArrived(podcast_id)
        case PodcastRefreshed(new=(), changed=False):
            return None
        case PodcastRefreshed() | PodcastAdded() | PodcastsImported() | PodcastRemoved() | LibraryChanged():
            return SubscriptionsChanged()
        case ListsChanged() | PodcastsArranged():
            return ListsTouched()
        case Notice():
            return NoticeArrived(event)
        case _:
            return None


class Bridge:
    """Connects a bus with a screen, from `connect` to `disconnect`."""

    def __init__(self, bus: Bus, screen: MessagePump) -> None:
        self._bus = bus
        self._screen = screen
        self._end: Callable[[], None] | None = None

    def connect(self) -> None:
        self._end = self._bus.subscribe(object, self._carry)

    def disconnect(self) -> None:
        if self._end is not None:
            self._end()
            self._end = None

    def _carry(self, event: object) -> None:
        message = message_for(event)
        if message is not None:
            self._screen.post_message(message)

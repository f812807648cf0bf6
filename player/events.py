"""What has happened, and the bus that carries it from any thread to whoever listens."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar, cast

from player.model.episode import EpisodeId
from player.model.playback import PlaybackStatus, Severity
from player.model.podcast import PodcastId

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PodcastAdded:
    podcast_id: PodcastId


@dataclass(frozen=True, slots=True)
class PodcastRemoved:
    podcast_id: PodcastId


@dataclass(frozen=True, slots=True)
class PodcastRefreshed:
    """A feed was read (`error` is None) or couldn't be (`error` is the sentence for its row).

    `reason` is the error in a few words. `changed`: its row or its episodes are other than before.
    """

    podcast_id: PodcastId
    new: tuple[EpisodeId, ...] = ()
    changed: bool = False
    error: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RefreshProgress:
    """`done` of `total` feeds; the refresh is over when they are equal."""

    done: int
    total: int
    new: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class EpisodesChanged:
    """Stars, played marks or places of these episodes are other than before."""

    episode_ids: tuple[EpisodeId, ...]


@dataclass(frozen=True, slots=True)
class AttachmentsChanged:
    """Chapters or transcripts of this episode came, or failed to."""

    episode_id: EpisodeId


@dataclass(frozen=True, slots=True)
class LibraryChanged:
    """Another process wrote to the library: whatever is on the screen may be old."""


@dataclass(frozen=True, slots=True)
class PlaybackChanged:
    """A new status: a state, a place, what is kept. At most about ten times a second."""

    status: PlaybackStatus


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the user that belongs to no row."""

    text: str
    severity: Severity = Severity.INFORMATION


Event = (
    PodcastAdded
    | PodcastRemoved
    | PodcastRefreshed
    | RefreshProgress
    | EpisodesChanged
    | AttachmentsChanged
    | LibraryChanged
    | PlaybackChanged
    | Notice
)
E_ = TypeVar("E_")


class Bus:
    """Carries events. Handlers run in the publisher's thread, in order of subscription, and must be quick.

    A handler that raises is logged and doesn't keep the event from the others.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._handlers: tuple[tuple[type[object], Callable[[object], None]], ...] = ()

    def subscribe(self, kind: type[E_], handler: Callable[[E_], None]) -> Callable[[], None]:
        """Calls `handler` with each event of `kind` (`object`: with all). Returns what ends the subscription."""
        entry = (cast(type[object], kind), cast(Callable[[object], None], handler))
        with self._lock:
            self._handlers = (*self._handlers, entry)

        def unsubscribe() -> None:
            with self._lock:
                self._handlers = tuple(other for other in self._handlers if other is not entry)

        return unsubscribe

    def publish(self, event: Event) -> None:
        for kind, handler in self._handlers:
            if isinstance(event, kind):
                try:
                    handler(event)
                except Exception:
                    log.exception("a listener failed on %r", event)

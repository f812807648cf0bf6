"""Automatic syncing while Earmark runs. Until there is an account, nothing is loaded for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence, Set
from concurrent.futures import Future
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from player.errors import LibraryError
from player.events import (
    BookmarksChanged,
    Bus,
    Cause,
    EpisodeFinished,
    EpisodeLeft,
    EpisodesMarked,
    EpisodeStarted,
    LibraryChanged,
    NetworkChanged,
    Paused,
    PodcastAdded,
    PodcastRemoved,
    PodcastsArranged,
    PodcastsImported,
    QueueChanged,
    Resumed,
    SegmentsChanged,
)
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import PlaybackStatus
from player.model.podcast import PodcastId
from player.model.syncing import SyncStatus
from player.paths import Paths
from player.processes.threads import on_own_thread
from player.text.sentences import _

if TYPE_CHECKING:
    from player.model.syncing import Taken
    from player.net.credentials import Credentials
    from player.net.loop import NetworkLoop
    from player.playback.navigation import Moved
    from player.sync.arrived import Arrived
    from player.sync.synchroniser import Synchroniser

log = logging.getLogger(__name__)

_NEWS = (
    EpisodeStarted, EpisodeFinished, EpisodeLeft, Paused, Resumed, EpisodesMarked, PodcastAdded, PodcastsImported,
    PodcastRemoved, PodcastsArranged, QueueChanged, BookmarksChanged, SegmentsChanged,
)  # fmt: skip
"""The events by which the listener does something that other devices should know."""


class Session(Protocol):
    """The session, as far as syncing needs it."""

    @property
    def status(self) -> PlaybackStatus: ...
    def moved(self, moved: Moved, /) -> None: ...


class AutomaticSync:
    """For any thread. `offline`: whether Earmark is.

    `read` reads feeds, and waits for that; `unsubscribe` does the same as for the listener.
    """

    def __init__(
        self,
        library: Library,
        bus: Bus,
        paths: Paths,
        session: Session,
        *,
        offline: Callable[[], bool],
        read: Callable[[Sequence[PodcastId]], object],
        unsubscribe: Callable[[PodcastId, datetime], Future[str | None]],
        credentials: Credentials,
        network: NetworkLoop,
    ) -> None:
        self._library = library
        self._bus = bus
        self._paths = paths
        self._session = session
        self._offline = offline
        self._read = read
        self._unsubscribe = unsubscribe
        self._credentials = credentials
        self._network = network
        self._synchroniser: Synchroniser | None = None
        self._making = threading.Lock()
        self._closed = False

    def start(self) -> None:
        """Syncs at once, if there is an account."""
        self._bus.subscribe(LibraryChanged, lambda _event: self.account_changed())
        self.account_changed()

    @property
    def status(self) -> SyncStatus:
        return SyncStatus() if self._synchroniser is None else self._synchroniser.status

    @property
    def is_settled(self) -> bool:
        """Whether other devices' changes are here, or can't be waited for any longer."""
        return self._synchroniser is None or self._synchroniser.is_settled

    def now(self) -> str:
        """A person wants a round. Returns the reason if none begins at once, as a sentence, else "". Raises
        LibraryError."""
        if self._synchroniser is None or self._synchroniser.status.account is None:
            self.account_changed()
        if self._synchroniser is None or not self._library.state.has_sync_account():
            return _("Syncing isn't set up. Set it up with: earmark sync setup KIND WHERE")
        if self._synchroniser.is_offline:
            return _("Earmark is offline. It syncs when there is a network again.")
        self._synchroniser.now()
        return ""

    def merge(self, merge: Callable[[Set[EpisodeId]], Taken]) -> Taken:
        """Runs the first merge and does what follows from it, as after a round; then syncs by itself. `merge` is called
        with the episodes that must not be moved; its exceptions are raised here."""
        arrived = self._arrived()
        taken = merge(arrived.playing())
        arrived.taken(taken)
        self.account_changed()
        return taken

    def account_changed(self) -> None:
        """There may be an account now, a different one, or none any more; and there may be something to send."""
        try:
            if self._synchroniser is None and not self._library.state.has_sync_account():
                return
        except LibraryError as error:
            log.warning("the account for syncing can't be read: %s", error)
            return
        if (synchroniser := self._begun()) is not None:
            synchroniser.account_changed()
            synchroniser.changed()

    def close(self, within_s: float, *, sends: bool = True) -> None:
        """As Synchroniser.close."""
        with self._making:
            self._closed = True
        if self._synchroniser is not None:
            self._synchroniser.close(within_s, sends=sends)

    # -- inside -----------------------------------------------------------------------------------------------

    def _begun(self) -> Synchroniser | None:
        with self._making:
            if self._synchroniser is None and not self._closed:
                self._synchroniser = self._made()
                for kind in _NEWS:
                    self._bus.subscribe(kind, self._news)
                self._bus.subscribe(NetworkChanged, self._network_changed)
                self._synchroniser.start()
            return self._synchroniser

    def _made(self) -> Synchroniser:
        from player.measuring.around import SoundsAround
        from player.measuring.kept_sounds import KeptSounds
        from player.sync.synchroniser import Synchroniser
        from player.sync.ways import target_of

        arrived = self._arrived()
        return Synchroniser(
            self._library,
            self._bus,
            self._paths.sync_lock,
            lambda account: target_of(account, self._paths, self._credentials, self._network),
            offline=self._offline,
            playing=arrived.playing,
            around=SoundsAround(self._library, KeptSounds(self._paths.sounds)),
            taken=arrived.taken,
        )

    def _arrived(self) -> Arrived:
        from player.sync.arrived import Arrived

        return Arrived(
            self._library,
            self._bus,
            status=lambda: self._session.status,
            move=self._session.moved,
            read=lambda ids: on_own_thread(lambda: self._read(ids), "earmark-sync-feeds"),
            unsubscribe=self._unsubscribe,
        )

    def _news(self, event: object) -> None:
        if self._synchroniser is not None and getattr(event, "cause", None) is not Cause.SYNC:
            self._synchroniser.changed()

    def _network_changed(self, _event: NetworkChanged) -> None:
        if self._synchroniser is not None:
            self._synchroniser.network_changed()

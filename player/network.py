"""Whether Earmark uses the network, and what can be played without it: for a screen, whose thread never waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from player.model.downloads import DownloadSnapshot
from player.model.episode import Episode, EpisodeId

if TYPE_CHECKING:
    from player.services import Services


class Network:
    """`built` are the services if they have been built; `services` waits for that."""

    def __init__(self, built: Callable[[], Services | None], services: Callable[[], Services]) -> None:
        self._built = built
        self._services = services

    @property
    def offline(self) -> bool:
        """Whether no requests are made: there is no network, or the listener wants none."""
        services = self._built()
        return services is not None and services.offline.on

    @property
    def by_hand(self) -> bool:
        """Whether the listener wants to be offline."""
        services = self._built()
        return services is not None and services.offline.by_hand

    @property
    def only_here(self) -> bool:
        """Whether lists show only episodes that can be played without a network."""
        services = self._built()
        return services is not None and services.offline.only_here

    @property
    def sync_failures(self) -> int:
        """How many attempts to sync have failed since the last successful one."""
        services = self._built()
        return 0 if services is None else services.sync.status.state.failures

    @property
    def sync_needs_login(self) -> bool:
        """Whether the last attempt failed because of the name or password."""
        services = self._built()
        return services is not None and services.sync.status.state.failure == "login"

    def choose(self, offline: bool, *, only_here: bool = False) -> None:
        """Ends all requests at once, or lets them be made again. Until Earmark ends."""
        self._services().offline.choose(offline, only_here=only_here)

    def cached_ids(self) -> frozenset[EpisodeId]:
        """The completely cached episodes. Waits for the library, and raises LibraryError."""
        return self._services().cached_ids()

    @property
    def is_built(self) -> bool:
        """Whether everything that isn't needed for the first frame has been loaded."""
        return self._built() is not None

    def downloads(self) -> DownloadSnapshot:
        """The present queue of downloads; empty before it is loaded."""
        services = self._built()
        return DownloadSnapshot() if services is None else services.downloads.snapshot()

    def has(self, episode: Episode) -> bool:
        """Whether the whole episode can be played without a network. Doesn't read the disk."""
        services = self._built()
        return episode.downloaded or (services is not None and services.media.is_here(episode))

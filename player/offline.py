"""Offline mode: what it ends, and what continues by itself when the network is back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from player.events import Bus, NetworkChanged
from player.links.urls import origin
from player.net.connectivity import Connectivity, Seen

if TYPE_CHECKING:
    from player.attachments.attachments import Attachments
    from player.jobs.runner import JobRunner
    from player.media.store import MediaStore


class OfflineMode:
    """For any thread. `watch` is asked before each request; `urls` are feeds' addresses, whose servers may be asked
    whether there is a network. The choice applies until Earmark ends."""

    def __init__(self, bus: Bus, urls: Callable[[], Sequence[str]]) -> None:
        self._bus = bus
        self._urls = urls
        self._only_here = False
        self._parts: tuple[MediaStore, Attachments, JobRunner] | None = None
        self.watch = Connectivity(self._reach, self._origins, self._publish)
        self._lane = bus.lane("offline")
        bus.subscribe(Seen, self.watch.seen)
        bus.subscribe(NetworkChanged, self._changed, self._lane)

    def attach(self, media: MediaStore, attachments: Attachments, jobs: JobRunner) -> None:
        """The parts that use the network."""
        self._parts = media, attachments, jobs

    @property
    def on(self) -> bool:
        return self.watch.offline

    @property
    def by_hand(self) -> bool:
        """Whether the listener wants to be offline."""
        return self.watch.by_hand

    @property
    def only_here(self) -> bool:
        """Whether lists show only episodes that can be played without a network."""
        return self._only_here and self.on

    def choose(self, offline: bool, *, only_here: bool = False) -> None:
        """Ends all requests at once, or lets them be made again."""
        other, self._only_here = self._only_here != only_here, only_here
        if not self.watch.choose(offline) and other:
            self._publish()

    def close(self) -> None:
        self.watch.close()

    # -- inside -------------------------------------------------------------------------------------------------

    def _reach(self, origin: str) -> bool:
        return self._parts is not None and self._parts[0].reach(origin)

    def _origins(self) -> list[str]:
        return [one for one in dict.fromkeys(map(origin, self._urls())) if one]

    def _publish(self) -> None:
        self._bus.publish(NetworkChanged(self.on, self.by_hand, self.only_here))

    def _changed(self, _event: NetworkChanged) -> None:
        """Runs in a lane, because ending a job keeps its thread waiting."""
        if self._parts is None:
            return
        media, attachments, jobs = self._parts
        if not self.on:
            media.network_is_back()
            attachments.network_is_back()
            return
        if self.by_hand:
            media.cut_network()
        jobs.cancel_automatic()

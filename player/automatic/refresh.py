"""Automatic refreshes: at the start, at intervals, and retries for podcasts that were never reached."""

from collections.abc import Callable

from player.errors import LibraryError
from player.events import NetworkChanged
from player.model.playback import Severity
from player.model.podcast import PodcastId
from player.player import Player
from player.processes.threads import on_own_thread

_MINUTE_S = 60.0
"""How often a podcast that was never reached is tried again, and it is looked whether all are to be refreshed."""

InBackground = Callable[[Callable[[], None]], object]


def _on_own_thread(work: Callable[[], None]) -> object:
    return on_own_thread(work, "earmark-retry")


class AutomaticRefresh:
    """What the settings promise while Earmark runs. `every` calls a function every so many seconds; `in_background`
    runs one that reads the library, without waiting for it."""

    def __init__(
        self,
        player: Player,
        *,
        every: Callable[[float, Callable[[], None]], object],
        in_background: InBackground = _on_own_thread,
    ) -> None:
        self._player = player
        self._every = every
        self._in_background = in_background
        self._retries = False
        self._minutes = 0
        """Since the last refresh at an interval."""

    def begin(self, unread: list[PodcastId]) -> None:
        """`unread` are podcasts to read at the start even if the settings ask for no refresh then."""
        self._retries = self._player.settings.feeds.refresh_on_start
        self._player.bus.subscribe(NetworkChanged, self._back_online)
        if self._retries:
            self._refresh(None)
        elif unread:
            self._refresh(unread)
        self._every(_MINUTE_S, self._minute)

    def never_read(self, url: str = "") -> list[PodcastId]:
        """The podcasts that were never read, or only the one with that `url`. Call it in a thread."""
        podcasts = self._player.library.podcasts.all()
        return [one.id for one in podcasts if one.last_refreshed is None and url in ("", one.url)]

    def _back_online(self, event: NetworkChanged) -> None:
        """What has become due meanwhile."""
        if not event.offline and (self._retries or self._player.settings.feeds.refresh_minutes > 0):
            self._refresh(None)

    def _minute(self) -> None:
        """How often to refresh may be set anew meanwhile."""
        if self._retries:
            self._in_background(self._retry)
        self._minutes += 1
        if 0 < self._player.settings.feeds.refresh_minutes <= self._minutes:
            self._minutes = 0
            self._refresh(None)

    def _retry(self) -> None:
        try:
            unread = self.never_read()
        except LibraryError as error:
            self._player.notify(str(error), Severity.ERROR)
            return
        if unread:
            self._refresh(unread)

    def _refresh(self, podcast_ids: list[PodcastId] | None) -> None:
        self._player.refresh(podcast_ids, by_person=False)

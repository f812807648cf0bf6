"""Automatic refreshes: at the start, at intervals, and retries for podcasts that were never reached."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from player.model.podcast import PodcastId
from player.player import Player

_RETRY_S = 60.0
"""How often a podcast that was never reached is tried again."""


class AutomaticRefresh:
    """`every` calls a function every so many seconds; `in_background` runs a coroutine without waiting."""

    def __init__(
        self,
        player: Player,
        *,
        every: Callable[[float, Callable[[], None]], object],
        in_background: Callable[[Callable[[], Coroutine[Any, Any, None]]], object],
    ) -> None:
        self._player = player
        self._every = every
        self._in_background = in_background
        self._automatic = False

    def begin(self, unread: list[PodcastId]) -> None:
        """`unread` are podcasts to read at the start even if the settings ask for no refresh then."""
        feeds = self._player.settings.feeds
        self._automatic = feeds.refresh_on_start or feeds.refresh_minutes > 0
        if feeds.refresh_on_start:
            self._refresh(None)
            self._every(_RETRY_S, self._retry_soon)
        elif unread:
            self._refresh(unread)
        if feeds.refresh_minutes > 0:
            self._every(feeds.refresh_minutes * 60, lambda: self._refresh(None))

    def back_online(self) -> None:
        """What has become due meanwhile."""
        if self._automatic and not self._player.network.offline:
            self._refresh(None)

    def _retry_soon(self) -> None:
        self._in_background(self.retry)

    async def retry(self) -> None:
        if unread := await asyncio.to_thread(self.never_read):
            self._refresh(unread)

    def never_read(self, url: str = "") -> list[PodcastId]:
        """The podcasts that were never read, or only the one with that `url`. Call it in a thread."""
        podcasts = self._player.library.podcasts.all()
        return [one.id for one in podcasts if one.last_refreshed is None and url in ("", one.url)]

    def _refresh(self, podcast_ids: list[PodcastId] | None) -> None:
        self._player.refresh(podcast_ids, by_person=False)

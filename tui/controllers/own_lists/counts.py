"""Counts how many episodes of each list are unplayed, off the screen's thread, a moment after a change."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

from player.errors import LibraryError
from player.library import Interrupted
from player.model.filters import ListId, SavedList
from player.player import Player
from tui.controllers.ui import Ui

_REST_S = 0.3
"""Changes within this time are counted together, so that a start or a refresh comes first."""
_SHARE = 10
"""Counting takes at most this part of the time."""

Counts = Mapping[ListId, tuple[int, bool]]


class ListCounts:
    """`lists` are those in the sidebar; `show` receives their counts."""

    def __init__(
        self, player: Player, ui: Ui, lists: Callable[[], Sequence[SavedList]], show: Callable[[Counts], None]
    ) -> None:
        self._player = player
        self._ui = ui
        self._lists = lists
        self._show = show
        self._next_at = 0.0

    def changed(self) -> None:
        if self._lists():
            self._ui.in_background(self._count, "list counts")

    async def _count(self) -> None:
        await asyncio.sleep(max(_REST_S, self._next_at - time.monotonic()))
        lists = [one.id for one in self._lists()]
        started = time.monotonic()
        try:
            counts = await asyncio.to_thread(self._read, lists)
        except (LibraryError, Interrupted):
            return  # the list itself says so, where it is opened
        now = time.monotonic()
        self._next_at = now + (now - started) * _SHARE
        self._show(counts)

    def _read(self, lists: Sequence[ListId]) -> Counts:
        """Runs in a thread."""
        from player.library.listening.list_contents import unplayed

        return {one: unplayed(self._player.library.listing, one) for one in lists}

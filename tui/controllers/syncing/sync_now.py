"""One round of syncing that the listener wants, and what came of it."""

import asyncio
from collections.abc import Callable

from player.events import Notice, SyncChanged
from player.model.playback import Severity
from player.player import Player
from player.sync.words import failure_words
from player.text.sentences import _
from tui.controllers.ui import Ui


class SyncNow:
    """That it went well is said only if there is no other news of it, such as a position that has moved."""

    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui
        self._ends: tuple[Callable[[], None], ...] = ()
        self._has_news = False

    def begin(self) -> None:
        self._ui.in_background(self._begin, "sync now")

    async def _begin(self) -> None:
        sync = self._player.services.sync
        begun = sync.status.under_way

        def changed(event: SyncChanged) -> None:
            """On the thread that syncs."""
            if event.status.rounds > begun and not event.status.busy:
                self._end()
                self._ui.call_later(self._ended, failure_words(event.status))

        self._ui.say(_("Syncing{ellipsis}", ellipsis=self._ui.glyphs.ellipsis))
        bus = self._player.bus
        self._ends = bus.subscribe(SyncChanged, changed), bus.subscribe(Notice, self._noticed)
        if problem := await asyncio.to_thread(sync.now):
            self._end()
            self._ui.say(problem, Severity.WARNING)

    def _noticed(self, _notice: Notice) -> None:
        self._has_news = True

    def _end(self) -> None:
        for end in self._ends:
            end()

    def _ended(self, failure: str) -> None:
        if failure:
            self._ui.say(failure, Severity.WARNING)
        elif not self._has_news:
            self._ui.say(_("Synced"))

"""The History view: what was heard, read a page first and then whole, and played again from where it ended."""

import asyncio
from collections.abc import Callable
from datetime import date

from player.errors import LibraryError
from player.library import Listing
from player.library.history.sessions import Session
from player.model.filters import View, ViewName
from player.player import Player
from player.text.sentences import _
from tui.controllers.playback import PlaybackController
from tui.controllers.ui import Ui
from tui.widgets.episode_list import EpisodeList
from tui.widgets.own_rows import SessionRows

_PAGE = 10_000
_NEAR_END_MS = 30_000
"""A session that ended nearer than this to the episode's end was heard to the end."""


class HistoryController:
    """`here` is the view that is shown, and `reload` reads it again."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        playback: PlaybackController,
        rows: EpisodeList,
        *,
        here: Callable[[], View],
        reload: Callable[[], None],
        today: Callable[[], date],
    ) -> None:
        self._player = player
        self._ui = ui
        self._playback = playback
        self._here = here
        self._reload = reload
        self._rows = rows
        self._today = today
        self._known: list[Session] | None = None
        """All sessions as last read, once they have been read."""
        self._reading = False

    @property
    def is_shown(self) -> bool:
        return self._here().name is ViewName.HISTORY

    def listing(self, view: View, cancelled: Callable[[], bool]) -> Listing:
        """The listing of any view. Reads the library, on the thread that reads lists."""
        if view.name is not ViewName.HISTORY:
            return self._player.library.listing(view, cancelled)
        latest, before = self._player.library.history.sessions()
        if before is not None and self._known is None:
            return SessionRows(latest, view.title, self._today, more=True)
        if before is not None and self._known is not None:
            earliest = latest[-1].start
            latest = self._known = [*latest, *(one for one in self._known if one.start < earliest)]
        return SessionRows(latest, view.title, self._today)

    @property
    def selected(self) -> Session | None:
        """The session under the cursor."""
        listing = self._rows.listing
        return listing.session_at(self._rows.cursor) if isinstance(listing, SessionRows) else None

    def shown(self, listing: Listing) -> None:
        """Reads the rest of the history once its first page is shown."""
        if isinstance(listing, SessionRows) and listing.more and not self._reading:
            self._reading = True
            self._ui.in_background(self._read_rest, "history")

    def changed(self) -> None:
        """Something was heard, or forgotten."""
        if self.is_shown:
            self._reload()

    def forget(self) -> None:
        """What has been read is outdated."""
        self._known = None
        self.changed()

    def ask_to_forget(self) -> None:
        """Deletes the history if the listener confirms."""

        def answered(yes: bool | None) -> None:
            if yes:
                self._ui.in_background(self._forget, "forget history")

        from tui.dialogs.confirm import ConfirmScreen

        question = _("Delete your listening history?")
        detail = _(
            "What you heard and your statistics go for good, also on devices that sync through the same folder. "
            "Positions, stars and played marks stay."
        )
        self._ui.push(
            ConfirmScreen(question, detail, _("delete"), _("cancel"), title=_("Delete history"), danger=True), answered
        )

    async def _forget(self) -> None:
        try:
            await asyncio.to_thread(self._player.library.history.forget)
        except LibraryError as error:
            self._ui.notify(str(error), severity="error", markup=False)
            return
        self.forget()
        self._ui.say(_("Your listening history is deleted"))

    def play(self) -> bool:
        """Plays from where the session under the cursor ended; False if there is none."""
        session = self.selected
        if session is None:
            return False
        if session.episode is None:
            gone = _("“{title}” is no longer in your library", title=session.title or session.podcast)
            self._ui.say(gone)
            return True
        length = session.episode.duration_ms
        ended = length is not None and session.to_ms > length - _NEAR_END_MS
        self._playback.play_from(session.episode.id, 0 if ended else session.to_ms)
        return True

    async def _read_rest(self) -> None:
        try:
            self._known = await asyncio.to_thread(self._whole)
        except LibraryError as error:
            self._ui.notify(str(error), severity="error", markup=False)
        else:
            self.changed()
        finally:
            self._reading = False

    def _whole(self) -> list[Session]:
        history = self._player.library.history
        found, before = history.sessions()
        while before is not None:
            some, before = history.sessions(before, size=_PAGE)
            found += some
        return found

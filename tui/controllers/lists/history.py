"""The History view: listening sessions, of which the first page is read before the rest, and playing on from where a
session ended."""

import asyncio
from collections.abc import Callable

from player.errors import LibraryError
from player.library import Listing
from player.library.history.sessions import Session
from player.model.filters import View, ViewName
from player.text.sentences import _
from tui.controllers.lists.list import ListController, ListKind
from tui.widgets.own_rows import SessionRows

_PAGE = 10_000
_NEAR_END_MS = 30_000
"""A session that ended closer than this to the end of the episode counts as heard to the end."""


class HistoryList(ListKind):
    view_name = ViewName.HISTORY
    plays_on, stays_whole = False, True

    def __init__(self, lists: ListController) -> None:
        super().__init__(lists)
        self._known: list[Session] | None = None
        """All sessions, once they have all been read."""
        self._reading = False

    @property
    def enter_word(self) -> str:
        return _("play from here")

    def listing(self, view: View, _cancelled: Callable[[], bool]) -> Listing:
        latest, before = self.player.library.history.sessions()
        if before is not None and self._known is None:
            return SessionRows(latest, view.title, self.lists.today, more=True)
        if before is not None and self._known is not None:
            earliest = latest[-1].start
            latest = self._known = [*latest, *(one for one in self._known if one.start < earliest)]
        return SessionRows(latest, view.title, self.lists.today)

    @property
    def selected(self) -> Session | None:
        """The session under the cursor."""
        listing = self.rows.listing
        return listing.session_at(self.rows.cursor) if isinstance(listing, SessionRows) else None

    def shown(self, listing: Listing) -> None:
        """Reads the rest of the history once its first page is shown."""
        if isinstance(listing, SessionRows) and listing.more and not self._reading:
            self._reading = True
            self.ui.in_background(self._read_rest, "history")

    def touched(self) -> None:
        """The listening history has changed."""
        if self.is_shown:
            self.lists.load()

    def forget(self) -> None:
        """Drops the sessions that were read, and reads the list again."""
        self._known = None
        self.touched()

    def ask_to_forget(self) -> None:
        """Deletes the history if the listener confirms."""

        def answered(yes: bool | None) -> None:
            if yes:
                self.ui.in_background(self._forget, "forget history")

        from tui.dialogs.confirm import ConfirmScreen

        question = _("Delete your listening history?")
        detail = _(
            "What you heard and your statistics go for good, also on devices that sync through the same folder. "
            "Positions, stars and played marks stay."
        )
        self.ui.push(
            ConfirmScreen(question, detail, _("delete"), _("cancel"), title=_("Delete history"), danger=True), answered
        )

    async def _forget(self) -> None:
        try:
            await asyncio.to_thread(self.player.library.history.forget)
        except LibraryError as error:
            self.ui.notify(str(error), severity="error", markup=False)
            return
        self.forget()
        self.ui.say(_("Your listening history is deleted"))

    def order(self) -> bool:
        self.ui.say(_("History is in the order you listened"))
        return True

    def hide_played(self) -> bool:
        self.ui.say(_("History shows all that you heard"))
        return True

    def enter(self) -> bool:
        """Plays from where the session under the cursor ended; from the start if it was heard to the end."""
        session = self.selected
        if session is None:
            return False
        if session.episode is None:
            gone = _("“{title}” is no longer in your library", title=session.title or session.podcast)
            self.ui.say(gone)
            return True
        length = session.episode.duration_ms
        ended = length is not None and session.to_ms > length - _NEAR_END_MS
        self.ui.playback.play_from(session.episode.id, 0 if ended else session.to_ms)
        return True

    async def _read_rest(self) -> None:
        try:
            self._known = await asyncio.to_thread(self._whole)
        except LibraryError as error:
            self.ui.notify(str(error), severity="error", markup=False)
        else:
            self.touched()
        finally:
            self._reading = False

    def _whole(self) -> list[Session]:
        history = self.player.library.history
        found, before = history.sessions()
        while before is not None:
            some, before = history.sessions(before, size=_PAGE)
            found += some
        return found

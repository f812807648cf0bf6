"""The list of the built-in podcast: for somebody who has no podcasts yet, it offers to import the libraries of other
apps that are found on this computer."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from player.library import Listing
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.processes.scheduler import SharedThreads
from player.text.sentences import _
from tui.controllers.lists.list import ListController, ListKind
from tui.controllers.lists.selection import Selection
from tui.controllers.ui import after
from tui.widgets.welcome_rows import WelcomeRows

if TYPE_CHECKING:
    from player.transfer.bring import Arrived
    from player.transfer.offers import Offer, OfferFinder

_REMEMBERED = "import offers"
"""The apps whose libraries were imported or dismissed, a line for each."""
_FIRST_S = 0.5
"""Seconds from the first list until libraries are looked for: until then there is enough to do."""


class WelcomeList(ListKind):
    """Offers a library until it is imported or dismissed, or there are podcasts that came another way."""

    def __init__(self, lists: ListController, selection: Selection) -> None:
        welcome = lists.player.welcome
        self._podcast_id = welcome.id if welcome else PodcastId(0)  # no podcast has this ID
        self.view_name = View.of(ViewName.PODCAST, self._podcast_id)
        super().__init__(lists)
        self._selection = selection
        self._threads = SharedThreads(1, "earmark-offers")
        self._finder: OfferFinder | None = None
        self._offers: list[Offer] = []
        self._looked = self._imported = self._closed = False

    def close(self) -> None:
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._finder is not None:
            self._finder.close()

    # -- finding ----------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Looks for libraries of other apps, once, if the built-in podcast is the only one. To be called when the list
        is on the screen."""
        if not self._looked:
            self._looked = True
            if self._is_new:
                self.ui.in_background(self._look, "offers")

    @property
    def _is_new(self) -> bool:
        return [one.id for one in self.lists.sidebar.podcasts] == [self._podcast_id]

    @property
    def _settled(self) -> Sequence[str]:
        return self.player.remembered(_REMEMBERED).splitlines()

    async def _look(self) -> None:
        await asyncio.sleep(_FIRST_S)
        self._offers = await asyncio.get_running_loop().run_in_executor(self._threads, self._find)
        if self._offers:
            self._show()

    def _find(self) -> "list[Offer]":
        from player.transfer.load import found_files

        settled = self._settled
        files = [one for one in found_files() if one.app not in settled]
        if not files:
            return []
        from player.transfer.offers import OfferFinder

        self._finder = OfferFinder()
        if self._closed:
            self._finder.close()
        return self._finder.offers(files)

    def _show(self) -> None:
        if self.is_shown:
            self.lists.load()

    # -- contents ---------------------------------------------------------------------------------------------

    def listing(self, view: View, cancelled: Callable[[], bool]) -> Listing:
        found = super().listing(view, cancelled)
        offers = tuple(self._offers) if self._is_new or self._imported else ()
        return WelcomeRows(found, offers, self._hint, self.lists.today) if offers and not view.title else found

    @property
    def is_offering(self) -> bool:
        """Whether libraries are among the rows on the screen."""
        return self.is_shown and isinstance(self.rows.listing, WelcomeRows)

    @property
    def selected(self) -> "Offer | None":
        """The library under the list's cursor."""
        listing = self.rows.listing
        return listing.offer_at(self.rows.cursor) if self.is_shown and isinstance(listing, WelcomeRows) else None

    @property
    def enter_word(self) -> str:
        return "" if self.selected is None else _("show")

    @property
    def instead(self) -> tuple[str, ...]:
        if (offer := self.selected) is None:
            return ()
        from tui.dialogs.import_file import shown

        keys = f"{self.ui.key_of('play')}  {_('show what would come')}", f"{self.ui.key_of('dismiss')}  {_('dismiss')}"
        return (offer.app, ", ".join(offer.found.facts), shown(offer.path), "", *keys)

    @property
    def _hint(self) -> str:
        return _("{key} shows what would come", key=self.ui.key_of("play"))

    # -- keys -------------------------------------------------------------------------------------------------

    def enter(self) -> bool:
        """Opens the preview of the import."""
        if (offer := self.selected) is None:
            return False
        from tui.dialogs.import_file import ImportScreen

        def closed(importing: "Future[Arrived] | None") -> None:
            if importing is not None:
                after(self.ui, importing, lambda _arrived: self._imported_from(offer.app))

        self.ui.push(ImportScreen(self.player, offer.path), closed)
        return True

    def delete(self) -> bool:
        return self.dismiss_row()

    def dismiss_row(self) -> bool:
        """Ends the offer under the cursor, also for later starts."""
        aside = self._selection.in_sidebar or self._selection.on_page
        if aside or (offer := self.selected) is None:
            return False
        self._settle(offer.app)
        self.ui.say(_("Not offered again. {key}, “import” finds it.", key=self.ui.key_of("help")))
        return True

    def _imported_from(self, app: str) -> None:
        """Other apps are still offered until Earmark is closed."""
        self._imported = True
        self._settle(app)

    def _settle(self, app: str) -> None:
        self.player.remember(_REMEMBERED, "\n".join([*self._settled, app]))
        self._offers = [one for one in self._offers if one.app != app]
        self._show()

"""Reads the sidebar's contents off the screen's thread, and runs the keys that move in it or arrange it."""

from collections.abc import Callable

from msgspec.structs import replace

from player.model.filters import View
from player.model.playback import PlaybackStatus
from player.player import Player
from player.text.sentences import _
from tui.controllers.main_ui import MainUi
from tui.controllers.ui import LibraryReader
from tui.widgets.sidebar import SidebarPane
from tui.widgets.sidebar_rows import Arrangement, PodcastOrder, Shelf, wanted_cells

_REMEMBERED = "sidebar"


class SidebarController:
    """Fills the sidebar. `first` is the view that the cursor starts on. `make_room` is called with the cells that most
    titles of podcasts want."""

    def __init__(
        self,
        player: Player,
        ui: MainUi,
        reader: LibraryReader,
        pane: SidebarPane,
        first: View | None,
        make_room: Callable[[int], object],
    ) -> None:
        self._player = player
        self._ui = ui
        self._reader = reader
        self._pane = pane
        self._sidebar = pane.rows
        self._to_select = first
        self._make_room = make_room
        self._heard = player.status.heard
        self._queued = 0
        self._sidebar.arrangement = Arrangement.of_text(player.remembered(_REMEMBERED))

    @property
    def is_selecting(self) -> bool:
        """Whether the sidebar's cursor still has to move to a selected view."""
        return self._to_select is not None

    def select(self, view: View) -> None:
        """Moves the sidebar's cursor to a view, once the contents have been read."""
        self._to_select = view
        self.load()

    def load(self) -> None:
        """Reads the sidebar's contents, then the list."""
        self._ui.in_background(self._load, "shelves")

    def update_counts(self) -> None:
        """Reads the sidebar's contents, without the list."""
        self._ui.in_background(self._fill, "counts")

    def follow(self, status: PlaybackStatus) -> None:
        """The playing episode doesn't count as queued: reads the counts again when it changes."""
        if status.heard != self._heard:
            self._heard = status.heard
            if self._queued:
                self.update_counts()

    async def _load(self) -> None:
        if await self._fill():
            self._ui.load_list()
        else:
            await self._ui.list_shown()

    async def _fill(self) -> bool:
        shelf = await self._reader.read(self._read)
        if shelf is None:
            return False
        to_select, self._to_select = self._to_select, None
        if to_select is not None:
            self._pane.drop_filter()
        self._queued = shelf.counts.queued
        self._sidebar.show(shelf, to_select)
        self._make_room(shelf.wanted_cells)
        return True

    def _read(self) -> Shelf:
        library = self._player.library
        by_date = self._sidebar.arrangement.order is PodcastOrder.NEWEST
        newest = library.podcasts.newest() if by_date else None
        counts, lists = library.episodes.counts(self._heard), library.lists.all()
        podcasts, suggested = library.podcasts.all(), library.previews.suggestions()
        wanted = wanted_cells([*podcasts, *suggested])
        new = library.inbox.counts() if self._player.settings.inbox.enabled else None
        return Shelf(podcasts, counts, lists, newest, new, suggested, wanted)

    # -- keys -------------------------------------------------------------------------------------------------

    def order(self) -> None:
        """Cycles through the orders: by name, by newest episode, by number of unplayed episodes."""
        arrangement = self._sidebar.arrangement.reordered()
        if arrangement.order is PodcastOrder.NEWEST:
            self._sidebar.arrangement = arrangement
            self.remember(arrangement)
            self.update_counts()  # the dates are read only for this order
        else:
            self._arrange(arrangement)
        self._ui.say(arrangement.order_words())

    def hide_played(self) -> None:
        arrangement = self._sidebar.arrangement
        self._arrange(replace(arrangement, hides_played=not arrangement.hides_played))
        hidden = not arrangement.hides_played
        self._ui.say(_("Podcasts with nothing unplayed are hidden") if hidden else _("All podcasts are shown"))

    def find(self) -> None:
        """Opens the field that filters the podcasts."""
        self._pane.open_filter()

    def choose(self) -> bool:
        """Ends the filter with the cursor on the found podcast; False if none was found. Without a filter, does
        nothing."""
        return not self._pane.filtering or self._pane.choose()

    def end_filter(self) -> bool:
        """Ends the filter; False if there is none."""
        if not self._pane.filtering:
            return False
        self._pane.close_filter()
        return True

    def fold(self) -> bool:
        """Folds or unfolds the group under the cursor; False if there is none."""
        if self._sidebar.group is None:
            return False
        self._sidebar.fold()
        return True

    @property
    def enter_word(self) -> str:
        """The word in the footer for `enter`."""
        tag = self._sidebar.group
        if tag is None:
            return _("open")
        return _("unfold") if tag in self._sidebar.arrangement.folded else _("fold")

    def _arrange(self, arrangement: Arrangement) -> None:
        self._sidebar.rearrange(arrangement)
        self.remember(arrangement)

    def remember(self, arrangement: Arrangement) -> None:
        """Remembers the arrangement for the next start."""
        self._player.remember(_REMEMBERED, arrangement.text)

"""What the sidebar shows, read from the library off the screen's thread."""

from collections.abc import Awaitable, Callable

from player.model.filters import View
from player.player import Player
from tui.controllers.reader import LibraryReader
from tui.controllers.ui import Ui
from tui.widgets.sidebar.sidebar import Sidebar


class SidebarController:
    """`first` is the view that the cursor stands on at first. `filled` is called when all of it has been read for the
    list beside it; `unread` is awaited when it couldn't be."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        reader: LibraryReader,
        sidebar: Sidebar,
        *,
        first: View | None,
        filled: Callable[[], None],
        unread: Callable[[], Awaitable[None]],
    ) -> None:
        self._player = player
        self._ui = ui
        self._reader = reader
        self._sidebar = sidebar
        self._filled = filled
        self._unread = unread
        self._to_select = first

    @property
    def is_selecting(self) -> bool:
        """Whether its cursor is still to go to a view."""
        return self._to_select is not None

    def select(self, view: View) -> None:
        """Its cursor goes there, once what is to be in it has been read."""
        self._to_select = view
        self.load()

    def load(self) -> None:
        """And the list after it."""
        self._ui.in_background(self._load, "shelves")

    def update_counts(self) -> None:
        """Without the list."""
        self._ui.in_background(self._fill, "counts")

    async def _load(self) -> None:
        if await self._fill():
            self._filled()
        else:
            await self._unread()

    async def _fill(self) -> bool:
        library = self._player.library
        read = await self._reader.read(lambda: (library.podcasts.all(), library.episodes.counts(), library.lists.all()))
        if read is None:
            return False
        to_select, self._to_select = self._to_select, None
        self._sidebar.show(read[0], read[1], to_select, read[2])
        return True

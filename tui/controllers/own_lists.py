"""The listener's own lists (saved searches and playlists): the keys for them in the sidebar, and their numbers of
episodes."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future

from player.errors import LibraryError
from player.library import Interrupted
from player.model.episode import EpisodeId
from player.model.filters import ListId, Order, SavedList, View, ViewName
from player.player import Player
from player.text.sentences import _, plural
from tui.controllers.lists.list import ListController, ListKind
from tui.controllers.lists.selection import Selection, Targets
from tui.controllers.ui import Ui, after, say_after
from tui.widgets.sidebar import Sidebar

_REST_S = 0.3
"""Changes within this time lead to a single count, so that the count doesn't delay a start or a refresh."""
_SHARE = 10
"""Counting takes at most one part in this many of the time."""

Counts = Mapping[ListId, tuple[int, bool]]


class ListCounts:
    """Counts the episodes of each list whenever the sidebar has been filled."""

    def __init__(self, player: Player, ui: Ui, sidebar: Sidebar) -> None:
        self._player = player
        self._ui = ui
        self._sidebar = sidebar
        self._next_at = 0.0
        sidebar.on_filled = self.changed

    def changed(self) -> None:
        if self._sidebar.lists:
            self._ui.in_background(self._count, "list counts")

    async def _count(self) -> None:
        await asyncio.sleep(max(_REST_S, self._next_at - time.monotonic()))
        lists = [one.id for one in self._sidebar.lists]
        started = time.monotonic()
        try:
            counts = await asyncio.to_thread(self._read, lists)
        except (LibraryError, Interrupted):
            return  # the list reports the error when it is opened
        now = time.monotonic()
        self._next_at = now + (now - started) * _SHARE
        self._sidebar.show_list_counts(counts)

    def _read(self, lists: Sequence[ListId]) -> Counts:
        """Called in a thread."""
        found = {one: self._player.library.listing(View.of_list(one)) for one in lists}
        return {one: (len(listing), listing.more) for one, listing in found.items()}


class OwnLists(ListKind):
    view_name = ViewName.LIST

    def __init__(self, lists: ListController, selection: Selection) -> None:
        super().__init__(lists)
        self._selection = selection
        self._sidebar = lists.sidebar

    # -- smart lists ------------------------------------------------------------------------------------------

    def save(self, query: str) -> None:
        """Opens the dialog that saves a search as a smart list."""
        from tui.dialogs.lists import ListEditor

        def entered(answer: tuple[str, str] | None) -> None:
            if answer is not None:
                self._then_show(self.player.lists.save_search(*answer))

        heading = _("Save a search as a list")
        self.ui.push(ListEditor(self.player, heading, query=query.strip(), taken=self._taken()), entered)

    def edit(self) -> None:
        """Changes a list's name and, for a smart list, its search."""
        from tui.dialogs.lists import ListEditor

        if (saved := self._selected()) is None:
            return

        def entered(answer: tuple[str, str] | None) -> None:
            if answer is not None:
                self.player.lists.change(saved.id, *answer)

        heading = _("Rename the playlist") if saved.is_playlist else _("Edit the list")
        taken = self._taken() - {saved.title.casefold()}
        self.ui.push(ListEditor(self.player, heading, saved.title, saved.query, taken=taken), entered)

    def download(self) -> None:
        """Asks how many of the first episodes of a list are to be downloaded automatically."""
        from tui.dialogs.lists import ListDownloads

        if (saved := self._selected()) is None:
            return

        def entered(number: str | None) -> None:
            if number is not None:
                most = int(number)
                say_after(self.ui, self.player.lists.download(saved.id, most), lambda _none: words(most))

        def words(most: int) -> str:
            if not most:
                return _("“{title}” is no longer auto-downloaded", title=saved.title)
            return plural(
                most,
                "The first episode of “{title}” is auto-downloaded",
                "The first {n:,} episodes of “{title}” are auto-downloaded",
                title=saved.title,
            )

        library = self.player.library
        self.ui.push(ListDownloads(saved.title, lambda: library.downloads.facts.lists().get(saved.id, 0)), entered)

    def remove(self) -> None:
        from tui.dialogs.confirm import ConfirmScreen

        if (saved := self._selected()) is None:
            return

        def decided(yes: bool | None) -> None:
            if yes:
                self.player.lists.remove(saved.id)
                self.ui.say(_("List deleted"))

        question = _("Delete the list “{title}”?", title=saved.title)
        self.ui.push(
            ConfirmScreen(
                question, _("Its episodes stay."), _("delete"), _("cancel"), title=_("Delete list"), danger=True
            ),
            decided,
        )

    def _selected(self) -> SavedList | None:
        saved = self._here
        if saved is None:
            self.ui.say(_("Select one of your lists first"))
        return saved

    @property
    def _here(self) -> SavedList | None:
        return self._sidebar.list_of(self.lists.view)

    def _taken(self) -> set[str]:
        return {one.title.casefold() for one in self._sidebar.lists}

    def _then_show(self, making: "Future[SavedList]") -> None:
        after(self.ui, making, lambda saved: self.ui.show_list(View.of_list(saved.id)))

    # -- playlists --------------------------------------------------------------------------------------------

    def add_to_playlist(self) -> None:
        self._selection.episodes(self._choose_playlist)

    def _choose_playlist(self, targets: Targets) -> None:
        from tui.dialogs.lists import PlaylistChooser

        playlists = [one for one in self._sidebar.lists if one.is_playlist]

        def chosen(answer: SavedList | str | None) -> None:
            if isinstance(answer, SavedList):
                self._say_added(self.player.lists.add_to_playlist(answer.id, targets.ids), answer.title)
            elif answer is not None:
                self._say_made(self.player.lists.new_playlist(answer, targets.ids), len(targets.ids))

        taken = {one.title.casefold() for one in self._sidebar.lists if not one.is_playlist}
        self.ui.push(PlaylistChooser(playlists, len(targets.ids), taken), chosen)

    def _say_added(self, adding: "Future[list[EpisodeId]]", title: str) -> None:
        def words(added: list[EpisodeId]) -> str:
            if not added:
                return _("Already in “{title}”", title=title)
            number = len(added)
            return plural(number, "Added to “{title}”", "{n:,} episodes added to “{title}”", title=title)

        say_after(self.ui, adding, words)

    def _say_made(self, making: "Future[SavedList]", number: int) -> None:
        def words(made: SavedList) -> str:
            return plural(number, "Added to “{title}”", "{n:,} episodes added to “{title}”", title=made.title)

        say_after(self.ui, making, words)

    # -- rows -------------------------------------------------------------------------------------------------

    def move(self, by: int) -> bool:
        """Moves the list under the sidebar's cursor, or the episodes in a playlist."""
        saved = self._here
        if saved is None:
            return False
        if self._selection.in_sidebar:
            self.player.lists.move(saved.id, by)
            return True
        if not saved.is_playlist:
            return False
        here = self.lists.options.known(self.lists.view)
        if here.title or here.order is not Order.OWN:
            self.ui.say(_("Rows can be moved only in the playlist's own order ({key})", key=self.ui.key_of("order")))
            return True
        self._selection.episodes(
            lambda targets: self.player.lists.move_in_playlist(saved.id, targets.ids, by), goes_on=False
        )
        return True

    def delete(self) -> bool:
        """Removes the selected episodes from the playlist that is shown, or deletes the list under the sidebar's
        cursor."""
        saved = self._here
        if saved is None:
            return False
        if self._selection.in_sidebar:
            self.remove()
            return True
        if not saved.is_playlist:
            edit = self.ui.key_of("edit_list")
            self.ui.say(_("A smart list takes its episodes from a search. {key} changes it.", key=edit))
            return True

        def take(targets: Targets) -> None:
            number = len(targets.ids)
            words = plural(number, "Taken out of “{title}”", "{n:,} episodes taken out of “{title}”", title=saved.title)
            say_after(self.ui, self.player.lists.take_out(saved.id, targets.ids), lambda _none: words)

        self._selection.episodes(take)
        return True

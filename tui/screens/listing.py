"""The list of the main screen: which view it shows, read from the library off the screen's thread."""

import asyncio
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import TypeVar

from player.errors import LibraryError
from player.library import Interrupted, Listing, RowsRead, read_rows
from player.model.episode import EpisodeId
from player.model.filters import View
from player.model.podcast import Podcast
from player.player import Player
from player.processes.threads import DaemonThreads
from tui.actions.table import Action, Focus
from tui.drawing import labels
from tui.framework.typing_ahead import wait_with_keys
from tui.framework.workers import start_worker
from tui.look.glyphs import glyphs_of
from tui.screens.panes import PanesScreen

T = TypeVar("T")

_CATCHING_UP = 3
"""How often the place of the cursor is looked up again, where the cursor moves while a list is read."""


class ListingScreen(PanesScreen):
    """Reads a view when it is asked for, and shows it when it has come, unless another was asked for meanwhile."""

    def __init__(
        self,
        player: Player,
        actions: tuple[Action, ...],
        first_view: View | None,
        first_episode: EpisodeId | None,
        today: Callable[[], date],
    ) -> None:
        super().__init__(player, actions, today)
        self._reader = DaemonThreads(1, "earmark-read")
        self._wanted = first_view
        self._query = first_view or View()
        self._shown: View | None = None
        self._places: dict[View, EpisodeId] = {}
        if first_episode is not None:
            self._places[self._query] = first_episode
        self._list_came = asyncio.Event()
        self._noted: EpisodeId | None = None

    def on_unmount(self) -> None:
        self._reader.shutdown(wait=False, cancel_futures=True)

    @property
    def view(self) -> View:
        """What the list shows."""
        return self._query

    # -- reading ----------------------------------------------------------------------------------------------

    async def _read(self, reading: Callable[[], T]) -> T | None:
        """What `reading` reads of the library, off the screen's thread; None when the library can't be read."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reader, reading)
        except LibraryError as error:
            self.app.notify(str(error), severity="error", markup=False)
            return None

    def _load_shelves(self) -> None:
        start_worker(self, self._shelves, group="shelves", exclusive=True)

    async def _shelves(self) -> None:
        if await self._fill_sidebar():
            self._load_list()
        else:
            await self.draw_first_frame()

    async def _fill_sidebar(self) -> bool:
        library = self.player.library
        read = await self._read(lambda: (library.podcasts.all(), library.episodes.counts()))
        if read is None:
            return False
        wanted, self._wanted = self._wanted, None
        self._sidebar.show(*read, wanted)
        return True

    def _load_list(self) -> None:
        start_worker(self, self._list, group="list", exclusive=True)

    async def _list(self) -> None:
        query, cursor_on = self._query, self._cursor_on(self._query)
        read = await self._read(partial(self._read_list, query, cursor_on))
        for _ in range(_CATCHING_UP):
            # The cursor may have moved on meanwhile.
            if read is None or query != self._query or cursor_on == (cursor_on := self._cursor_on(query)):
                break
            read = await self._read(partial(_read_around, read[0], self.player, cursor_on, self.size.height))
        if read is not None and query == self._query:
            self._show_list(*read)
            self.show_hints()
            await self.draw_first_frame()

    def _read_list(self, query: View, cursor_on: EpisodeId | None) -> tuple[Listing, int | None, RowsRead] | None:
        """What a list needs to be shown. None when another was asked for meanwhile."""
        try:
            listing = self.player.library.listing(query, unwanted=lambda: query != self._query)
        except Interrupted:
            return None
        return _read_around(listing, self.player, cursor_on, self.size.height)

    @property
    def _list_is_old(self) -> bool:
        """Whether another list than the one that is shown was asked for."""
        return self._wanted is not None or self._query != self._shown or self._query.title != self._pane.words

    def go_to(self, where: Focus) -> None:
        super().go_to(where)
        if where is Focus.EPISODES and self._list_is_old:
            self._list_came.clear()
            wait_with_keys(self.app, self._list_came.wait())

    def _cursor_on(self, query: View) -> EpisodeId | None:
        """The episode that the cursor stands on when the list is shown."""
        remembered = self._places.get(query.whole)
        if query == self._shown:
            return self._episodes.episode_id or remembered
        if self._shown is None or query.whole != self._shown.whole:
            return remembered
        return self._episodes.episode_id

    def _show_list(self, listing: Listing, place: int | None, read: RowsRead) -> None:
        query, podcast = self._query, self._podcast()
        if query != self._shown:
            self._episodes.to_top()
            self._shown = query
        self._pane.show_head(
            labels.view_title(query, podcast),
            labels.view_facts(
                query, len(listing), glyphs_of(self.app).dot, more=listing.more, is_cut=bool(podcast and podcast.note)
            ),
            podcast.error if podcast and podcast.error and not labels.is_suggestion(podcast) else "",
        )
        empty = labels.empty_words(query, podcast, any_podcast=bool(self._sidebar.podcasts))
        self._episodes.show(listing, place, empty, mixed=podcast is None, read=read)
        if not self._list_is_old:
            self._list_came.set()

    def _podcast(self) -> Podcast | None:
        """The podcast whose episodes are shown, if it is one podcast's."""
        podcast_id = self._query.podcast_id
        return None if podcast_id is None else self._sidebar.podcast_of(podcast_id)

    def show_notes(self) -> None:
        if not self._notes.display or self._episodes.is_awaited:
            return
        episode = self.episode
        if episode is not None and episode.id == self._noted:
            return
        self._noted = episode.id if episode else None
        if episode is None:
            self.workers.cancel_group(self, "page")
            known = self._shown is not None
            self._notes.show_words(
                () if not known else labels.page_words(self._podcast(), any_podcast=bool(self._sidebar.podcasts))
            )
        elif self._held:
            self._notes.show(episode, self.read_notes(episode))
        else:
            self.bring(episode)


def _read_around(
    listing: Listing, player: Player, cursor_on: EpisodeId | None, height: int
) -> tuple[Listing, int | None, RowsRead]:
    """Where an episode stands in a list, and the rows around it: a screen above and one below."""
    place = listing.place(cursor_on)
    top = place or 0
    return listing, place, read_rows(listing, player.library.episodes.rows, top - height, top + height)

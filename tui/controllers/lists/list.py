"""The list of the main screen: which view it shows, read from the library off the screen's thread."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from datetime import date
from functools import partial

from player.library import Interrupted, Listing
from player.model.episode import Episode, EpisodeId
from player.model.filters import State, View, ViewName
from player.model.podcast import Podcast, PodcastId
from player.player import Player
from player.text.sentences import _
from tui.controllers.lists.queue_heading import QueueHeading
from tui.controllers.lists.reading import Read, Stand, read_list
from tui.controllers.reader import LibraryReader
from tui.controllers.sidebar.sidebar import SidebarController
from tui.controllers.ui import Ui
from tui.drawing import labels
from tui.widgets.episodes_pane import EpisodesPane
from tui.widgets.rows.own_rows import OwnRows
from tui.widgets.sidebar.sidebar import Sidebar

QUEUE = View.of(ViewName.QUEUE)
_MOST_SOUGHT = 50
"""Of many episodes that the cursor may go to, so many are looked for in the list."""


class ListController:
    """Reads a view when it is asked for, and shows it when it has come, unless another was asked for meanwhile.

    `first` is what is shown at first, and where the cursor stands then; `filling` fills the sidebar. `shown_as` is a
    view as the listener wants it shown, which is read with the list; `listing` reads it, until it is cancelled.
    `read_too` reads what is to come along with the episode under the cursor, in the same thread. `shown` is awaited
    with each list, or if there is none.
    """

    def __init__(
        self,
        player: Player,
        ui: Ui,
        reader: LibraryReader,
        sidebar: Sidebar,
        pane: EpisodesPane,
        *,
        filling: SidebarController,
        first: tuple[View | None, EpisodeId | None],
        shown_as: Callable[[View], View],
        listing: Callable[[View, Callable[[], bool]], Listing],
        read_too: Callable[[Episode], None],
        shown: Callable[[], Awaitable[None]],
        today: Callable[[], date] = date.today,
        head: Callable[[], tuple[tuple[str, ...], str]] = lambda: ((), ""),
    ) -> None:
        self._player = player
        self._ui = ui
        self._reader = reader
        self._sidebar = sidebar
        self._filling = filling
        self._pane = pane
        self._shown_as = shown_as
        self._listing = listing
        self._read_too = read_too
        self._on_shown = shown
        self._today = today
        self._own_head = head
        first_view, first_episode = first
        self._view = first_view or View()
        self._shown: View | None = None
        self._cursors: dict[View, EpisodeId] = {}
        if first_episode is not None:
            self._cursors[self._view] = first_episode
        self._sought: tuple[EpisodeId, ...] = ()
        self._staying: tuple[EpisodeId, int] | None = None
        """What stays in the list for the cursor, and its row."""
        self._was_last: EpisodeId | None = None
        """The last row, which has left the list from under the cursor: that stands on the one before it since."""
        self._is_shown = asyncio.Event()
        self._reorders = 0
        """Orders of this list that are shown and still being written."""
        self._read_last: Read | None = None
        self.queue_heading = QueueHeading(player, ui, self._reader, self.show_head)

    @property
    def view(self) -> View:
        """What the list shows, or is about to."""
        return self._view

    @property
    def shown_as(self) -> View | None:
        """The view that is shown, as the listener wants it shown; None before the first."""
        return self._read_last.shown_as if self._read_last else None

    @property
    def podcast(self) -> Podcast | None:
        """The podcast whose episodes are shown, if it is one podcast's."""
        podcast_id = self._view.podcast_id
        return None if podcast_id is None else self._sidebar.podcast_of(podcast_id)

    @property
    def titles(self) -> dict[PodcastId, str]:
        """Of all podcasts."""
        return {podcast.id: podcast.title for podcast in self._sidebar.podcasts}

    @property
    def instead(self) -> tuple[str, ...]:
        """What stands where the notes of an episode would, when there is none; () as long as that isn't known."""
        if self._shown is None:
            return ()
        return labels.page_words(self.podcast, self._ui.key_of, any_podcast=bool(self._sidebar.podcasts))

    # -- which list -------------------------------------------------------------------------------------------

    def follow_sidebar(self) -> None:
        """To the view under the sidebar's cursor."""
        if self._sidebar.view == self._view.whole:
            return
        self._pane.drop_filter()
        self._view = self._sidebar.view
        self.load()

    def filter(self, words: str) -> None:
        self._view = self._view.narrowed(words)
        self.load()

    def show(self, view: View, episode_id: EpisodeId | None) -> None:
        """A view without a filter, with the cursor on that episode."""
        self._pane.drop_filter()
        if episode_id is not None:
            self._cursors[view] = episode_id
        if self._view.whole == view:
            self._view, self._shown = view, None
            self.load()
        else:
            self._filling.select(view)

    def show_changed(self, episode_ids: Sequence[EpisodeId]) -> None:
        """Reads the list again. The cursor goes to the first of those episodes that is in it, unless it is on one."""
        self._sought = () if self._pane.episodes.episode_id in episode_ids else tuple(episode_ids[:_MOST_SOUGHT])
        self.load()

    def show_again(self, *, from_top: bool) -> None:
        """The same view, because it is shown in another way now."""
        if from_top:
            self._cursors.pop(self._view.whole, None)
            self._shown = None
        self.load()

    def remember_cursor(self) -> None:
        """It has moved: the list opens there the next time."""
        if self._pane.episodes.episode_id is not None and self._shown is not None:
            self._cursors[self._shown.whole] = self._pane.episodes.episode_id

    def reorder(self, ids: Sequence[EpisodeId], writing: "Future[list[EpisodeId]]") -> None:
        """Shows these episodes of the list, in this order, while `writing` makes it so; then reads the list again."""
        self._reorders += 1
        self._pane.episodes.reorder(ids)
        writing.add_done_callback(lambda _future: self._ui.call_later(self._reordered))

    def _reordered(self) -> None:
        self._reorders -= 1
        if not self._reorders:
            self.load()

    # -- keys -------------------------------------------------------------------------------------------------

    def step(self, by: int, start: EpisodeId | None = None) -> Episode | None:
        """Moves the cursor; the episode under it then, None at the end of the list. Where `start` is no longer in the
        list, the cursor stands on what followed it already, or on what preceded it if it was the last.

        Raises LibraryError while that row is still to come.
        """
        episodes = self._pane.episodes
        left = start not in (None, episodes.episode_id)
        if left and (by < 0) == (start == self._was_last) and episodes.episode is not None:
            return episodes.episode
        return episodes.step(by)

    def next(self) -> None:
        if self.step(1) is None:
            self._ui.say(_("Last episode"))

    def previous(self) -> None:
        if self.step(-1) is None:
            self._ui.say(_("First episode"))

    # -- reading ----------------------------------------------------------------------------------------------

    def state_changed(self, state: State) -> None:
        """Episodes came into it or left it: a list of those with that state is read again, as are the counts."""
        self._filling.update_counts()
        if state in self._view.filter.states:
            self.load()

    def network_moved(self) -> None:
        """Reads the list again if other episodes are to be in it than before: all, or those that can be played."""
        shown = self.shown_as
        if shown is not None and (shown.filter.here is not None or self._player.network.only_here):
            self.load()

    def load_around_cursor(self) -> None:
        """Reads the list again. The row under the cursor stays in it as long as the cursor stands on it."""
        episode_id = self._pane.episodes.episode_id
        self._staying = None if episode_id is None else (episode_id, self._pane.episodes.cursor)
        self.load()

    def load(self) -> None:
        self._ui.in_background(self._load, "list")

    async def _load(self) -> None:
        view, sought, self._sought = self._view, self._sought, ()
        read: Read | None = None
        while read is None:
            stand, began_on = self._stand(view), self._pane.episodes.selection_began_on
            stays = view == self._shown and self._staying and self._staying[0] == stand.episode_id
            self._staying = self._staying if stays else None
            found = await self._reader.read(partial(self._read_list, view, stand, sought, began_on, self._staying))
            if found is None or view != self._view:
                return
            # The cursor may have moved meanwhile: it stays where it is now.
            read, sought = found.moved(self._stand(view), self._pane.episodes.selection_began_on), ()
        if not (view == self._shown and (self._reorders or self._pane.episodes.dragging)):
            self._show(read)
            await self._on_shown()

    def _read_list(
        self,
        view: View,
        stand: Stand,
        sought: Sequence[EpisodeId],
        began_on: EpisodeId | None,
        staying: tuple[EpisodeId, int] | None,
    ) -> Read | None:
        """What a list needs to be shown. None when another was asked for meanwhile."""
        shown_as = self._shown_as(view)
        listing = partial(self._listing, shown_as, lambda: view != self._view)
        try:
            read = read_list(
                self._player, listing, shown_as, stand, sought, began_on, self._ui.rows, staying, self._today()
            )
        except Interrupted:
            return None
        if view == QUEUE:
            read = read._replace(left=self.queue_heading.read())
        if (episode := read.rows.row_at(read.row or 0)) is not None:
            self._read_too(episode)
        return read

    # -- showing ----------------------------------------------------------------------------------------------

    @property
    def _is_old(self) -> bool:
        """Whether another list than the one that is shown was asked for."""
        return self._filling.is_selecting or self._view != self._shown or self._view.title != self._pane.words

    def hold_keys(self) -> None:
        """What is typed is meant for the list that was asked for."""
        if self._is_old:
            self._is_shown.clear()
            self._ui.keys_wait(self._is_shown.wait())

    def _stand(self, view: View) -> Stand:
        """Where the cursor stands when the list is shown."""
        shown, remembered = self._shown, Stand(self._cursors.get(view.whole))
        if shown is None or view.whole != shown.whole:
            return remembered
        if view != shown:
            return Stand(self._pane.episodes.episode_id)
        stand = Stand.of(self._pane.episodes)
        return remembered if stand == Stand() else stand

    def _show(self, read: Read) -> None:
        view, podcast = self._view, self.podcast
        shown_as, listing = read.shown_as, read.listing
        if view != self._shown:
            self._pane.episodes.to_top()
            self._shown, self._was_last = view, None
        elif read.row is None and self._pane.episodes.cursor >= len(listing):
            self._was_last = read.stand.episode_id
        self._read_last = read
        self.queue_heading.show(read.left)
        self.show_head()
        self._pane.episodes.draggable = view == QUEUE
        self._pane.episodes.all_queued = view.name is ViewName.QUEUE
        any_podcast, saved = bool(self._sidebar.podcasts), self._sidebar.list_of(view)
        empty = labels.empty_words(shown_as, podcast, self._ui.key_of, any_podcast=any_podcast, saved=saved)
        glyph = labels.empty_glyph(shown_as, self._ui.glyphs, any_podcast=any_podcast, saved=saved)
        self._pane.episodes.show(
            listing,
            read.row,
            empty,
            glyph,
            mixed=podcast is None,
            read=read.rows,
            began=read.began,
            headings=read.headings,
        )
        if not self._is_old:
            self._is_shown.set()

    # -- its heading ------------------------------------------------------------------------------------------

    def show_head(self) -> None:
        if (read := self._read_last) is None:
            return
        view, podcast, dot = self._view, self.podcast, self._ui.glyphs.dot
        listing, more = read.listing, read.listing.more
        shown = listing.count if isinstance(listing, OwnRows) else len(listing)
        facts = labels.view_facts(read.shown_as, shown, dot, more=more, is_cut=bool(podcast and podcast.note))
        facts = self.queue_heading.facts(shown, more=more) or facts
        trouble = podcast.error if podcast and podcast.error and not labels.is_suggestion(podcast) else ""
        own_facts, own_trouble = self._own_head()
        title = labels.view_title(view, podcast, self._sidebar.list_of(view))
        self._pane.show_head(title, own_facts or facts, own_trouble or trouble)

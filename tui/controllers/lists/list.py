"""The list of the main screen: the view that it shows, the differences of each kind of list, and when rows leave it."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import date
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from player.events import Mark
from player.library import Interrupted, Listing, RowsRead, WithRow, read_rows
from player.model.episode import Episode, EpisodeId
from player.model.filters import State, View, ViewName
from player.model.podcast import Podcast
from player.player import Player
from player.text.sentences import _
from tui.controllers.lists.view_options import ViewOptions
from tui.controllers.main_ui import MainUi
from tui.controllers.page import NotesController
from tui.controllers.sidebar import SidebarController
from tui.controllers.ui import LibraryReader
from tui.drawing import labels
from tui.drawing.episode_rows import Headings, date_groups, headings
from tui.widgets.episode_list import EpisodeList
from tui.widgets.episode_row import OwnRows
from tui.widgets.three_panes import ThreePanes

_STATES = {
    Mark.PLAYED: frozenset({State.PLAYED, State.UNPLAYED, State.IN_PROGRESS}),
    Mark.STARRED: frozenset({State.STARRED}),
}


class LeavingRows:
    """Decides when rows leave a list after a mark has changed: the row under the cursor stays until the cursor moves,
    so that the same key can take the mark back; all other rows leave at once."""

    def __init__(self, lists: "ListController") -> None:
        self._lists = lists
        self._rows = lists.rows
        self._staying: EpisodeId | None = None

    def marked(self, ids: Sequence[EpisodeId], mark: Mark) -> None:
        """The marks of these episodes have changed."""
        view = self._lists.shown_as
        if view is None:
            return
        saved = self._lists.sidebar.list_of(view)
        is_searched = saved is not None and not saved.is_playlist  # a smart list, whose search may depend on any mark
        if not (view.filter.states & _STATES[mark] or is_searched):
            return
        if len(ids) == 1 and ids[0] == self._rows.episode_id:
            self._staying = ids[0]
            # Without reading the list again, rows read later wouldn't match the rows that were counted.
            self._lists.load_around_cursor()
        else:
            self._lists.load()

    def cursor_moved(self) -> None:
        if self._staying is not None and self._rows.episode_id != self._staying:
            self._staying = None
            self._lists.load()

    def list_shown(self) -> None:
        """Call this after a list was shown: the cursor may have moved, although its message hasn't arrived yet."""
        self.cursor_moved()


class Stand(NamedTuple):
    """The place of the cursor: an episode, or a line if the row there hasn't been read yet.

    A line in the lower half of a list is counted from the end (-1 is the last), so that the cursor stays near the end
    when rows are added above it.
    """

    episode_id: EpisodeId | None = None
    line: int | None = None

    @classmethod
    def of(cls, rows: EpisodeList) -> "Stand":
        count, cursor = rows.row_count(), rows.cursor
        if rows.episode_id is not None or cursor >= count:
            return cls(rows.episode_id)
        return cls(line=cursor if cursor < count // 2 else cursor - count)

    def row_in(self, listing: Listing) -> int | None:
        """The row of this place in a list; None if its episode isn't in the list. Reads the library."""
        if self.line is None:
            return listing.rank(self.episode_id)
        return _row_of_line(self.line, len(listing))


class Read(NamedTuple):
    """A list as it was read for a cursor at `stand`. `row` is the cursor's row in it; None if its episode has left the
    list. `began` are the episode on which the selection began, and its row. `besides` is the result of the kind's
    `read_besides`."""

    shown_as: View
    listing: Listing
    stand: Stand
    row: int | None
    rows: RowsRead
    began: tuple[EpisodeId | None, int | None]
    besides: object = None
    headings: Headings = ()

    def moved(self, stand: Stand, began_on: EpisodeId | None) -> "Read | None":
        """The same list after the cursor moved, or the selection began on another episode; None if their rows weren't
        read."""
        read = self
        if stand != self.stand:
            if (row := self._row_read(stand)) is None:
                return None
            read = read._replace(stand=stand, row=row)
        if began_on != self.began[0]:
            if (began_at := self._row_read(Stand(began_on))) is None and began_on is not None:
                return None
            read = read._replace(began=(began_on, began_at))
        return read

    def _row_read(self, stand: Stand) -> int | None:
        if stand.line is not None:
            row = _row_of_line(stand.line, len(self.listing))
            return row if row in range(self.rows.start, self.rows.end) else None
        ids = list(self.rows.ids)
        return self.rows.start + ids.index(stand.episode_id) if stand.episode_id in ids else None


def read_list(
    player: Player,
    listing: Callable[[], Listing],
    shown_as: View,
    stand: Stand,
    sought: Sequence[EpisodeId],
    began_on: EpisodeId | None,
    height: int,
    staying: tuple[EpisodeId, int] | None = None,
    today: date | None = None,
) -> Read:
    """Reads a list, and its rows from `height` rows above the cursor to `height` rows below it. If there are `sought`
    episodes, the cursor goes to the first of them that is in the list. The `staying` episode keeps its row even if it
    has left the list. The headings are dated relative to `today`. Everything is read from one snapshot of the library.

    Raises LibraryError, and Interrupted if `listing` does.
    """
    with player.library.episodes.snapshot():
        made = listing()
        if staying is not None and made.rank(staying[0]) is None:
            made = WithRow(made, staying[1], staying[0])
        ranks = (made.rank(one) for one in sought)
        row = next((rank for rank in ranks if rank is not None), None)
        if row is None:
            row = stand.row_in(made)
        top = row or 0
        rows = read_rows(made, player.library.episodes.rows, top - height, top + height)
        above = _headings(player, made, shown_as, today or date.today())
        return Read(shown_as, made, stand, row, rows, (began_on, made.rank(began_on)), headings=above)


def _headings(player: Player, listing: Listing, shown_as: View, today: date) -> Headings:
    """The dates above the rows, if the list is ordered by date, mixes podcasts and isn't filtered by words; otherwise
    ()."""
    dated = listing.dated if isinstance(listing, OwnRows) else listing
    if shown_as.podcast_id is not None or shown_as.title or not dated:
        return ()
    groups = date_groups(today)
    found = player.library.episodes.counts_since(dated, [one.since for one in groups[:-1]])
    return () if found is None else headings(groups, found.counts, len(dated), oldest_first=found.oldest_first)


def _row_of_line(line: int, count: int) -> int | None:
    return max(0, min(line if line >= 0 else count + line, count - 1)) if count else None


class ListKind:
    """The behaviour in which kinds of lists differ. The defaults are those of a plain list of episodes."""

    view_name: ViewName | View | None = None
    """The view of this kind, or all views with this name; None: all views without a kind of their own."""
    all_queued = False
    """Whether all its episodes are queued, so that no row needs a mark for that."""
    plays_on = True
    """Whether playback can continue with this list after the queue."""
    stays_whole = False
    """Whether it keeps all its rows while other lists show only episodes that can be played offline."""

    def __init__(self, lists: "ListController") -> None:
        self.player = lists.player
        self.ui = lists.ui
        self.lists = lists
        self.rows = lists.rows
        lists.kinds[self.view_name] = self

    @property
    def is_shown(self) -> bool:
        return self.lists.kind is self

    # -- contents ---------------------------------------------------------------------------------------------

    def listing(self, view: View, cancelled: Callable[[], bool]) -> Listing:
        """The list of a view. Reads the library, on the thread that reads lists. May raise Interrupted once `cancelled`
        returns True."""
        return self.player.library.listing(view, cancelled)

    def read_besides(self, _view: View) -> object:
        """Reads the argument for `show`, after the rows and on the same thread. Raises LibraryError."""
        return None

    def show(self, besides: object) -> None:
        """Called before a list of this kind is shown, or shown again."""

    def hide(self) -> None:
        """Called before a list of another kind takes its place."""

    def shown(self, _listing: Listing) -> None:
        """Called when the list is on the screen."""

    def touched(self) -> None:
        """Called when episodes have changed."""

    def facts(self, _rows: int, *, more: bool) -> tuple[str, ...]:  # noqa: ARG002 - a kind may need it
        """The facts in its heading, from long to short; () for the usual ones."""
        return ()

    @property
    def trouble(self) -> str:
        """A sentence in the heading about what holds something up, and the key to act on it; "" for nothing."""
        return ""

    @property
    def instead(self) -> tuple[str, ...]:
        """The lines in place of the notes if the row under the cursor has no episode; () for the usual ones."""
        return ()

    @property
    def enter_word(self) -> str:
        """For the footer: what `enter` does, if it doesn't play the episode."""
        return ""

    # -- keys: False if the key does the same as in other lists ---------------------------------------------------

    def draggable(self, _view: View) -> bool:
        """Whether rows can be dragged to another place."""
        return False

    def enter(self) -> bool:
        return False

    def delete(self) -> bool:
        return False

    def dismiss_row(self) -> bool:
        return False

    def move(self, _by: int) -> bool:
        """Moves the rows that a key acts on."""
        return False

    def order(self) -> bool:
        return False

    def hide_played(self) -> bool:
        return False


_MOST_SOUGHT = 50
"""At most this many episodes are looked for in the list when the cursor is to go to the first of them."""


Spot = tuple[View, EpisodeId | None]
"""A list, and the episode under its cursor."""


class ListController:
    """Reads a view when it is requested, and shows it when it has been read, unless another was requested meanwhile.

    `first` are the view that is shown first, and the episode under the cursor there; `filling` fills the sidebar.
    `notes` reads the notes of that episode together with the first list. Each kind of list registers itself in `kinds`.
    """

    def __init__(
        self,
        player: Player,
        ui: MainUi,
        reader: LibraryReader,
        body: ThreePanes,
        *,
        filling: SidebarController,
        notes: NotesController,
        first: tuple[View | None, EpisodeId | None],
        today: Callable[[], date] = date.today,
    ) -> None:
        self.player = player
        self.ui = ui
        self.reader = reader
        self.pane = body.pane
        self._filling = filling
        self._notes = notes
        self.sidebar = body.sidebar
        self.rows = body.pane.episodes
        self.options = ViewOptions(player)
        self.today = today
        self.kinds: dict[ViewName | View | None, ListKind] = {}
        ListKind(self)
        first_view, first_episode = first
        self._view = first_view or View()
        self._shown: View | None = None
        self._kind_shown: ListKind | None = None
        self._cursors: dict[View, EpisodeId] = {}
        if first_episode is not None:
            self._cursors[self._view] = first_episode
        self._sought: tuple[Spot, Sequence[EpisodeId]] = self.spot, ()
        """The cursor goes to the first of these episodes in the list once that has been read, if it is still there."""
        self._staying: tuple[EpisodeId, int] | None = None
        """The episode that stays in the list because the cursor is on it, and its row."""
        self._was_last: EpisodeId | None = None
        """The last episode of the list, if it has left the list while the cursor was on it: since then the cursor is on
        the row before it."""
        self._is_shown = asyncio.Event()
        self._reorders = 0
        """The number of new orders of this list that are shown, but still being written."""
        self._read_last: Read | None = None

    @property
    def view(self) -> View:
        """The view that the list shows, or is about to show."""
        return self._view

    @property
    def spot(self) -> Spot:
        return self._view.whole, self.rows.episode_id

    @property
    def kind(self) -> ListKind:
        return self._kind_of(self._view)

    def _kind_of(self, view: View) -> ListKind:
        return self.kinds.get(view.whole) or self.kinds.get(view.name) or self.kinds[None]

    @property
    def shown_as(self) -> View | None:
        """The view that is shown, with the listener's options for it; None before the first one."""
        return self._read_last.shown_as if self._read_last else None

    @property
    def podcast(self) -> Podcast | None:
        """The podcast of the list, if the view is a single podcast's."""
        podcast_id = self._view.podcast_id
        return None if podcast_id is None else self.sidebar.podcast_of(podcast_id)

    @property
    def instead(self) -> tuple[str, ...]:
        """The lines in place of the notes if there is no episode; () until the first list is shown."""
        if self._shown is None:
            return ()
        return labels.page_words(self.podcast, self.ui.key_of, any_podcast=bool(self.sidebar.podcasts))

    # -- choosing the list ------------------------------------------------------------------------------------

    def follow_sidebar(self) -> None:
        """Shows the view under the sidebar's cursor."""
        if self.sidebar.view == self._view.whole:
            return
        self.pane.drop_filter()
        self._view = self.sidebar.view
        self.load()

    def filter(self, words: str) -> None:
        self._view = self._view.narrowed(words)
        self.load()

    def show(self, view: View, episode_id: EpisodeId | None) -> None:
        """Shows a view without a filter, with the cursor on that episode."""
        self.pane.drop_filter()
        if episode_id is not None:
            self._cursors[view] = episode_id
        if self._view.whole == view:
            self._view, self._shown = view, None
            self.load()
        else:
            self._filling.select(view)

    def show_changed(self, episode_ids: Sequence[EpisodeId]) -> None:
        """Reads the list again. The cursor goes to the first of these episodes that is in it, unless it is on one of
        them."""
        self._sought = self.spot, () if self.rows.episode_id in episode_ids else episode_ids[:_MOST_SOUGHT]
        self.load()

    def show_again(self, *, from_top: bool) -> None:
        """Reads the same view again, because its options have changed."""
        if from_top:
            self._cursors.pop(self._view.whole, None)
            self._shown = None
        self.load()

    def remember_cursor(self) -> None:
        """Remembers the episode under the cursor, where the list opens the next time."""
        if self.rows.episode_id is not None and self._shown is not None:
            self._cursors[self._shown.whole] = self.rows.episode_id

    def reorder(self, ids: Sequence[EpisodeId], writing: "Future[list[EpisodeId]]") -> None:
        """Shows these episodes of the list in this order until `writing` the order is done; then reads the list
        again."""
        self._reorders += 1
        self.rows.reorder(ids)
        writing.add_done_callback(lambda _future: self.ui.call_later(self._reordered))

    def _reordered(self) -> None:
        self._reorders -= 1
        if not self._reorders:
            self.load()

    # -- keys -------------------------------------------------------------------------------------------------

    def step(self, by: int, start: EpisodeId | None = None) -> Episode | None:
        """Moves the cursor, and returns the episode under it; None at the end of the list. If the episode `start` has
        left the list, the cursor is already on the episode after it, or before it if it was the last; a step in that
        direction returns this one.

        Raises LibraryError while that row hasn't been read.
        """
        episodes = self.rows
        left = start not in (None, episodes.episode_id)
        if left and (by < 0) == (start == self._was_last) and episodes.episode is not None:
            return episodes.episode
        return episodes.step(by)

    def next(self) -> None:
        if self.step(1) is None:
            self.ui.say(_("Last episode"))

    def previous(self) -> None:
        if self.step(-1) is None:
            self.ui.say(_("First episode"))

    # -- reading ----------------------------------------------------------------------------------------------

    def state_changed(self, state: State) -> None:
        """Episodes entered or left this state: reads the counts again, and the list if its filter has the state."""
        self._filling.update_counts()
        if state in self._view.filter.states:
            self.load()

    def network_moved(self) -> None:
        """Reads the list again if the change between offline and online changes its episodes."""
        shown = self.shown_as
        if shown is not None and (shown.filter.here is not None or self.player.network.only_here):
            self.load()

    def load_around_cursor(self) -> None:
        """Reads the list again. The row under the cursor stays in the list as long as the cursor is on it."""
        episode_id = self.rows.episode_id
        self._staying = None if episode_id is None else (episode_id, self.rows.cursor)
        self.load()

    def load(self) -> None:
        self.ui.in_background(self._load, "list")

    async def _load(self) -> None:
        view = self._view
        sought = self._sought[1] if self._sought[0] == self.spot else ()
        read: Read | None = None
        while read is None:
            stand, began_on = self._stand(view), self.rows.selection_began_on
            stays = view == self._shown and self._staying and self._staying[0] == stand.episode_id
            self._staying = self._staying if stays else None
            self.rows.will_read()
            found = await self.reader.read(partial(self._read_list, view, stand, sought, began_on, self._staying))
            self._sought = self.spot, ()  # a load that ended this one before would seek them, too
            if found is None or view != self._view:
                return
            # The cursor may have moved meanwhile: it stays where it is now.
            read, sought = found.moved(self._stand(view), self.rows.selection_began_on), ()
        if not (view == self._shown and (self._reorders or self.rows.dragging)):
            self._show(read)
            await self.ui.list_shown()

    def _read_list(
        self,
        view: View,
        stand: Stand,
        sought: Sequence[EpisodeId],
        began_on: EpisodeId | None,
        staying: tuple[EpisodeId, int] | None,
    ) -> Read | None:
        """Reads everything that showing a list needs. None if another list was requested meanwhile."""
        kind = self._kind_of(view)
        shown_as = self._as_wanted(view, kind)
        listing = partial(kind.listing, shown_as, lambda: view != self._view)
        try:
            read = read_list(
                self.player, listing, shown_as, stand, sought, began_on, self.ui.rows, staying, self.today()
            )
        except Interrupted:
            return None
        read = read._replace(besides=kind.read_besides(view))
        if (episode := read.rows.row_at(read.row or 0)) is not None:
            self._notes.read_first(episode)
        return read

    def _as_wanted(self, view: View, kind: ListKind) -> View:
        """The view with the listener's options for it, limited to episodes that can be played offline if the listener
        wants only those. Reads the library; raises LibraryError."""
        shown = self.options.shown(view)
        if not self.player.network.only_here or kind.stays_whole:
            return shown
        return replace(shown, filter=replace(shown.filter, here=self.player.network.cached_ids()))

    # -- showing ----------------------------------------------------------------------------------------------

    @property
    def _is_old(self) -> bool:
        """Whether another list was requested than the one that is shown."""
        return self._filling.is_selecting or self._view != self._shown or self._view.title != self.pane.words

    def hold_keys(self) -> None:
        """Makes keys wait for the requested list, as they are meant for it."""
        if self._is_old:
            self._is_shown.clear()
            self.ui.keys_wait(self._is_shown.wait())

    def _stand(self, view: View) -> Stand:
        """The place of the cursor when the list is shown."""
        shown, remembered = self._shown, Stand(self._cursors.get(view.whole))
        if shown is None or view.whole != shown.whole:
            return remembered
        if view != shown:
            return Stand(self.rows.episode_id)
        stand = Stand.of(self.rows)
        return remembered if stand == Stand() else stand

    def _show(self, read: Read) -> None:
        view, podcast = self._view, self.podcast
        shown_as, listing = read.shown_as, read.listing
        kind = self._kind_of(view)
        if view != self._shown:
            self.rows.to_top()
            self._shown, self._was_last = view, None
        elif read.row is None and self.rows.cursor >= len(listing):
            self._was_last = read.stand.episode_id
        self._read_last = read
        if self._kind_shown not in (None, kind):
            self._kind_shown.hide()
        self._kind_shown = kind
        kind.show(read.besides)
        self.show_head()
        self.rows.draggable = kind.draggable(view)
        self.rows.all_queued = kind.all_queued
        any_podcast, saved = bool(self.sidebar.podcasts), self.sidebar.list_of(view)
        empty = labels.empty_words(shown_as, podcast, self.ui.key_of, any_podcast=any_podcast, saved=saved)
        glyph = labels.empty_glyph(shown_as, self.ui.glyphs, any_podcast=any_podcast, saved=saved)
        self.rows.show(
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

    # -- the heading ------------------------------------------------------------------------------------------

    def show_head(self) -> None:
        if (read := self._read_last) is None:
            return
        view, podcast, dot = self._view, self.podcast, self.ui.glyphs.dot
        listing, more = read.listing, read.listing.more
        shown = listing.count if isinstance(listing, OwnRows) else len(listing)
        facts = self.kind.facts(shown, more=more) or labels.view_facts(
            read.shown_as, shown, dot, more=more, is_cut=bool(podcast and podcast.note)
        )
        if podcast and podcast.suggested:
            facts = (*(f"{_('suggestion')} {dot} {one}" for one in facts), _("suggestion"))
        trouble = podcast.error if podcast and podcast.error else ""
        title = labels.view_title(view, podcast, self.sidebar.list_of(view))
        self.pane.show_head(title, facts, self.kind.trouble or trouble)

"""The list of the main screen: which view it shows, what its kind does differently, and when rows leave it."""

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
from tui.controllers.page.notes import NotesController
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
    """The row under the cursor stays until the cursor moves, so that the same key can take a mark back; all others
    leave at once."""

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
        is_searched = saved is not None and not saved.is_playlist  # which may depend on any mark
        if not (view.filter.states & _STATES[mark] or is_searched):
            return
        if len(ids) == 1 and ids[0] == self._rows.episode_id:
            self._staying = ids[0]
            # Otherwise rows that are yet to be read would be others than those that were counted.
            self._lists.load_around_cursor()
        else:
            self._lists.load()

    def cursor_moved(self) -> None:
        if self._staying is not None and self._rows.episode_id != self._staying:
            self._staying = None
            self._lists.load()

    def list_shown(self) -> None:
        """The list was read again, or is another one. The cursor may have moved without a message yet."""
        self.cursor_moved()


class Stand(NamedTuple):
    """What the cursor is on: an episode, or a line if it isn't known yet what is there.

    A line in the lower half of a list is counted from the end, as -1, so that a list that grows above keeps its end.
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
        """None if it isn't in the list. Reads the library."""
        if self.line is None:
            return listing.rank(self.episode_id)
        return _row_of_line(self.line, len(listing))


class Read(NamedTuple):
    """A list for a cursor that is on `stand`, and whose `row` that is in the list: None when it has left it. `began`
    says on which episode the selection began, and its row. `besides` is what the list's kind has read with it."""

    shown_as: View
    listing: Listing
    stand: Stand
    row: int | None
    rows: RowsRead
    began: tuple[EpisodeId | None, int | None]
    besides: object = None
    headings: Headings = ()

    def moved(self, stand: Stand, began_on: EpisodeId | None) -> "Read | None":
        """The same for a cursor that has moved, or a selection that began elsewhere; None if what they are on now
        wasn't read."""
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
    """The rows come from `height` above the cursor to as many below. A cursor for which there are `sought` episodes
    goes to the first of them that the list has. An episode that is `staying` keeps its row if it has left.
    The dates in the headings are those of `today`. All is of one moment of the library.

    Raises LibraryError, and Interrupted where `listing` does.
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
    """The dates above the rows, in a list by date with several podcasts that isn't narrowed by words."""
    dated = listing.dated if isinstance(listing, OwnRows) else listing
    if shown_as.podcast_id is not None or shown_as.title or not dated:
        return ()
    groups = date_groups(today)
    found = player.library.episodes.counts_since(dated, [one.since for one in groups[:-1]])
    return () if found is None else headings(groups, found.counts, len(dated), oldest_first=found.oldest_first)


def _row_of_line(line: int, count: int) -> int | None:
    return max(0, min(line if line >= 0 else count + line, count - 1)) if count else None


class ListKind:
    """What a kind of list does in its own way. Where a kind says nothing else, it is a list of episodes."""

    view_name: ViewName | None = None
    """The views that are of this kind; None: all that are of no other."""
    all_queued = False
    """Whether its rows needn't say that they are queued."""
    plays_on = True
    """Whether it can be what plays after the queue."""
    stays_whole = False
    """Whether it is the same while only what can be played is listed."""

    def __init__(self, lists: "ListController") -> None:
        self.player = lists.player
        self.ui = lists.ui
        self.lists = lists
        self.rows = lists.rows
        lists.kinds[self.view_name] = self

    @property
    def is_shown(self) -> bool:
        return self.lists.kind is self

    # -- what is shown ----------------------------------------------------------------------------------------

    def listing(self, view: View, cancelled: Callable[[], bool]) -> Listing:
        """Its rows, unless it is cancelled. Reads the library, on the thread that reads lists."""
        return self.player.library.listing(view, cancelled)

    def read_besides(self, _view: View) -> object:
        """What `show` is called with: read after the rows, on the same thread. Raises LibraryError."""
        return None

    def show(self, besides: object) -> None:
        """The list is about to be shown, or is shown again."""

    def hide(self) -> None:
        """A list of another kind is about to be shown."""

    def shown(self, _listing: Listing) -> None:
        """It is on the screen."""

    def touched(self) -> None:
        """Episodes have changed."""

    def facts(self, _rows: int, *, more: bool) -> tuple[str, ...]:  # noqa: ARG002 - a kind may need it
        """Its heading; () for the usual one."""
        return ()

    @property
    def trouble(self) -> str:
        """For the heading: what holds something up, and the key to act; "" for nothing."""
        return ""

    @property
    def instead(self) -> tuple[str, ...]:
        """What stands where the notes would if the row under the cursor has no episode; () for the usual words."""
        return ()

    @property
    def enter_word(self) -> str:
        """For the footer: what `enter` does, if it doesn't play the episode."""
        return ""

    # -- keys: False where the key means what it means in other lists ---------------------------------------------

    def draggable(self, _view: View) -> bool:
        """Whether rows can be dragged to another place."""
        return False

    def enter(self) -> bool:
        return False

    def delete(self) -> bool:
        return False

    def move(self, _by: int) -> bool:
        """Moves the rows that a key acts on."""
        return False

    def order(self) -> bool:
        return False

    def hide_played(self) -> bool:
        return False


_MOST_SOUGHT = 50
"""Of many episodes that the cursor may go to, so many are looked for in the list."""


Spot = tuple[View, EpisodeId | None]
"""A list, and the episode under its cursor."""


class ListController:
    """Reads a view when it is asked for, and shows it when it has come, unless another was asked for meanwhile.

    `first` is what is shown at first, and where the cursor stands then; `filling` fills the sidebar. `notes` read those
    of the episode under the cursor with the first list. Each kind of list puts itself into `kinds`.
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
        self.kinds: dict[ViewName | None, ListKind] = {}
        ListKind(self)
        first_view, first_episode = first
        self._view = first_view or View()
        self._shown: View | None = None
        self._kind_shown: ListKind | None = None
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

    @property
    def view(self) -> View:
        """What the list shows, or is about to."""
        return self._view

    @property
    def spot(self) -> Spot:
        return self._view.whole, self.rows.episode_id

    @property
    def kind(self) -> ListKind:
        return self._kind_of(self._view)

    def _kind_of(self, view: View) -> ListKind:
        return self.kinds.get(view.name) or self.kinds[None]

    @property
    def shown_as(self) -> View | None:
        """The view that is shown, as the listener wants it shown; None before the first."""
        return self._read_last.shown_as if self._read_last else None

    @property
    def podcast(self) -> Podcast | None:
        """The podcast whose episodes are shown, if it is one podcast's."""
        podcast_id = self._view.podcast_id
        return None if podcast_id is None else self.sidebar.podcast_of(podcast_id)

    @property
    def instead(self) -> tuple[str, ...]:
        """What stands where the notes of an episode would, when there is none; () as long as that isn't known."""
        if self._shown is None:
            return ()
        return labels.page_words(self.podcast, self.ui.key_of, any_podcast=bool(self.sidebar.podcasts))

    # -- which list -------------------------------------------------------------------------------------------

    def follow_sidebar(self) -> None:
        """To the view under the sidebar's cursor."""
        if self.sidebar.view == self._view.whole:
            return
        self.pane.drop_filter()
        self._view = self.sidebar.view
        self.load()

    def filter(self, words: str) -> None:
        self._view = self._view.narrowed(words)
        self.load()

    def show(self, view: View, episode_id: EpisodeId | None) -> None:
        """A view without a filter, with the cursor on that episode."""
        self.pane.drop_filter()
        if episode_id is not None:
            self._cursors[view] = episode_id
        if self._view.whole == view:
            self._view, self._shown = view, None
            self.load()
        else:
            self._filling.select(view)

    def show_changed(self, episode_ids: Sequence[EpisodeId]) -> None:
        """Reads the list again. The cursor goes to the first of those episodes that is in it, unless it is on one."""
        self._sought = () if self.rows.episode_id in episode_ids else tuple(episode_ids[:_MOST_SOUGHT])
        self.load()

    def show_again(self, *, from_top: bool) -> None:
        """The same view, because it is shown in another way now."""
        if from_top:
            self._cursors.pop(self._view.whole, None)
            self._shown = None
        self.load()

    def remember_cursor(self) -> None:
        """It has moved: the list opens there the next time."""
        if self.rows.episode_id is not None and self._shown is not None:
            self._cursors[self._shown.whole] = self.rows.episode_id

    def reorder(self, ids: Sequence[EpisodeId], writing: "Future[list[EpisodeId]]") -> None:
        """Shows these episodes of the list, in this order, while `writing` makes it so; then reads the list again."""
        self._reorders += 1
        self.rows.reorder(ids)
        writing.add_done_callback(lambda _future: self.ui.call_later(self._reordered))

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
        """Episodes came into it or left it: a list of those with that state is read again, as are the counts."""
        self._filling.update_counts()
        if state in self._view.filter.states:
            self.load()

    def network_moved(self) -> None:
        """Reads the list again if other episodes are to be in it than before: all, or those that can be played."""
        shown = self.shown_as
        if shown is not None and (shown.filter.here is not None or self.player.network.only_here):
            self.load()

    def load_around_cursor(self) -> None:
        """Reads the list again. The row under the cursor stays in it as long as the cursor stands on it."""
        episode_id = self.rows.episode_id
        self._staying = None if episode_id is None else (episode_id, self.rows.cursor)
        self.load()

    def load(self) -> None:
        self.ui.in_background(self._load, "list")

    async def _load(self) -> None:
        view, sought, self._sought = self._view, self._sought, ()
        read: Read | None = None
        while read is None:
            stand, began_on = self._stand(view), self.rows.selection_began_on
            stays = view == self._shown and self._staying and self._staying[0] == stand.episode_id
            self._staying = self._staying if stays else None
            found = await self.reader.read(partial(self._read_list, view, stand, sought, began_on, self._staying))
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
        """What a list needs to be shown. None when another was asked for meanwhile."""
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
        """The view as the listener wants it shown, with nothing in it but what can be played now, if that is wanted.
        Reads the library; raises LibraryError."""
        shown = self.options.shown(view)
        if not self.player.network.only_here or kind.stays_whole:
            return shown
        return replace(shown, filter=replace(shown.filter, here=self.player.network.cached_ids()))

    # -- showing ----------------------------------------------------------------------------------------------

    @property
    def _is_old(self) -> bool:
        """Whether another list than the one that is shown was asked for."""
        return self._filling.is_selecting or self._view != self._shown or self._view.title != self.pane.words

    def hold_keys(self) -> None:
        """What is typed is meant for the list that was asked for."""
        if self._is_old:
            self._is_shown.clear()
            self.ui.keys_wait(self._is_shown.wait())

    def _stand(self, view: View) -> Stand:
        """Where the cursor stands when the list is shown."""
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

    # -- its heading ------------------------------------------------------------------------------------------

    def show_head(self) -> None:
        if (read := self._read_last) is None:
            return
        view, podcast, dot = self._view, self.podcast, self.ui.glyphs.dot
        listing, more = read.listing, read.listing.more
        shown = listing.count if isinstance(listing, OwnRows) else len(listing)
        facts = self.kind.facts(shown, more=more) or labels.view_facts(
            read.shown_as, shown, dot, more=more, is_cut=bool(podcast and podcast.note)
        )
        trouble = podcast.error if podcast and podcast.error and not labels.is_suggestion(podcast) else ""
        title = labels.view_title(view, podcast, self.sidebar.list_of(view))
        self.pane.show_head(title, facts, self.kind.trouble or trouble)

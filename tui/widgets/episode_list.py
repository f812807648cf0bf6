"""The list of a view's episodes, of which only the rows near the visible ones are read."""

import asyncio
import logging
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from datetime import date

from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual import events

from player.errors import LibraryError
from player.library import Fetch, Listing, RowsRead, RowWindow
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from player.processes.scheduler import SharedThreads
from player.text.sentences import _
from tui.drawing import cells
from tui.drawing.episode_rows import (
    NOTHING,
    Headings,
    RowBytes,
    RowForm,
    RowLines,
    cells_of_most_titles,
    has_other_years,
    is_tall,
    look,
)
from tui.framework.screen import start_worker
from tui.framework.typing_ahead import wait_with_row_keys
from tui.widgets.episode_row import NO_EPISODE, EpisodeRow, OwnRows
from tui.widgets.virtual_list import SelectingList, wrapped

log = logging.getLogger(__name__)

_NEAR, _FAR = 2, 4
"""When fewer than `_NEAR` screens of rows above or below the visible one are loaded, up to `_FAR` screens are read."""
_AHEAD_S = 0.02
"""The delay in seconds before rows near the visible ones are read; visible rows are read at once."""
_AT_REST_S = 0.4
"""After this long, the end of the list is read too, because a single key leads there."""
_AGAIN_S = 1.0
_HEADINGS_FROM = 10
"""The least lines of a list with headings."""


class EpisodeList(SelectingList):
    """`fetch` returns the rows for IDs, in their order. The cursor stays on its episode when rows around it change."""

    def __init__(self, fetch: Fetch, today: Callable[[], date] = date.today, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._fetch = fetch
        self._today = today
        self._rows = RowWindow()
        self._headings: dict[int, str] = {}
        """The headings, by the row below them."""
        self._own: OwnRows | None = None
        """The list, if it draws its own rows."""
        self._reader = SharedThreads(1, "earmark-rows")
        self._reading = self._wants_end = self._paused = False
        self._soon: asyncio.TimerHandle | None = None
        self._at_rest: asyncio.TimerHandle | None = None
        self._came = asyncio.Event()
        self._status = PlaybackStatus()
        self._form = RowForm()
        self.all_queued = False
        """Whether all episodes of the list are queued, so that no row needs a mark for that."""
        self.bytes_of: Callable[[Episode], RowBytes] = lambda _episode: NOTHING
        """Returns where the audio of an episode is. Called while rows are drawn, so it doesn't read the disk."""
        self._put: dict[EpisodeId, Episode] = {}
        self._forgotten: set[EpisodeId] = set()
        self._all_forgotten = False
        """What `put`, `forget` and `forget_all` were told since `will_read`."""
        self._trouble = ""
        """Why rows can't be read at the moment. Rows that have been read are still shown."""

    # -- contents ---------------------------------------------------------------------------------------------

    @property
    def listing(self) -> Listing:
        return self._rows.listing

    @property
    def episode(self) -> Episode | None:
        """The episode under the cursor; None also while it is being read."""
        return self._rows.row_at(self.cursor)

    @property
    def episode_id(self) -> EpisodeId | None:
        return self._rows.id_at(self.cursor)

    @property
    def is_awaited(self) -> bool:
        """Whether the row under the cursor is still being read."""
        return not (self.is_here(self.cursor) or self._trouble)

    def is_here(self, index: int) -> bool:
        """Whether a row has been read; True also if there is no such row."""
        return self._rows.is_read(index)

    def step(self, by: int) -> Episode | None:
        """Moves the cursor, and returns the episode under it; None at the end of the list. Raises LibraryError while
        that row hasn't been read."""
        if not self.is_here(self.cursor + by):
            raise LibraryError(_("This episode is still being read"), _("Try again in a moment."))
        return self.episode if self.move_by(by) else None

    def has_row(self, episode_id: EpisodeId) -> bool:
        """Whether the episode is among the rows that have been read."""
        return self._rows.row_of(episode_id) is not None

    async def ids_of(self, rows: range) -> tuple[EpisodeId, ...]:
        """The episodes of these rows, read or not, in order, each once. Raises LibraryError."""
        reading = self._rows.ids_between(rows.start, rows.stop)
        return await asyncio.get_running_loop().run_in_executor(self._reader, lambda: _each_once(reading()))

    def show(
        self,
        listing: Listing,
        row: int | None,
        empty: str = "",
        glyph: str = "",
        *,
        mixed: bool = False,
        read: RowsRead | None = None,
        began: tuple[EpisodeId | None, int | None] = (None, None),
        headings: Headings = (),
    ) -> None:
        """Shows these episodes with the cursor at `row`; without one the cursor keeps its line.

        `mixed`: the list has several podcasts, so that each row shows its own. If there are no episodes, `empty` is
        shown below `glyph`. `read` are rows of the list that have been read already. `began` are the episode on which
        the selection began, and its row in this list; a selection that began on another episode ends. `headings` are
        the dates above rows.
        """
        self.empty, self.empty_glyph = empty, glyph
        self._own = listing if isinstance(listing, OwnRows) else None
        if self._own is not None:
            self._own.dates = headings
            self._own.bind(lambda: self._status, lambda episode_id: self._rows.row_of(episode_id), self.bytes_of)
            if isinstance(self._rows.listing, type(self._own)):
                row = self._own.same_row(self._rows.listing, self.cursor)
        known = read.rows if read is not None and len(read.rows) >= len(listing) else None
        self._headings, years = dict(headings), not headings and has_other_years(known, self._today())
        wanted = cells_of_most_titles(read.rows if read is not None else ())
        self._form = RowForm(mixed and self._own is None, years, not self.all_queued, wanted=wanted)
        self._rows = RowWindow(listing, read)
        self._apply_changes()
        if row is not None:
            self.cursor = row
        self.keep_selection(*began)
        self.rows_changed()
        self.post_message(self.Moved(self))
        self._look_ahead()
        if self._at_rest is not None:
            self._at_rest.cancel()
        self._at_rest = asyncio.get_running_loop().call_later(_AT_REST_S, self._read_end)

    def put(self, episode: Episode) -> None:
        """Shows a changed episode before the library confirms it."""
        self._put[episode.id] = episode
        self._rows.put(episode)
        self._refresh_episode(episode.id)

    def forget(self, episode_ids: Collection[EpisodeId]) -> None:
        """Reads the rows of these episodes again; the old ones are shown until then."""
        self._forgotten.update(episode_ids)
        self._rows.outdate(episode_ids)
        self._look_ahead()

    def forget_all(self) -> None:
        """Reads all rows again; the old ones are shown until then."""
        self._all_forgotten = True
        self._rows.outdate_all()
        self._look_ahead()

    def will_read(self) -> None:
        """Call this before another thread reads what `show` is to show: what changes from now on is newer."""
        self._put.clear()
        self._forgotten.clear()
        self._all_forgotten = False

    def _apply_changes(self) -> None:
        for episode in self._put.values():
            if self._rows.row_of(episode.id) is not None:
                self._rows.put(episode)
        self._rows.outdate(self._forgotten)
        if self._all_forgotten:
            self._rows.outdate_all()

    def show_status(self, status: PlaybackStatus) -> None:
        """Marks the playing episode and its progress; draws only rows that look different."""
        before, self._status = self._status, status
        today = self._today()
        touched = {one.episode.id for one in (before, status) if one.episode is not None}
        for episode_id in touched:
            row = self._rows.row_of(episode_id)
            if row is not None and look(row, before, today) != look(row, status, today):
                self._refresh_episode(episode_id)

    # -- rows -------------------------------------------------------------------------------------------------

    def row_count(self) -> int:
        return len(self._rows)

    def lines_of_rows(self) -> RowLines:
        """Decides whether rows have one line or two. With mixed podcasts they have two if the setting says so, if one
        line leaves too little of the titles, or if the list is high."""
        own, height = self._own, self.size.height
        form = self._form if own is None else replace(self._form, mixed=own.mixed)
        may = own is None or own.has_two_lines
        tall = may and is_tall(getattr(self.app, "rows", "auto"), self.row_cells - 1, height, form)
        headed = tuple(self._headings) if own is None else own.laid(tall=tall)
        headed = headed if height >= _HEADINGS_FROM or (own is not None and own.keeps_headings) else ()
        self._form = replace(self._form, tall=tall, headed=bool(headed))
        if own is not None:
            own.says_dates = not (headed and own.dates)
            own.form = self._form
        return RowLines(self.row_count(), 2 if tall else 1, headed, gap=tall)

    def heading_of(self, index: int) -> tuple[str, str]:
        return (self._headings.get(index, ""), "") if self._own is None else self._own.heading_of(index)

    def may_rest(self, index: int) -> bool:
        return self._own is None or self._own.may_rest(index)

    def row_key(self, index: int) -> Hashable:
        if self._own is not None:
            return self._own.key(index), self._form.tall, self._form.headed
        if (episode := self._rows.row_at(index)) is None:
            return self._trouble_at(index)
        return look(episode, self._status, self._today()), self._form, self.bytes_of(episode)

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        if self._own is not None:
            return self._own.draw(index, width, self.glyphs, self.ink, at_cursor=at_cursor)
        episode = self._rows.row_at(index)
        if episode is None:
            return [Segment(cells.fit(f"  {self._trouble_at(index)}", width), self.ink("muted"))]
        draw = self._row_of(episode).draw
        return draw(episode, width, self.glyphs, self.ink, self.draw_title, at_cursor=at_cursor)

    def said(self, index: int, width: int) -> str:
        episode = self._rows.row_at(index)
        if self._own is not None or episode is None:
            return super().said(index, width)
        return self._row_of(episode).said(episode, width)

    def draw_below(self, index: int, width: int) -> Sequence[Segment]:
        if self._own is not None:
            return self._own.draw_below(index, width, self.glyphs, self.ink)
        episode = self._rows.row_at(index)
        if episode is None:
            return [Segment(" " * width)]
        return self._row_of(episode).draw_below(episode, width, self.glyphs, self.ink)

    def _row_of(self, episode: Episode) -> EpisodeRow:
        return EpisodeRow(self._status, self.bytes_of(episode), self._today(), self._form)

    def draw_title(self, title: str, style: Style) -> Sequence[Segment]:
        """Draws a title that has been cut to the width of its column."""
        return [Segment(title, style)]

    def _refresh_episode(self, episode_id: EpisodeId) -> None:
        for index in self.rows_in_sight:
            if self._rows.id_at(index) == episode_id:
                self.refresh_row(index)

    # -- reading rows -----------------------------------------------------------------------------------------

    def _look_ahead(self) -> None:
        """Makes a thread read missing rows: visible rows at once, rows nearby soon."""
        seen = self.rows_in_sight
        top, height = seen.start, len(seen)
        if self._paused or not self.size.height:
            return
        if self._rows.lacks(top, top + height) or self.is_awaited:
            if self.is_awaited:
                self._came.clear()
                wait_with_row_keys(self.app, self._came.wait())
            self._begin()
        elif self._soon is None and self._rows.lacks(top - _NEAR * height, top + (1 + _NEAR) * height):
            self._soon = asyncio.get_running_loop().call_later(_AHEAD_S, self._begin)

    def _begin(self) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        if not self._reading and self.is_attached:
            self._reading = True
            start_worker(self, self._read_rows, group="rows")

    async def _read_rows(self) -> None:
        """Reads until everything near the visible rows has been read."""
        try:
            while (reading := self._next_reading()) is not None:
                rows = self._rows
                read = await asyncio.get_running_loop().run_in_executor(self._reader, reading)
                if rows is self._rows:
                    self._take(read)
        except LibraryError as error:
            self._tell_trouble(error)
        finally:
            self._reading = False

    def _next_reading(self) -> Callable[[], RowsRead] | None:
        seen = self.rows_in_sight
        top, height = seen.start, max(1, len(seen))
        if self._paused or not self.size.height:
            return None
        if self._rows.lacks(top, top + height):
            return self._rows.reading(top - height, top + 2 * height, self._fetch)
        if self._rows.lacks(top - _NEAR * height, top + (1 + _NEAR) * height):
            return self._rows.reading(top - _FAR * height, top + (1 + _FAR) * height, self._fetch)
        if self.is_awaited:  # the list was scrolled away from the cursor
            return self._rows.reading(self.cursor, self.cursor + 1, self._fetch)
        if self._wants_end:
            self._wants_end = False
            return self._rows.reading(len(self._rows) - 2 * height, len(self._rows), self._fetch)
        return None

    def _read_end(self) -> None:
        self._wants_end = self._rows.lacks(len(self._rows) - self.size.height, len(self._rows))
        if self._wants_end:
            self._begin()

    def _take(self, read: RowsRead) -> None:
        self._trouble = ""
        before = self.episode
        self._rows.take(read)
        self.refresh_changed()
        if not self.is_awaited:
            self._came.set()
        if self.episode != before:
            self.post_message(self.Moved(self))

    def move_to(self, index: int) -> bool:
        moved = super().move_to(index)
        self._look_ahead()
        return moved

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._look_ahead()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._look_ahead()

    def on_unmount(self) -> None:
        for timer in (self._soon, self._at_rest):
            if timer is not None:
                timer.cancel()
        self._reader.shutdown(wait=False, cancel_futures=True)

    # -- a library that can't be read -------------------------------------------------------------------------

    def _tell_trouble(self, error: LibraryError) -> None:
        """Shows why rows can't be read, and tries again after a pause."""
        log.warning("rows can't be read: %s", error)
        self._trouble, self._paused = str(error), True
        self._came.set()
        self.set_timer(_AGAIN_S, self._read_again)
        self.refresh_changed()

    def _read_again(self) -> None:
        """Tries to read rows again. The sentence stays until rows replace it."""
        self._paused = False
        seen = self.rows_in_sight
        if not self._rows.lacks(seen.start, seen.stop):
            self._trouble = ""
        self._look_ahead()

    def _trouble_at(self, index: int) -> str:
        """The line of the sentence that is shown in a row without an episode; the sentence starts in the first such
        row."""
        if not self._trouble:
            return ""
        missing = [one for one in self.rows_in_sight if self._rows.row_at(one) is None]
        lines = wrapped(self._trouble, max(1, self.row_cells - 4))
        return dict(zip(missing, lines, strict=False)).get(index, "")


def _each_once(ids: Iterable[EpisodeId]) -> tuple[EpisodeId, ...]:
    """The episodes in order, each once. The loop lets other threads run, so that no key waits for 100,000 ids at
    once."""
    found: dict[EpisodeId, None] = {}
    for one in ids:
        if one != NO_EPISODE:
            found[one] = None
    return tuple(found)

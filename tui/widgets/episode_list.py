"""The episodes of a view: how many there are, and the rows of what is on the screen."""

import logging
from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TypeVar

from rich.segment import Segment
from rich.style import Style

from player.errors import LibraryError
from player.library import Listing, WholeList
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from tui.drawing import cells, labels
from tui.widgets.virtual_list import VirtualList, wrapped

log = logging.getLogger(__name__)

T = TypeVar("T")
Fetch = Callable[[Sequence[EpisodeId]], Sequence[Episode]]

_AHEAD = 30
"""Rows fetched above and below the one that was missing."""
_KEPT_ROWS = 4000
_AGAIN_S = 1.0
_NONE: "array[int]" = array("q")
_WIDEST_BAR = 8
_ROOMY = 74
"""Cells of a row that have room for a date with day, month and year."""
_MIXED_FROM = 44
"""Cells of a row from which on each of several podcasts' episodes names its own; dates and lengths are shorter then."""
_HOLDS_PLACE = (PlaybackState.PLAYING, PlaybackState.PAUSED, PlaybackState.BUFFERING, PlaybackState.OPENING)


@dataclass(frozen=True, slots=True)
class Columns:
    """How the cells of a row are shared out; `title` is what the others leave. Zero: the column isn't there."""

    title: int
    podcast: int
    star: int
    bar: int
    date: int
    length: int


def columns(width: int, *, mixed: bool) -> Columns:
    """The columns of a row of `width` cells, which begins with the state and a space and ends with a space.

    `mixed`: the rows are of several podcasts. `bar` is what a started episode's bar and the space before it take from
    the title.
    """
    star = 2 if width >= 24 else 0
    length = labels.LENGTH_CELLS + 2 if width >= 32 else 0
    day = labels.DATE_CELLS + 1 if width >= 46 else 0
    if width >= _ROOMY:
        day = labels.LONG_DATE_CELLS + 1
    podcast = min(26, width // 4) if mixed and width >= 64 else 0
    if mixed and _MIXED_FROM <= width < 64:
        podcast, day, length = max(12, width // 4), labels.SHORT_DATE_CELLS + 1, labels.SHORT_LENGTH_CELLS + 1
    title = max(0, width - 3 - podcast - star - length - day)
    bar = _WIDEST_BAR + 1 if title >= 32 else 6 if title >= 22 else 0
    return Columns(title, podcast, star, bar, day, length)


class EpisodeList(VirtualList):
    """`fetch` gives the rows of ids, in their order. The cursor stays on its episode, whatever is shown around it."""

    def __init__(self, fetch: Fetch, today: Callable[[], date] = date.today, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._fetch = fetch
        self._today = today
        self._listing: Listing = WholeList(array("q"))
        self._rows: dict[EpisodeId, Episode] = {}
        self._status = PlaybackStatus()
        self._empty = ""
        self._mixed = False
        self._seen: dict[int, EpisodeId] = {}
        self._trouble = ""
        """Why rows can't be read just now. Those that were seen before are shown meanwhile."""

    # -- what is shown ----------------------------------------------------------------------------------------

    @property
    def episode(self) -> Episode | None:
        """The one under the cursor."""
        return self._episode(self.cursor)

    @property
    def episode_id(self) -> EpisodeId | None:
        return self._id_at(self.cursor)

    def show(
        self,
        listing: Listing,
        cursor_on: EpisodeId | None,
        empty: str = "",
        *,
        mixed: bool = False,
        rows: Iterable[Episode] = (),
    ) -> None:
        """Shows these episodes, with the cursor on that one; where it isn't among them, the cursor keeps its line.

        `mixed`: they are of several podcasts, so that each row names its own. `empty` is said when there are none;
        `rows` are those that were read already.
        """
        self._listing = listing
        self._empty = empty
        self._mixed = mixed
        self._rows = {row.id: row for row in rows}
        self._seen = {}
        place = self._read(partial(listing.place, cursor_on), None)
        if place is not None:
            self.cursor = place
        self.rows_changed()
        self.post_message(self.Moved(self))

    def to_top(self) -> None:
        """Before another view is shown: its cursor starts at the top."""
        self.cursor = 0

    def put(self, episode: Episode) -> None:
        """Shows an episode other than it was, before the library says so."""
        self._rows[episode.id] = episode
        self._refresh_episode(episode.id)

    def forget(self, episode_ids: Collection[EpisodeId]) -> None:
        """These rows have changed in the library."""
        for episode_id in episode_ids:
            if self._rows.pop(episode_id, None) is not None:
                self._refresh_episode(episode_id)

    def show_status(self, status: PlaybackStatus) -> None:
        """Marks what plays, and how far it is; only the rows that look different are drawn."""
        before, self._status = self._status, status
        touched = {one.episode.id for one in (before, status) if one.episode is not None}
        for episode_id in touched:
            row = self._rows.get(episode_id)
            if row is not None and self._look(row, before) != self._look(row, status):
                self._refresh_episode(episode_id)

    # -- rows -------------------------------------------------------------------------------------------------

    def row_count(self) -> int:
        return len(self._listing)

    def row_key(self, index: int) -> Hashable:
        episode = self._episode(index)
        return self._trouble_at(index) if episode is None else (self._look(episode, self._status), self._mixed)

    def empty_text(self) -> str:
        return self._empty

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        episode = self._episode(index)
        if episode is None:
            return [Segment(cells.fit(f"  {self._trouble_at(index)}", width), self.ink("muted"))]
        shown = _with_place(episode, self._status)
        room = columns(width, mixed=self._mixed)
        star = self.glyphs.star if episode.starred else ""
        bar = room.bar if labels.heard(shown) or shown.in_progress else 0
        role = "muted" if episode.played else "strong" if at_cursor else "title"
        segments = [
            self._state(shown),
            Segment(" "),
            *self.draw_title(cells.fit(episode.title, room.title - bar, ellipsis=self.glyphs.ellipsis), self.ink(role)),
        ]
        if bar:
            segments += [Segment(" "), *self._bar(labels.heard(shown), bar - 1)]
        if room.podcast:
            podcast = cells.fit(episode.podcast, room.podcast - 2, ellipsis=self.glyphs.ellipsis)
            segments.append(Segment("  " + podcast, self.ink("muted")))
        segments.append(Segment(cells.fit(star, room.star, "right"), self.ink("alive")))
        if room.date:
            segments.append(self._muted(labels.short_date(episode.published, self._today(), room.date - 1), room.date))
        if room.length:
            segments.append(self._muted(labels.length(shown, self.glyphs.minus, room.length - 1), room.length))
        return segments

    def draw_title(self, title: str, style: Style) -> Sequence[Segment]:
        """A title that was cut to its column."""
        return [Segment(title, style)]

    def _state(self, episode: Episode) -> Segment:
        glyphs = self.glyphs
        if (sign := _playing_sign(episode, self._status)) is not None:
            return Segment(glyphs.playing if sign is PlaybackState.PLAYING else glyphs.paused, self.ink("alive"))
        if episode.played:
            return Segment(glyphs.played, self.ink("faint"))
        return Segment(glyphs.started if episode.in_progress else glyphs.new, self.ink("alive"))

    def _bar(self, part: float, width: int) -> list[Segment]:
        full, half = labels.bar(part, width)
        return [
            Segment(self.glyphs.line * full + self.glyphs.line_half * half, self.ink("alive")),
            Segment(self.glyphs.line_thin * (width - full - half), self.ink("line")),
        ]

    def _muted(self, text: str, width: int) -> Segment:
        return Segment(cells.fit(text, width, "right"), self.ink("muted"))

    def _look(self, episode: Episode, status: PlaybackStatus) -> Hashable:
        shown = _with_place(episode, status)
        steps = round(labels.heard(shown) * 4 * _WIDEST_BAR) if shown.in_progress else None
        return (
            episode.id,
            episode.title,
            episode.podcast,
            episode.played,
            episode.starred,
            labels.short_date(episode.published, self._today()),
            labels.length(shown, ""),
            steps,
            _playing_sign(shown, status),
        )

    def _episode(self, index: int) -> Episode | None:
        episode_id = self._id_at(index)
        if episode_id is None:
            return None
        if episode_id not in self._rows:
            if len(self._rows) > _KEPT_ROWS:
                self._rows.clear()
            self._read(partial(self._fetch_around, index), None)
        return self._rows.get(episode_id)

    def _fetch_around(self, index: int) -> None:
        start = max(0, index - _AHEAD)
        around = self._listing.page(start, index + self.size.height + _AHEAD - start)
        wanted = [EpisodeId(one) for one in around if one not in self._rows]
        self._rows.update((row.id, row) for row in self._fetch(wanted))

    def _id_at(self, index: int) -> EpisodeId | None:
        """None past the end, and where rows have gone since the list was counted."""
        if self._trouble:
            return self._seen.get(index)
        found = self._read(partial(self._listing.page, index, 1), _NONE)
        if not found:
            return None
        if len(self._seen) > _KEPT_ROWS:
            self._seen.clear()
        episode_id = self._seen[index] = EpisodeId(found[0])
        return episode_id

    def _refresh_episode(self, episode_id: EpisodeId) -> None:
        top = self.scroll_offset.y
        shown = self._read(partial(self._listing.page, top, self.size.height), _NONE)
        if episode_id in shown:
            self.refresh_line(top + shown.index(episode_id))

    # -- a library that can't be read -------------------------------------------------------------------------

    def _read(self, reading: Callable[[], T], otherwise: T) -> T:
        """Of the library, in the middle of drawing. After a failure it is left alone for a moment, and tried again."""
        if self._trouble:
            return otherwise
        try:
            return reading()
        except LibraryError as error:
            log.warning("rows can't be read: %s", error)
            self._trouble = str(error)
            self.set_timer(_AGAIN_S, self._read_again)
            return otherwise

    def _read_again(self) -> None:
        self._trouble = ""
        self.rows_changed()

    def _trouble_at(self, index: int) -> str:
        """What the row says in place of an episode: a line of the sentence, which begins at the first such row."""
        if not self._trouble:
            return ""
        top = self.scroll_offset.y
        missing = [one for one in range(top, top + self.size.height) if self._seen.get(one) not in self._rows]
        lines = wrapped(self._trouble, max(1, self.row_cells - 4))
        return dict(zip(missing, lines, strict=False)).get(index, "")


def _with_place(episode: Episode, status: PlaybackStatus) -> Episode:
    """The episode with the place it is played at right now, fresher than the library's."""
    if status.episode is None or status.episode.id != episode.id or status.state not in _HOLDS_PLACE:
        return episode
    duration = status.duration_ms or episode.duration_ms
    return replace(episode, position_ms=status.position_ms, duration_ms=duration)


def _playing_sign(episode: Episode, status: PlaybackStatus) -> PlaybackState | None:
    """What the row of the episode in the bar shows in place of its own state."""
    if status.episode is None or status.episode.id != episode.id:
        return None
    if status.state in (PlaybackState.PLAYING, PlaybackState.BUFFERING, PlaybackState.OPENING):
        return PlaybackState.PLAYING
    return PlaybackState.PAUSED if status.state is PlaybackState.PAUSED else None

"""The results of a search: podcasts, and the episodes below them, each with an excerpt that has the words; and the hits
of one episode, where it is said."""

import asyncio
from array import array
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from datetime import date
from functools import partial
from itertools import accumulate

from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from player.errors import EarmarkError
from player.library import Fetch, Interrupted, RowsRead, WholeList
from player.library.search.search import EpisodeSearch, Found, Passage
from player.library.search.spoken_hits import MOST, SpokenHit
from player.library.search.words import hits
from player.model.episode import Episode, EpisodeId
from player.model.filters import Term
from player.model.podcast import Podcast
from player.text.cleaning import fold
from player.text.durations import clock
from player.text.sentences import _, plural
from tui.drawing import cells
from tui.drawing.episode_rows import NOTHING, ROOMY, Line, RowBytes, RowLines
from tui.drawing.hit_lines import height_of, hit_lines
from tui.framework.screen import start_worker
from tui.look.glyphs import SPOKEN
from tui.widgets.episode_list import EpisodeList
from tui.widgets.virtual_list import VirtualList

_TWO_LINES_FROM = 6
"""The least lines of a list whose rows have a second line for the passage."""
_MOST_HIT_LINES = 4
_AT_ONCE = 4
_REST_S = 0.05
"""Typing that goes on within this time isn't slowed down by reading passages."""


class _Lines(RowLines):
    """Rows of `height` lines, among which the rows from `first` on have these `heights`."""

    def __init__(self, count: int, height: int, first: int, heights: Sequence[int]) -> None:
        super().__init__(count, height)
        self._first, self._heights = first, heights
        self._tops = list(accumulate(heights, initial=first * height))

    def __len__(self) -> int:
        return self.top_of(self.count)

    def height_of(self, index: int) -> int:
        at = index - self._first
        return self._heights[at] if 0 <= at < len(self._heights) else self.height

    def top_of(self, index: int) -> int:
        at = index - self._first
        if at < 0:
            return index * self.height
        return self._tops[min(at, len(self._heights))] + max(0, at - len(self._heights)) * self.height

    head_of = top_of

    def at(self, line: int) -> Line:
        at = bisect_right(self._tops, line) - 1
        if 0 <= at < len(self._heights):
            return Line(self._first + at, line - self._tops[at])
        index, part = divmod(line if at < 0 else line - self._tops[at], self.height)
        return Line(index if at < 0 else self._first + at + index, part)


_SHARE = 6
"""The tenths of a row for a screen reader that an episode gets, before the passage."""


class FoundList(EpisodeList):
    """The second line of a row has the passage with the words. Only the passages of visible rows are read. Below one
    episode its hits may be shown, each as a row of its own."""

    def __init__(
        self, fetch: Fetch, search: EpisodeSearch, today: Callable[[], date], *, id: str | None = None
    ) -> None:
        super().__init__(fetch, today, id=id)
        self.selectable = False
        self.has_cursor = True
        """Whether the cursor is in this list rather than among the podcasts."""
        self._search = search
        self._found = Found(array("q"))
        self._passages: dict[EpisodeId, Passage] = {}
        self._before: dict[EpisodeId, Passage] = {}
        """The passages of the last search, shown until those of this one have been read."""
        self._passage_cells = 0
        self._looks = False
        self._opened = -1
        """The row of the episode whose hits are shown."""
        self._hits: Sequence[SpokenHit] = ()

    @property
    def passage(self) -> Passage | None:
        """The passage of the episode under the cursor; None while it is being read."""
        return self._passages.get(self.episode_id) if self.episode_id is not None else None

    def show_found(self, found: Found, empty: str, read: RowsRead | None = None, *, stay: bool) -> None:
        """Shows the results, with the rows that have been `read`.

        The cursor goes to the first row or, with `stay`, stays on its episode if that is still among them.
        """
        same = (found.terms, found.speakers) == (self._found.terms, self._found.speakers)
        if not same:
            self._forget_passages()
        cursor_on, opened = self.episode_id, self._rows.id_at(self._opened)
        hits_above = self.cursor - self._opened if self._hit_at(self.cursor) else 0
        self._found = found
        if not (stay and same and opened in found.ids):
            self._hits, hits_above = (), 0
        ids = self._with_hits(opened)
        self.to_top()
        listing = WholeList(ids)
        rank = listing.rank(cursor_on)
        row = None if rank is None else rank + hits_above
        read = read and replace(read, ids=ids[read.start : read.end])
        self.show(listing, row if stay else 0, empty, mixed=True, read=read)

    # -- hits -------------------------------------------------------------------------------------------------

    @property
    def hit(self) -> SpokenHit | None:
        """The hit under the cursor, else that of the passage of the episode under it."""
        return self._hit_at(self.cursor) or (self.passage.hit if self.passage else None)

    @property
    def shows_hits(self) -> bool:
        """Whether the hits of the episode under the cursor are shown."""
        return bool(self._hits) and self._rows.id_at(self._opened) == self.episode_id

    def toggle_hits(self) -> None:
        """Shows the hits of the episode under the cursor instead of another's, or hides them."""
        if self.shows_hits:
            self._show_hits(())
        elif self.episode_id is not None:
            start_worker(self, partial(self._read_hits, self.episode_id), group="hits", exclusive=True)

    async def _read_hits(self, episode_id: EpisodeId) -> None:
        found = self._found
        try:
            spoken = await asyncio.to_thread(self._search.spoken_hits, episode_id, found)
        except (EarmarkError, Interrupted):
            spoken = []
        if found is self._found and episode_id == self.episode_id:
            self._show_hits(spoken)

    def _show_hits(self, spoken: Sequence[SpokenHit]) -> None:
        """Shows hits below the episode under the cursor, which is scrolled up if they need the room."""
        self._hits = spoken
        self._rows = self._rows.reordered(self._with_hits(self.episode_id))
        self.cursor = self._opened
        self.rows_changed()
        top, end = (self._lines.top_of(row) for row in (self._opened, self._opened + 1 + len(spoken)))
        self.scroll_to(y=min(top, max(self.scroll_offset.y, end - self.size.height)), animate=False, force=True)
        self._look_ahead()
        self.post_message(self.Moved(self))

    def _with_hits(self, opened: EpisodeId | None) -> "array[int]":
        """The episodes in order; the one whose hits are shown once more for each of them."""
        ids = self._found.ids
        self._opened = ids.index(opened) if opened is not None and opened in ids else -1
        end = self._opened + 1
        return ids[:end] + ids[self._opened : end] * len(self._hits) + ids[end:]

    def _hit_at(self, row: int) -> SpokenHit | None:
        at = row - self._opened - 1
        return self._hits[at] if 0 <= at < len(self._hits) else None

    # -- passages ---------------------------------------------------------------------------------------------

    def _look_ahead(self) -> None:
        super()._look_ahead()
        self._look_into_rows()

    def _take(self, read: RowsRead) -> None:
        super()._take(read)
        self._look_into_rows()

    def _look_into_rows(self) -> None:
        """Reads the passages of the visible rows."""
        if self.row_cells != self._passage_cells:
            self._forget_passages()
            self._passage_cells = self.row_cells
        if not self._looks and self.is_attached and self._without_passage():
            self._looks = True
            start_worker(self, self._read_passages, group="passages")

    def _forget_passages(self) -> None:
        self._before, self._passages = self._passages or self._before, {}

    def _passage_at(self, index: int) -> Passage | None:
        episode_id = self._rows.id_at(index)
        return None if episode_id is None else self._passages.get(episode_id, self._before.get(episode_id))

    def _without_passage(self) -> list[Episode]:
        """The next rows to read: the one under the cursor first."""
        seen = (self.episode, *(self._rows.row_at(index) for index in self.rows_in_sight))
        lacking = {one.id: one for one in seen if one is not None and one.id not in self._passages}
        return list(lacking.values())[:_AT_ONCE]

    async def _read_passages(self) -> None:
        try:
            await asyncio.sleep(_REST_S)
            while episodes := self._without_passage():
                found, width = self._found, self._passage_cells
                try:
                    passages = await asyncio.to_thread(self._search.passages, episodes, found, width)
                except (EarmarkError, Interrupted):
                    passages = [Passage("")] * len(episodes)
                if (found, width) == (self._found, self._passage_cells):
                    self._show_passages(dict(zip((one.id for one in episodes), passages, strict=True)))
        finally:
            self._looks = False

    def _show_passages(self, passages: dict[EpisodeId, Passage]) -> None:
        self._passages.update(passages)
        self.refresh_changed()
        if self.episode_id in passages:
            self.post_message(self.Moved(self))

    # -- rows -------------------------------------------------------------------------------------------------

    def lines_of_rows(self) -> RowLines:
        self._form = replace(self._form, lengths=self.row_cells >= ROOMY)
        most = max(1, min(_MOST_HIT_LINES, self.size.height - 1))
        heights = [height_of(hit, self._hit_cells, most) for hit in self._hits]
        height = 2 if self.size.height >= _TWO_LINES_FROM else 1
        return _Lines(self.row_count(), height, self._opened + 1, heights)

    @property
    def _hit_cells(self) -> int:
        """The cells for what is said, to the right of its time."""
        return max(1, self.row_cells - 2 - self._before_hits)

    @property
    def _before_hits(self) -> int:
        last_ms = max((one.at_ms for one in self._hits if one.at_ms is not None), default=None)
        return 2 if last_ms is None else 4 + len(clock(last_ms))

    def is_at_cursor(self, index: int) -> bool:
        return self.has_cursor and super().is_at_cursor(index)

    def row_key(self, index: int) -> Hashable:
        if (hit := self._hit_at(index)) is not None:
            return hit, self._found.terms
        opened = len(self._hits) if index == self._opened else 0
        return super().row_key(index), self._found.terms, self._passage_at(index), opened

    def draw_part(self, index: int, part: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        if (hit := self._hit_at(index)) is None:
            return super().draw_part(index, part, width, at_cursor=at_cursor)
        time = "" if part or hit.at_ms is None else f"{clock(hit.at_ms)}  "
        lines = hit_lines(hit, self._found.terms, self._hit_cells, self._lines.height_of(index), self.glyphs)
        inks = {"found": self.ink("title") + self.ink("alive") + Style(bold=True)}
        runs = lines[part] if part < len(lines) else ()
        return [
            Segment(time.rjust(self._before_hits), self.ink("alive")),
            *(Segment(run.text, inks.get(run.role) or self.ink(run.role or "muted")) for run in runs),
        ]

    def said(self, index: int, width: int) -> str:
        if self._hit_at(index) is not None:
            return "".join(one.text for one in self.draw_part(index, 0, width, at_cursor=False)).strip()
        row = super().said(index, width * _SHARE // 10)
        passage = "".join(one.text for one in self.draw_below(index, width)).strip()
        return ", ".join(filter(None, (row, cells.cut(passage, width - cells.width(row) - 2, SPOKEN.ellipsis))))

    def draw_title(self, title: str, style: Style) -> Sequence[Segment]:
        return marked(title, self._found.terms, style, self.ink("alive"))

    def draw_below(self, index: int, width: int) -> Sequence[Segment]:
        if index == self._opened and self._hits:
            return [Segment("  "), Segment(_how_many(len(self._hits)), self.ink("muted"))]
        passage = self._passage_at(index) or Passage("")
        time = "" if passage.at_ms is None else f"{clock(passage.at_ms)} "
        text = cells.cut(passage.text, max(0, width - 3 - len(time)), self.glyphs.ellipsis)
        return [
            Segment("  "),
            Segment(time, self.ink("alive")),
            *marked(text, self._found.terms, self.ink("muted"), self.ink("alive")),
        ]


def _how_many(number: int) -> str:
    return _("the first {n:,} hits", n=number) if number == MOST else plural(number, "{n:,} hit", "{n:,} hits")


def marked(text: str, terms: tuple[Term, ...], style: Style, mark: Style) -> list[Segment]:
    """A text with the words of a search marked, also without colours."""
    segments: list[Segment] = []
    done = 0
    for start, end in hits(text, terms):
        segments += [Segment(text[done:start], style), Segment(text[start:end], style + mark + Style(bold=True))]
        done = end
    segments.append(Segment(text[done:], style))
    return [segment for segment in segments if segment.text]


class FoundPodcasts(VirtualList):
    """The podcasts found, at most a few, in as many lines. `has_cursor`: the cursor is here rather than among the
    episodes."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.can_focus = False
        self.display = False
        self.has_cursor = False
        self._podcasts: Sequence[Podcast] = ()
        self._terms: tuple[Term, ...] = ()

    @property
    def podcast(self) -> Podcast | None:
        """The result under the cursor, if it is of this kind."""
        return self._podcasts[self.cursor] if self.has_cursor and self._podcasts else None

    def show_podcasts(self, podcasts: Sequence[Podcast], terms: tuple[Term, ...], cursor: int) -> None:
        """Shows podcasts with the `terms` marked in their names."""
        self._podcasts, self._terms, self.cursor = podcasts, terms, cursor
        self.display = bool(podcasts)
        self.styles.height = len(podcasts)
        self.rows_changed()

    def row_count(self) -> int:
        return len(self._podcasts)

    def row_key(self, index: int) -> Hashable:
        return self._podcasts[index], self._terms, self.has_cursor

    def is_at_cursor(self, index: int) -> bool:
        return self.has_cursor and super().is_at_cursor(index)

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        podcast = self._podcasts[index]
        unplayed = plural(podcast.unplayed_count, "{n:,} unplayed", "{n:,} unplayed") if podcast.unplayed_count else ""
        facts = f" {self.glyphs.dot} ".join(filter(None, (_("podcast"), unplayed)))
        facts = facts if cells.width(facts) < width // 2 else ""
        room = width - cells.width(facts) - 5
        title = cells.fit(podcast.title, room, ellipsis=self.glyphs.ellipsis)
        return [
            Segment("  "),
            *marked(title, self._terms, self.ink("strong" if at_cursor else "title"), self.ink("alive")),
            Segment(f"  {facts} ", self.ink("muted")),
        ]


class FoundPane(Vertical):
    """The podcasts and episodes found. The cursor starts on the first episode, or on the first podcast if its name
    begins with the typed text.

    Once the listener has moved it, it stays on its podcast or episode as long as that is among the results.
    """

    DEFAULT_CSS = """
    FoundPane { height: 1fr; }
    FoundPane FoundList { height: 1fr; }
    """

    def __init__(
        self,
        fetch: Fetch,
        search: EpisodeSearch,
        today: Callable[[], date],
        bytes_of: Callable[[Episode], RowBytes] = lambda _episode: NOTHING,
    ) -> None:
        """The arguments are those of a `FoundList`."""
        super().__init__()
        self._podcasts = FoundPodcasts(id="found-podcasts")
        self._episodes = FoundList(fetch, search, today, id="found")
        self._episodes.can_focus = False
        self._episodes.bytes_of = bytes_of
        self._moved = False
        """Whether the listener has moved the cursor."""

    def compose(self) -> ComposeResult:
        yield self._podcasts
        yield self._episodes

    @property
    def podcast(self) -> Podcast | None:
        """The result under the cursor, if it is of this kind."""
        return self._podcasts.podcast

    @property
    def episode(self) -> Episode | None:
        """The result under the cursor, if it is of this kind."""
        return None if self._podcasts.has_cursor else self._episodes.episode

    @property
    def episode_id(self) -> EpisodeId | None:
        return None if self._podcasts.has_cursor else self._episodes.episode_id

    @property
    def passage(self) -> Passage | None:
        """The passage of the episode under the cursor; None while it is being read."""
        return None if self._podcasts.has_cursor else self._episodes.passage

    @property
    def hit(self) -> SpokenHit | None:
        """Where it is said, if the cursor is there."""
        return None if self._podcasts.has_cursor else self._episodes.hit

    @property
    def shows_hits(self) -> bool:
        """Whether the hits of the episode under the cursor are shown."""
        return not self._podcasts.has_cursor and self._episodes.shows_hits

    def toggle_hits(self) -> None:
        """Shows the hits of the episode under the cursor, or hides them."""
        if self.hit is not None:
            self._episodes.toggle_hits()

    def show_found(
        self,
        text: str,
        found: Found,
        podcasts: Sequence[Podcast],
        empty: str,
        read: RowsRead | None = None,
        *,
        stay: bool = False,
    ) -> None:
        """Shows the results for the typed `text`. `read` are the rows that have been read; `empty` is shown if there
        are no results. With `stay` the cursor stays on its result if that is still there."""
        on_podcast, on_episode = self.podcast, self.episode_id
        kept = next((at for at, one in enumerate(podcasts) if on_podcast and one.id == on_podcast.id), None)
        stays = (self._moved or stay) and (kept is not None or on_episode in found.ids)
        self._moved = self._moved and stays
        if stays:
            among_podcasts = kept is not None
        else:
            begins = bool(podcasts) and fold(podcasts[0].title).startswith(fold(text.strip()))
            among_podcasts = begins or (bool(podcasts) and not found.ids)
        self._put_cursor(among_podcasts=among_podcasts)
        self._podcasts.show_podcasts(podcasts, found.terms, (kept or 0) if stays else 0)
        self._episodes.show_found(found, "" if podcasts else empty, read, stay=stays)

    def will_read(self) -> None:
        """Call this before another thread reads what `show_found` is to show."""
        self._episodes.will_read()

    def put(self, episode: Episode) -> None:
        """Shows a changed episode before the library confirms it."""
        self._episodes.put(episode)

    def forget(self, episode_id: EpisodeId) -> None:
        """Reads the row of this episode again, because the library has a change."""
        self._episodes.forget([episode_id])

    def move_by(self, rows: int) -> None:
        self._moved = True
        podcasts, episodes = self._podcasts, self._episodes
        if podcasts.has_cursor and podcasts.cursor + rows >= podcasts.row_count() and episodes.row_count():
            self._put_cursor(among_podcasts=False)
            episodes.move_to(0)
        elif not podcasts.has_cursor and episodes.cursor + rows < 0 and podcasts.row_count():
            self._put_cursor(among_podcasts=True)
            podcasts.move_to(podcasts.row_count() - 1)
        else:
            (podcasts if podcasts.has_cursor else episodes).move_by(rows)

    def move_by_pages(self, pages: int) -> None:
        self._moved = True
        if self._podcasts.has_cursor:
            self.move_by(pages * self._podcasts.row_count())
        else:
            self._episodes.move_by_pages(pages)

    def on_click(self, event: events.Click) -> None:
        """Moves the cursor to the clicked list, which has already moved its own."""
        self._moved = True
        self._put_cursor(among_podcasts=event.widget is self._podcasts)

    def _put_cursor(self, *, among_podcasts: bool) -> None:
        if among_podcasts != self._podcasts.has_cursor:
            self._podcasts.has_cursor, self._episodes.has_cursor = among_podcasts, not among_podcasts
            self._podcasts.refresh_changed()
            self._episodes.refresh_changed()
            self.post_message(FoundList.Moved(self._episodes))

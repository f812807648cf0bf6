"""The podcasts or episodes found by directories, one row each."""

from collections.abc import Callable, Collection, Hashable, Sequence
from datetime import date

from rich.segment import Segment

from player.directory.directory import FoundEpisode, FoundPodcast
from tui.drawing import cells
from tui.drawing.found_podcasts import (
    Columns,
    Found,
    author_words,
    columns,
    count_words,
    identity,
    language_words,
    newest_words,
)
from tui.widgets.virtual_list import VirtualList


class FoundRows(VirtualList):
    """When results are added, the cursor stays on its row, and the row on its line of the screen."""

    def __init__(self, today: Callable[[], date], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.can_focus = False
        self._today = today
        self._found: Sequence[Found] = ()
        self._adding: Collection[Hashable] = ()
        self._empty = ""
        self._share: tuple[int, Columns] | None = None
        """A width, and the columns for it."""

    @property
    def chosen(self) -> Found | None:
        """The podcast or episode under the cursor."""
        return self._found[self.cursor] if self.cursor < len(self._found) else None

    @property
    def podcast(self) -> FoundPodcast | None:
        return self.chosen if isinstance(self.chosen, FoundPodcast) else None

    @property
    def episode(self) -> FoundEpisode | None:
        return self.chosen if isinstance(self.chosen, FoundEpisode) else None

    def show_found(
        self, found: Sequence[Found], empty: str, *, adding: Collection[Hashable] = (), from_top: bool = False
    ) -> None:
        """`adding` are the identities of the rows whose subscription or opening is under way; `empty` is shown if there
        are no rows. `from_top`: the list is another one, and the cursor begins at the top."""
        stands_on, line = self.chosen, self.cursor - self.scroll_offset.y
        self._found, self._adding, self._empty = found, adding, empty
        share, self._share = self._share, None
        if share is not None and self._columns(share[0]) != share[1]:
            self.redraw()
        row = None
        if stands_on is not None and not from_top:
            same = identity(stands_on)
            row = next((at for at, one in enumerate(found) if identity(one) == same), None)
        self.cursor = 0 if from_top else min(self.cursor, max(0, len(found) - 1)) if row is None else row
        self.rows_changed()
        if row is not None and 0 <= line < self.size.height:
            top = max(0, min(row - line, len(found) - self.size.height))
            self.scroll_to(y=top, animate=False, force=True)
        self.post_message(self.Moved(self))

    def _columns(self, width: int) -> Columns:
        if self._share is None or self._share[0] != width:
            self._share = width, columns(width, self._found)
        return self._share[1]

    def row_count(self) -> int:
        return len(self._found)

    def row_key(self, index: int) -> Hashable:
        one = self._found[index]
        return one, identity(one) in self._adding, self._today()

    def empty_text(self) -> str:
        return self._empty

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        one, glyphs = self._found[index], self.glyphs
        share = self._columns(width)
        mark = (glyphs.played, "alive") if one.podcast_id is not None else (" ", "muted")
        if identity(one) in self._adding:
            mark = glyphs.loading, "alive"
        title = cells.fit(one.title, max(0, share.title), ellipsis=glyphs.ellipsis)
        segments = [
            Segment(f"{mark[0]} ", self.ink(mark[1])),
            Segment(title, self.ink("strong" if at_cursor else "title" if one.feed_url else "muted")),
        ]
        for text, room, align in (
            (author_words(one), share.author, False),
            (newest_words(one, self._today()), share.newest, True),
            (count_words(one), share.count, True),
            (language_words(one), share.language, True),
        ):
            if room:
                inside = cells.fit(text, room - 1, "right" if align else "left", ellipsis=glyphs.ellipsis)
                segments.append(Segment(f" {inside}", self.ink("muted")))
        return [*segments, Segment(" ")]

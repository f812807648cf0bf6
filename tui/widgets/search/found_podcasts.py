"""The podcasts whose names a search has found."""

from collections.abc import Hashable, Sequence

from rich.segment import Segment

from player.model.filters import Term
from player.model.podcast import Podcast
from player.text.sentences import _, plural
from tui.drawing import cells
from tui.widgets.search.found_list import marked
from tui.widgets.virtual_list import VirtualList


class FoundPodcasts(VirtualList):
    """A few rows, as tall as needed. `has_cursor`: the cursor is here rather than among the episodes."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.can_focus = False
        self.display = False
        self.has_cursor = False
        self._podcasts: Sequence[Podcast] = ()
        self._terms: tuple[Term, ...] = ()

    @property
    def podcast(self) -> Podcast | None:
        """The one under the cursor."""
        return self._podcasts[self.cursor] if self.has_cursor and self._podcasts else None

    def show_podcasts(self, podcasts: Sequence[Podcast], terms: tuple[Term, ...], cursor: int) -> None:
        """`terms` are marked in their names."""
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

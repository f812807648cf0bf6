"""The podcasts found by directories, one row each."""

from collections.abc import Callable, Collection, Hashable, Sequence
from datetime import date

from rich.segment import Segment

from player.directory.directory import FoundPodcast
from tui.drawing import cells
from tui.drawing.found_podcasts import Columns, columns, count_words, identity, language_words, newest_words
from tui.widgets.virtual_list import VirtualList


class FoundRows(VirtualList):
    """When results are added, the cursor stays on its podcast, and the podcast on its line of the screen."""

    def __init__(self, today: Callable[[], date], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.can_focus = False
        self._today = today
        self._podcasts: Sequence[FoundPodcast] = ()
        self._adding: Collection[Hashable] = ()
        self._empty = ""
        self._share: tuple[int, Columns] | None = None
        """A width, and the columns for it."""

    @property
    def podcast(self) -> FoundPodcast | None:
        """The podcast under the cursor."""
        return self._podcasts[self.cursor] if self.cursor < len(self._podcasts) else None

    def show_podcasts(
        self, podcasts: Sequence[FoundPodcast], empty: str, *, adding: Collection[Hashable] = (), from_top: bool = False
    ) -> None:
        """`adding` are the identities of podcasts whose subscription is under way; `empty` is shown if there are no
        podcasts. `from_top`: this is another list, whose cursor begins at the top."""
        stands_on, line = self.podcast, self.cursor - self.scroll_offset.y
        self._podcasts, self._adding, self._empty = podcasts, adding, empty
        share, self._share = self._share, None
        if share is not None and self._columns(share[0]) != share[1]:
            self.redraw()
        row = None
        if stands_on is not None and not from_top:
            same = identity(stands_on)
            row = next((at for at, one in enumerate(podcasts) if identity(one) == same), None)
        self.cursor = 0 if from_top else min(self.cursor, max(0, len(podcasts) - 1)) if row is None else row
        self.rows_changed()
        if row is not None and 0 <= line < self.size.height:
            top = max(0, min(row - line, len(podcasts) - self.size.height))
            self.scroll_to(y=top, animate=False, force=True)
        self.post_message(self.Moved(self))

    def _columns(self, width: int) -> Columns:
        if self._share is None or self._share[0] != width:
            self._share = width, columns(width, self._podcasts)
        return self._share[1]

    def row_count(self) -> int:
        return len(self._podcasts)

    def row_key(self, index: int) -> Hashable:
        podcast = self._podcasts[index]
        return podcast, identity(podcast) in self._adding, self._today()

    def empty_text(self) -> str:
        return self._empty

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        podcast, glyphs = self._podcasts[index], self.glyphs
        share = self._columns(width)
        mark = (glyphs.played, "alive") if podcast.podcast_id is not None else (" ", "muted")
        if identity(podcast) in self._adding:
            mark = glyphs.loading, "alive"
        title = cells.fit(podcast.title, max(0, share.title), ellipsis=glyphs.ellipsis)
        segments = [
            Segment(f"{mark[0]} ", self.ink(mark[1])),
            Segment(title, self.ink("strong" if at_cursor else "title" if podcast.feed_url else "muted")),
        ]
        # Podcasts of the built-in list show their topic in place of an author.
        author = podcast.author or ", ".join(podcast.topics[:1])
        for text, room, align in (
            (author, share.author, False),
            (newest_words(podcast, self._today()), share.newest, True),
            (count_words(podcast), share.count, True),
            (language_words(podcast), share.language, True),
        ):
            if room:
                inside = cells.fit(text, room - 1, "right" if align else "left", ellipsis=glyphs.ellipsis)
                segments.append(Segment(f" {inside}", self.ink("muted")))
        return [*segments, Segment(" ")]

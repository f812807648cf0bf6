"""The episodes that a search has found, with its words marked."""

from collections.abc import Callable, Hashable, Sequence
from datetime import date

from rich.segment import Segment
from rich.style import Style

from player.library import Fetch, RowsRead, WholeList
from player.library.search.search import Found
from player.library.search.words import hits
from player.model.filters import Term
from tui.widgets.episode_list import EpisodeList


class FoundList(EpisodeList):
    def __init__(self, fetch: Fetch, today: Callable[[], date], *, id: str | None = None) -> None:
        super().__init__(fetch, today, id=id)
        self.selectable = False
        self.has_cursor = True
        """Whether the cursor is here rather than among the podcasts."""
        self._terms: tuple[Term, ...] = ()

    def show_found(self, found: Found, empty: str, read: RowsRead | None = None, *, stay: bool) -> None:
        """Shows what was found, with the rows that have been `read`.

        The cursor goes to the first row or, with `stay`, remains on its episode if that is still there.
        """
        self._terms = found.terms
        cursor_on = self.episode_id
        self.to_top()
        listing = WholeList(found.ids)
        self.show(listing, listing.rank(cursor_on) if stay else 0, empty, mixed=True, read=read)

    def is_at_cursor(self, index: int) -> bool:
        return self.has_cursor and super().is_at_cursor(index)

    def row_key(self, index: int) -> Hashable:
        return super().row_key(index), self._terms

    def draw_title(self, title: str, style: Style) -> Sequence[Segment]:
        return marked(title, self._terms, style, self.ink("alive"))


def marked(text: str, terms: tuple[Term, ...], style: Style, mark: Style) -> list[Segment]:
    """A text with the words of a search marked, by more than colour alone."""
    segments: list[Segment] = []
    done = 0
    for start, end in hits(text, terms):
        segments += [Segment(text[done:start], style), Segment(text[start:end], style + mark + Style(bold=True))]
        done = end
    segments.append(Segment(text[done:], style))
    return [segment for segment in segments if segment.text]

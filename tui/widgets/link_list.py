"""The links of an episode as rows: its pages by number, then its times."""

from collections.abc import Hashable, Iterator, Sequence

from msgspec import Struct
from rich.segment import Segment

from player.notes.episode_links import Link, Links, TimeLink
from player.text.cleaning import fold
from player.text.sentences import _
from tui.drawing import cells
from tui.widgets.virtual_list import VirtualList

_GAP = 2
_LEAST_TITLE = 16


class _Row(Struct, frozen=True):
    """A page or a time; a heading if `link` is None. `lead` comes before the title, in `lead_cells` cells."""

    title: str = ""
    link: Link | TimeLink | None = None
    lead: str = ""
    lead_cells: int = 0
    leads_to: str = ""


class LinkList(VirtualList):
    """A list of links. `chosen` is the link under the cursor. `type_digit` goes to a page by its number."""

    DEFAULT_CSS = """
    LinkList { min-height: 1; }
    """

    def __init__(self, links: Links | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._links = links or Links()
        self._rows = list(_rows(self._links.pages, self._links.times))
        self._filter = ""
        self._typed = ""

    def on_mount(self) -> None:
        self.rows_changed()

    @property
    def chosen(self) -> Link | TimeLink | None:
        return self._rows[self.cursor].link if self._rows else None

    def show(self, links: Links, filter_text: str = "") -> None:
        """Shows links; with a filter, only those with all its words in their title, name, host or address."""
        before = self.chosen
        self._links, self._filter, self._typed = links, filter_text, ""
        words = fold(filter_text).split()
        pages = [link for link in links.pages if _has(words, link.title, link.name, link.kind, link.address)]
        times = [time for time in links.times if _has(words, time.title, time.text)]
        self._rows = list(_rows(pages, times))
        indexes = {row.link: index for index, row in enumerate(self._rows) if row.link is not None}
        self.cursor = indexes.get(before, 0) if before is not None else 0
        self._strips.clear()
        self.rows_changed()
        if self.chosen != before:
            self.post_message(self.Moved(self))

    def type_digit(self, digit: str) -> None:
        """Goes to the page with the number typed so far; a digit that can't continue a number starts a new one."""
        numbers = {str(row.link.number): at for at, row in enumerate(self._rows) if isinstance(row.link, Link)}
        for typed in (self._typed + digit, digit):
            if any(number.startswith(typed) for number in numbers):
                self._typed = typed
                if typed in numbers:
                    super().move_to(numbers[typed])
                return

    def move_to(self, index: int) -> bool:
        self._typed = ""
        return super().move_to(index)

    # -- rows -------------------------------------------------------------------------------------------------

    def row_count(self) -> int:
        return len(self._rows)

    def may_rest(self, index: int) -> bool:
        return self._rows[index].link is not None

    def row_key(self, index: int) -> Hashable:
        return self._rows[index]

    def empty_text(self) -> str:
        if self._filter:
            return _("No links match “{words}”.", words=self._filter)
        return _("This episode has no links.")

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        row, ellipsis = self._rows[index], self.glyphs.ellipsis
        if row.link is None:
            return [Segment(cells.fit(row.title.upper(), width, ellipsis=ellipsis), self.ink("heading"))]
        room = width - row.lead_cells - _GAP
        leads_to = cells.cut(row.leads_to, min(room * 2 // 5, room - _LEAST_TITLE - _GAP), ellipsis)
        title = room - (cells.width(leads_to) + _GAP if leads_to else 0)
        return [
            Segment(cells.fit(row.lead, row.lead_cells, "right"), self.ink("alive")),
            Segment(" " * _GAP),
            Segment(
                cells.fit(row.title, max(0, title), ellipsis=ellipsis), self.ink("strong" if at_cursor else "title")
            ),
            Segment(f"{' ' * _GAP}{leads_to}" if leads_to else "", self.ink("muted")),
        ]


def _rows(pages: Sequence[Link], times: Sequence[TimeLink]) -> Iterator[_Row]:
    lead = max((len(str(link.number)) for link in pages), default=0)
    for link in pages:
        yield _Row(link.title, link, str(link.number), lead, link.leads_to)
    if pages and times:
        yield _Row()
    if times:
        yield _Row(_("Times"))
    lead = max((len(time.text) for time in times), default=0)
    for time in times:
        yield _Row(time.title, time, time.text, lead)


def _has(words: Sequence[str], *texts: str) -> bool:
    text = fold(" ".join(texts))
    return all(word in text for word in words)

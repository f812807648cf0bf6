"""The links of notes: their numbers, in the order of reading, and those that need a row at the end of the page."""

from collections.abc import Iterator, Sequence

from player.notes import Span
from tui.widgets.notes_addresses import is_address
from tui.widgets.notes_rows import Kind, Row


class Links:
    """The numbers of the links, and those that still need a row."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.numbers: dict[str, int] = {}
        self._labels: dict[str, str] = {}
        with_row = {row.href for row in rows if row.href}
        for row in rows:
            if row.href:
                self.numbers.setdefault(row.href, len(self.numbers) + 1)
            for href, label in labelled(row.spans):
                if href in with_row or not is_address(label, href):
                    self.numbers.setdefault(href, len(self.numbers) + 1)
                    self._labels.setdefault(href, label)
        self._amid = [href for href in self.numbers if href not in with_row]
        self.digits = len(str(len(self.numbers)))

    def collected(self) -> list[Row]:
        if not self._amid:
            return []
        rows = (Row(Kind.LINK, (Span(self._labels[href], href=href),), href=href) for href in self._amid)
        return [Row(Kind.HEADING, (Span("Links"),)), *rows]


def labelled(spans: Sequence[Span]) -> Iterator[tuple[str, str]]:
    """Each link with its whole text, which may be of several spans."""
    href, label = "", ""
    for span in (*spans, Span("")):
        if href and span.href != href:
            yield href, label.strip()
            label = ""
        href = span.href
        if href:
            label += span.text

"""The links of notes: their numbers, and which of them need a row at the end of the page."""

from collections.abc import Iterator, Sequence

from player.notes import Notes, Span
from player.notes.episode_links import is_address, numbers
from player.text.sentences import _
from tui.drawing.notes.rows import Row, RowKind


class Links:
    """The numbers of the links, and those that still need a row."""

    def __init__(self, notes: Notes, rows: Sequence[Row]) -> None:
        self.numbers = numbers(notes)
        self._labels: dict[str, str] = {}
        with_row = {row.href for row in rows}
        for row in rows:
            for href, label in labelled(row.spans):
                if href not in with_row and not is_address(label, href):
                    self._labels.setdefault(href, label)

    def collected(self) -> list[Row]:
        if not self._labels:
            return []
        amid = sorted(self._labels, key=self.numbers.__getitem__)
        rows = (Row(RowKind.LINK, (Span(self._labels[href], href=href),), href=href) for href in amid)
        return [Row(RowKind.HEADING, (Span(_("Links")),)), *rows]


def labelled(spans: Sequence[Span]) -> Iterator[tuple[str, str]]:
    """Each link with its whole text, which may consist of several spans."""
    href, label = "", ""
    for span in (*spans, Span("")):
        if href and span.href != href:
            yield href, label.strip()
            label = ""
        href = span.href
        if href:
            label += span.text

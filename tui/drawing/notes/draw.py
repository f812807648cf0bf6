"""Rows of notes drawn as lines of pieces in roles."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from player.links.trackers import shown
from player.notes import Code, Span, Table
from player.notes.blocks import stripped
from player.notes.episode_links import is_address, site_of
from player.text.times_in_text import time_link, timestamps
from tui.drawing.cells import steady
from tui.drawing.notes.code import code
from tui.drawing.notes.link_labels import Links
from tui.drawing.notes.rows import Kind, Row
from tui.drawing.notes.table_layout import table
from tui.drawing.runs import Line, Piece, width_of, wrap
from tui.look.glyphs import ASCII, Glyphs

_LEAST_TEXT = 16
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Drawing:
    glyphs: Glyphs
    links: Links
    duration_ms: int | None
    tinted: bool = True

    def lines(self, row: Row, columns: int, lead_cells: int) -> Iterable[Line]:
        match row.kind:
            case Kind.HEADING:
                return wrap(self._pieces(row.spans, "heading"), columns)
            case Kind.TEXT:
                return wrap(self._pieces(row.spans), columns)
            case Kind.ITEM:
                return self._hung(self._bullet(row), self._pieces(row.spans), row.depth, columns)
            case Kind.TIME:
                lead = Piece(row.mark, "time", row.href), Piece(" " * (lead_cells - len(row.mark) + 2))
                return self._hung(lead, self._pieces(row.spans), row.depth, columns)
            case Kind.LINK:
                number = str(self.links.numbers[row.href])
                lead = Piece(number, "number", row.href), Piece(" " * (lead_cells - len(number) + 2))
                return self._hung(lead, self._link(row), row.depth, columns)
            case Kind.QUOTE:
                lines = wrap(self._pieces(row.spans, "quote"), columns - 2)
                return [(Piece(self.glyphs.quote, "bar"), Piece(" "), *line) for line in lines]
            case Kind.CODE:
                language = row.block.language if isinstance(row.block, Code) else ""
                return code(row.spans, columns, language, tinted=self.tinted)
            case Kind.TABLE:
                return table(row.block, columns, self.glyphs, self._pieces) if isinstance(row.block, Table) else ()
            case Kind.RULE:
                return [(Piece(self.glyphs.line_thin * min(columns, 24), "rule"),)]

    def between(self, before: Row, row: Row) -> Line:
        """The line that keeps two rows apart; the bar beside a quote has no gap in it."""
        return (Piece(self.glyphs.quote, "bar"),) if before.kind is row.kind is Kind.QUOTE else ()

    def _hung(self, lead: Line, text: Iterable[Piece], depth: int, columns: int) -> Iterator[Line]:
        """Text that hangs beside what leads it."""
        indent = min(2 * depth, max(0, columns - width_of(lead) - _LEAST_TEXT))
        hang = indent + width_of(lead)
        for index, line in enumerate(wrap(text, columns - hang)):
            start = (Piece(" " * indent), *lead) if index == 0 else (Piece(" " * hang),)
            yield (*start, *line)

    def _bullet(self, row: Row) -> Line:
        signs = (self.glyphs.bullet, self.glyphs.dash, self.glyphs.dot)
        return Piece(row.mark or signs[min(row.depth, 2)], "muted"), Piece(" ")

    def _link(self, row: Row) -> Iterator[Piece]:
        """The text of a link's row, and where it leads unless the text says so itself."""
        label = "".join(span.text for span in row.spans if span.href).strip()
        if is_address(label, row.href):
            yield Piece(shown(label), "link", row.href)
            return
        for span in stripped(row.spans):
            role = _roles(span, "link" if span.href else "")
            yield Piece(steady(span.text), role, span.href)
        yield Piece(f"  {steady(site_of(row.href))}", "muted", "")

    def _pieces(self, spans: Sequence[Span], role: str = "") -> Iterator[Piece]:
        """Spans amid prose: times lead to their places, a link has its number at its end."""
        spans = stripped(tuple(spans))
        for index, span in enumerate(spans):
            ends = index + 1 == len(spans) or spans[index + 1].href != span.href
            if not span.href:
                yield from self._plain(span, role)
                continue
            text = shown(span.text) if is_address(span.text, span.href) else steady(span.text)
            yield Piece(text, _roles(span, f"{role} link"), span.href)
            if ends:
                yield Piece(self._raised(self.links.numbers[span.href]), "number", span.href)

    def _plain(self, span: Span, role: str) -> Iterator[Piece]:
        text, at = steady(span.text), 0
        if not span.code:
            for time in timestamps(text, self.duration_ms):
                yield Piece(text[at : time.start], _roles(span, role))
                yield Piece(time.text, _roles(span, f"{role} time"), time_link(time.ms))
                at = time.end
        yield Piece(text[at:], _roles(span, role))

    def _raised(self, number: int) -> str:
        return f"[{number}]" if self.glyphs is ASCII else str(number).translate(_SUPERSCRIPT)


def _roles(span: Span, role: str) -> str:
    marks = (("bold", span.bold), ("italic", span.italic), ("code", span.code))
    return " ".join([*role.split(), *(name for name, on in marks if on)])

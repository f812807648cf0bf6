"""Draws rows of notes as lines of runs with roles."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from player.links.trackers import shown
from player.notes import Code, Span, Table
from player.notes.blocks import stripped
from player.notes.episode_links import is_address, site_of
from player.text.times_in_text import time_link, timestamps
from tui.drawing.cells import steady
from tui.drawing.notes.code import code
from tui.drawing.notes.link_labels import Links
from tui.drawing.notes.rows import Row, RowKind
from tui.drawing.notes.table_layout import table
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.drawing.scripts.paragraphs import is_of_right_to_left
from tui.look.glyphs import ASCII, Glyphs

_LEAST_TEXT = 16
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Drawing(Struct, frozen=True):
    glyphs: Glyphs
    links: Links
    duration_ms: int | None
    tinted: bool = True

    def lines(self, row: Row, columns: int, lead_cells: int) -> Iterable[Line]:
        match row.kind:
            case RowKind.HEADING:
                return wrap(self._pieces(row.spans, "heading"), columns)
            case RowKind.TEXT:
                return wrap(self._pieces(row.spans), columns)
            case RowKind.ITEM:
                return self._hung(self._bullet(row), self._pieces(row.spans), row.depth, columns, mirrors=True)
            case RowKind.TIME:
                lead = Run(row.mark, "time", row.href), Run(" " * (lead_cells - len(row.mark) + 2))
                return self._hung(lead, self._pieces(row.spans), row.depth, columns)
            case RowKind.LINK:
                number = str(self.links.numbers[row.href])
                lead = Run(number, "number", row.href), Run(" " * (lead_cells - len(number) + 2))
                return self._hung(lead, self._link(row), row.depth, columns)
            case RowKind.QUOTE:
                lines = wrap(self._pieces(row.spans, "quote"), columns - 2)
                return [(Run(self.glyphs.quote, "bar"), Run(" "), *line) for line in lines]
            case RowKind.CODE:
                language = row.block.language if isinstance(row.block, Code) else ""
                return code(row.spans, columns, language, tinted=self.tinted)
            case RowKind.TABLE:
                return table(row.block, columns, self.glyphs, self._pieces) if isinstance(row.block, Table) else ()
            case RowKind.RULE:
                return [(Run(self.glyphs.line_thin * min(columns, 24), "rule"),)]

    def between(self, before: Row, row: Row) -> Line:
        """The line between two rows; the bar beside a quote has no gap in it."""
        return (Run(self.glyphs.quote, "bar"),) if before.kind is row.kind is RowKind.QUOTE else ()

    def _hung(
        self, lead: Line, text: Iterable[Run], depth: int, columns: int, *, mirrors: bool = False
    ) -> Iterator[Line]:
        """Text with a hanging indent after its lead; one read from right to left has a lead that `mirrors` at its
        right."""
        indent = min(2 * depth, max(0, columns - width_of(lead) - _LEAST_TEXT))
        hang = indent + width_of(lead)
        lines = wrap(text, columns - hang)
        at_right = mirrors and bool(lines) and is_of_right_to_left(lines[0])
        for index, line in enumerate(lines):
            if at_right:
                yield (*line, *lead[::-1]) if index == 0 else line
                continue
            start = (Run(" " * indent), *lead) if index == 0 else (Run(" " * hang),)
            yield (*start, *line)

    def _bullet(self, row: Row) -> Line:
        signs = (self.glyphs.bullet, self.glyphs.dash, self.glyphs.dot)
        return Run(row.mark or signs[min(row.depth, 2)], "muted"), Run(" ")

    def _link(self, row: Row) -> Iterator[Run]:
        """The text of a link's row, and its address unless the text already says it."""
        label = "".join(span.text for span in row.spans if span.href).strip()
        if is_address(label, row.href):
            yield Run(shown(label), "link", row.href)
            return
        for span in stripped(row.spans):
            role = _roles(span, "link" if span.href else "")
            yield Run(steady(span.text), role, span.href)
        yield Run(f"  {steady(site_of(row.href))}", "muted", "")

    def _pieces(self, spans: Sequence[Span], role: str = "") -> Iterator[Run]:
        """Spans within prose: times link to their positions, a link has its number at its end."""
        spans = stripped(tuple(spans))
        for index, span in enumerate(spans):
            ends = index + 1 == len(spans) or spans[index + 1].href != span.href
            if not span.href:
                yield from self._plain(span, role)
                continue
            text = shown(span.text) if is_address(span.text, span.href) else steady(span.text)
            yield Run(text, _roles(span, f"{role} link"), span.href)
            if ends:
                yield Run(self._raised(self.links.numbers[span.href]), "number", span.href)

    def _plain(self, span: Span, role: str) -> Iterator[Run]:
        text, at = steady(span.text), 0
        if not span.code:
            for time in timestamps(text, self.duration_ms):
                yield Run(text[at : time.start], _roles(span, role))
                yield Run(time.text, _roles(span, f"{role} time"), time_link(time.ms))
                at = time.end
        yield Run(text[at:], _roles(span, role))

    def _raised(self, number: int) -> str:
        return f"[{number}]" if self.glyphs is ASCII else str(number).translate(_SUPERSCRIPT)


def _roles(span: Span, role: str) -> str:
    marks = (("bold", span.bold), ("italic", span.italic), ("code", span.code))
    return " ".join([*role.split(), *(name for name, on in marks if on)])

"""The rows of a page of notes, made from blocks: headings, text, items, tables, links with their numbers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from player.notes import Block, Code, Heading, Item, Notes, Paragraph, Quote, Rule, Span, Table
from player.notes.blocks import cut, split_lines, text_of
from player.notes.episode_links import is_address, numbers
from player.notes.plain import GAP, column_widths, is_of_numbers, records
from player.text.sentences import _
from player.text.times import leading, time_link
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.look.glyphs import Glyphs

_ENDLESS = 100_000

PiecesOf = Callable[[Sequence[Span], str], Iterable[Run]]
"""Returns spans as runs with an additional role."""


def table(block: Table, columns: int, glyphs: Glyphs, pieces_of: PiecesOf) -> Iterator[Line]:
    rows = [
        [list(pieces_of(cell, "label" if block.head and not number else "")) for cell in row]
        for number, row in enumerate(block.rows)
    ]
    natural = [max(_widest(cell) for cell in column) for column in zip(*rows, strict=True)]
    widths = column_widths(natural, columns)
    if widths is None:
        yield from _records(block, columns, pieces_of)
        return
    texts = zip(*(map(text_of, row) for row in block.rows[block.head :]), strict=True)
    right = [is_of_numbers(column) for column in texts]
    for number, row in enumerate(rows):
        cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
        for line in zip_longest(*cells, fillvalue=()):
            yield tuple(_fitted(line, widths, right))
        if block.head and not number:
            yield (Run((" " * GAP).join(glyphs.line_thin * width for width in widths), "rule"),)


def _widest(cell: Sequence[Run]) -> int:
    return max(map(width_of, wrap(cell, _ENDLESS)))


def _fitted(line: Sequence[Line], widths: Sequence[int], right: Sequence[bool]) -> Iterator[Run]:
    """A line of a table, with each cell in its column."""
    gap = 0
    for part, width, at_right in zip(line, widths, right, strict=True):
        space = width - width_of(part)
        if part:
            yield Run(" " * (gap + (space if at_right else 0)))
            yield from (Run(*piece) for piece in part)  # plain runs, so that copying doesn't join a cell's lines
            gap = GAP + (0 if at_right else space)
        else:
            gap += width + GAP


def _records(block: Table, columns: int, pieces_of: PiecesOf) -> Iterator[Line]:
    for number, record in enumerate(records(block)):
        if number:
            yield ()
        for index, (label, cell) in enumerate(record):
            name = [Run(f"{text_of(label)}: ", "label")] if label else []
            yield from wrap([*name, *pieces_of(cell, "bold" if not label and not index else "")], columns)


class RowKind(Enum):
    HEADING = auto()
    TEXT = auto()
    ITEM = auto()
    TIME = auto()
    LINK = auto()
    QUOTE = auto()
    CODE = auto()
    TABLE = auto()
    RULE = auto()


IN_LIST = frozenset({RowKind.ITEM, RowKind.TIME, RowKind.LINK})


class Row(Struct, frozen=True):
    """A row of a page. `mark` is the number of an item, or a time; `href` is the row's link; `glued`: there is no blank
    line before it.

    `block` is the row's table or code.
    """

    kind: RowKind
    spans: tuple[Span, ...] = ()
    depth: int = 0
    mark: str = ""
    href: str = ""
    glued: bool = False
    block: Table | Code | None = None


def rows_of(blocks: Sequence[Block], duration_ms: int | None) -> Iterator[Row]:
    for block in blocks:
        match block:
            case Heading():
                yield Row(RowKind.HEADING, block.spans)
            case Paragraph():
                yield from _paragraph(block.spans, duration_ms)
            case Item():
                mark = "" if block.number is None else f"{block.number}."
                row = _time_or_link(block.spans, duration_ms, in_list=True) or Row(RowKind.ITEM, block.spans)
                yield replace(row, depth=block.depth, mark=row.mark or mark)
            case Quote():
                yield Row(RowKind.QUOTE, block.spans)
            case Code():
                yield Row(RowKind.CODE, block.spans, block=block)
            case Table():
                yield Row(RowKind.TABLE, block.spans, block=block)
            case Rule():
                yield Row(RowKind.RULE)


def _paragraph(spans: tuple[Span, ...], duration_ms: int | None) -> Iterator[Row]:
    """A row for the whole paragraph; or, if some of its lines are times or links, a row for each line."""
    lines = split_lines(spans)
    line_rows = [_time_or_link(line, duration_ms, in_list=len(lines) > 1) for line in lines]
    if not any(line_rows):
        yield Row(RowKind.TEXT, spans)
        return
    for index, (line, row) in enumerate(zip(lines, line_rows, strict=True)):
        if text_of(line).strip():
            yield replace(row or Row(RowKind.TEXT, line), glued=index > 0)


def _time_or_link(spans: tuple[Span, ...], duration_ms: int | None, *, in_list: bool) -> Row | None:
    """The row of a line that begins with a time, or that consists mainly of a link; None for any other line."""
    text = text_of(spans)
    if time := leading(text, duration_ms):
        return Row(RowKind.TIME, cut(spans, time.end), mark=time.text, href=time_link(time.ms))
    linked = [span for span in spans if span.href]
    hrefs = {span.href for span in linked}
    if len(hrefs) != 1 or not text.strip():
        return None
    (href,) = hrefs
    label = "".join(span.text for span in linked).strip()
    around = text.strip()
    if around == label:
        return Row(RowKind.LINK, spans, href=href)
    if not in_list or not (around.startswith(label) or around.endswith(label)):
        return None
    if is_address(label, href) and around.endswith(label):
        before = tuple(span for span in spans if not span.href)
        before = cut(before, 0, len(text_of(before).rstrip(" \t\n:-–—")))
        return Row(RowKind.LINK, tuple(span._replace(href=href) for span in before) or tuple(linked), href=href)
    return Row(RowKind.LINK, spans, href=href)


def apart(before: Row, row: Row) -> bool:
    """Whether there is a blank line between two rows."""
    if row.glued or (before.kind is RowKind.HEADING and row.kind is not RowKind.HEADING):
        return False
    if before.kind is row.kind is RowKind.ITEM and before.depth == row.depth:
        return bool(before.mark) != bool(row.mark)
    return not (before.kind in IN_LIST and row.kind in IN_LIST)


def lead_cells(rows: Sequence[Row], numbers: Mapping[str, int]) -> list[int]:
    """The cells for each row's time or link number: the same for all adjacent rows of one kind."""
    cells: list[int] = []
    for row in rows:
        lead = (
            len(row.mark)
            if row.kind is RowKind.TIME
            else len(str(numbers[row.href]))
            if row.kind is RowKind.LINK
            else 0
        )
        cells.append(lead)
    for order in (range(1, len(rows)), range(len(rows) - 2, -1, -1)):
        for index in order:
            beside = index - 1 if order.step > 0 else index + 1
            if rows[index].kind is rows[beside].kind:
                cells[index] = max(cells[index], cells[beside])
    return cells


class Links:
    """The numbers of the links, and the links that have no row of their own in the notes."""

    def __init__(self, notes: Notes, rows: Sequence[Row]) -> None:
        self.numbers = numbers(notes)
        self._labels: dict[str, str] = {}
        with_row = {row.href for row in rows}
        for row in rows:
            for href, label in labelled(row.spans):
                if href not in with_row and not is_address(label, href):
                    self._labels.setdefault(href, label)

    def collected(self, rows: list[Row]) -> list[Row]:
        """The rows, with a row for each link. If the notes have a list of links, it has them all, in the order of the
        text; otherwise they form one at the end."""
        amid = [Row(RowKind.LINK, (Span(label, href=href),), href=href) for href, label in self._labels.items()]
        if not amid:
            return rows
        start, end = _own_list(rows)
        listed = sorted([*rows[start:end], *amid], key=lambda row: self.numbers[row.href])
        heading = [] if end > start else [Row(RowKind.HEADING, (Span(_("Links")),))]
        return [*rows[:start], *heading, *listed, *rows[end:]]


def _own_list(rows: Sequence[Row]) -> tuple[int, int]:
    """The first and the last row, plus one, of the list below the words “Links”; both are the end if there is none."""
    for above, row in enumerate(rows):
        if text_of(row.spans).strip(" :").casefold() in ("links", _("Links").casefold()):
            after = (at for at in range(above + 1, len(rows)) if rows[at].kind is not RowKind.LINK)
            end = next(after, len(rows))
            if end > above + 1:
                return above + 1, end
    return len(rows), len(rows)


def labelled(spans: Sequence[Span]) -> Iterator[tuple[str, str]]:
    """Yields each link with its whole text, which may consist of several spans."""
    href, label = "", ""
    for span in (*spans, Span("")):
        if href and span.href != href:
            yield href, label.strip()
            label = ""
        href = span.href
        if href:
            label += span.text

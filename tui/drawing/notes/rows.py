"""How each block of notes appears on a page: a heading, text, an item, a time with its title, a link in its own row."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import replace

from player.notes import Block, Code, Heading, Item, Paragraph, Quote, Rule, Span, Table
from player.notes.blocks import cut, split_lines, text_of
from player.notes.episode_links import is_address
from player.text.times_in_text import leading, time_link


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
    """`mark` is the number of an item, or a time; `href` the row's address; `glued`: no blank line before it.

    `block` is a table, or the code that `spans` come from.
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
    """A paragraph as it is; or, if its lines are times or links, a row for each of them."""
    lines = split_lines(spans)
    line_rows = [_time_or_link(line, duration_ms, in_list=len(lines) > 1) for line in lines]
    if not any(line_rows):
        yield Row(RowKind.TEXT, spans)
        return
    for index, (line, row) in enumerate(zip(lines, line_rows, strict=True)):
        if text_of(line).strip():
            yield replace(row or Row(RowKind.TEXT, line), glued=index > 0)


def _time_or_link(spans: tuple[Span, ...], duration_ms: int | None, *, in_list: bool) -> Row | None:
    """The row of a line that begins with a time, or is little more than a link; None for any other line."""
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
    """For each row the width of its time or of its link's number in cells: the same for all adjacent rows."""
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

"""Notes as plain text: for commands, descriptions and JSON."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from player.links.urls import bare, shown, without_trackers
from player.notes.blocks import Block, Code, Heading, Item, Notes, Paragraph, Quote, Rule, Span, Spans, Table, text_of
from player.notes.text_lines import begins_with_time
from player.text.cleaning import is_mark

GAP = 2
"""Cells between two columns."""

_LEAST_WIDTH = 8
"""Fewest cells of a narrowed column, which is still readable with them."""

_TIME = re.compile(r"[(\[]?(?:\d{1,2}:)?\d{1,2}:[0-5]\d[)\]]?")
_NUMBER = re.compile(r"[-+−~≈<>]?\s?[$€£¥]?\s?\d[\d.,'’ ]*\s?(?:%|[a-zA-Zµ°$€£¥]{1,3})?|[-–—]|n/?a", re.IGNORECASE)


def tells_times(table: Table) -> bool:
    """Whether the table is a list of chapters: in each row a time, and a title next to it."""
    rows = table.rows[1:] if table.head else table.rows
    return len(table.rows[0]) == 2 and all(_TIME.fullmatch(text_of(row[0]).strip()) for row in rows)


def is_of_numbers(column: Sequence[str]) -> bool:
    """Whether a column, without its head, contains only numbers, which are best aligned right."""
    texts = [text.strip() for text in column if text.strip()]
    return bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)


def column_widths(natural: Sequence[int], room: int) -> list[int] | None:
    """The width of each column; None if the columns don't fit into `room`. `natural` has the width of each column's
    widest line. All widths are in cells.

    The widest columns are narrowed first, as far as their text stays readable.
    """
    room -= GAP * (len(natural) - 1)
    if sum(natural) <= room:
        return list(natural)
    widths = [0] * len(natural)
    left = room
    order = sorted(range(len(natural)), key=natural.__getitem__)
    for done, column in enumerate(order):
        widths[column] = min(natural[column], left // (len(order) - done))
        left -= widths[column]
    fits = all(
        given >= min(wanted, 2 * _LEAST_WIDTH if wanted > 3 * _LEAST_WIDTH else _LEAST_WIDTH)
        for given, wanted in zip(widths, natural, strict=True)
    )
    return widths if fits else None


def records(table: Table) -> list[list[tuple[Spans, Spans]]]:
    """The table's rows as pairs of label and value, without empty values. Labels are empty in a table without a
    head."""
    labels: Sequence[Spans] = table.rows[0] if table.head else [()] * len(table.rows[0])
    rows = table.rows[1:] if table.head else table.rows
    return [[(label, cell) for label, cell in zip(labels, row, strict=True) if text_of(cell).strip()] for row in rows]


_LEAST = 20


def words(notes: Notes) -> str:
    """The text alone, a line for each block: for a description in a list or in JSON."""
    lines = (text_of(block.spans).strip() for block in notes.blocks)
    return "\n".join(line for line in lines if line)


def plain(notes: Notes, width: int = 80) -> str:
    """Lines of at most `width` cells for a terminal without colours: links are numbered, and listed below."""
    numbers = {href: number for number, href in enumerate(_hidden_links(notes), start=1)}
    page = _Page(numbers, max(_LEAST, width))
    lines: list[str] = []
    before: Block | None = None
    for block in notes.blocks:
        if before is not None and _apart(before, block):
            lines.append("│" if isinstance(before, Quote) and isinstance(block, Quote) else "")
        lines += page.lines(block)
        before = block
    if numbers:
        lines += ["", *(f"[{number}] {href}" for href, number in numbers.items())]
    return "\n".join(lines)


def _apart(before: Block, block: Block) -> bool:
    """Whether a blank line belongs between two blocks."""
    if isinstance(before, Heading):
        return isinstance(block, Heading)
    if not (isinstance(block, Item) and isinstance(before, Item)):
        return not (_is_row(before) and _is_row(block))
    return before.depth == block.depth and (before.number is None) != (block.number is None)


def _is_row(block: Block) -> bool:
    """Whether a paragraph is only a link, or a time with a title: these aren't separated by blank lines."""
    if not isinstance(block, Paragraph):
        return False
    return all(span.href for span in block.spans) or begins_with_time(block.spans[0].text)


def _hidden_links(notes: Notes) -> list[str]:
    """The addresses of the links whose text doesn't show them."""
    spans = [span for block in notes.blocks for span in block.spans if span.href]
    return list(dict.fromkeys(span.href for span in spans if _hides(span)))


def _hides(span: Span) -> bool:
    return bool(span.href) and shown(span.text) != bare(span.href)


class _Page:
    def __init__(self, numbers: dict[str, int], width: int) -> None:
        self._numbers = numbers
        self._width = width

    def lines(self, block: Block) -> Sequence[str]:
        if isinstance(block, Rule):
            return ["─" * min(self._width, 40)]
        if isinstance(block, Table):
            return [line.rstrip() for line in self._table(block)]
        text = self._text(block.spans)
        if isinstance(block, Code):
            return [f"    {line}".rstrip() for line in text.split("\n")]
        first, rest = _indents(block)
        lines = [line for part in text.split("\n") for line in _wrapped(part, self._width - len(first))]
        if isinstance(block, Heading) and block.level == 1:
            lines = [line.upper() for line in lines]
        return [((rest if number else first) + line).rstrip() for number, line in enumerate(lines)]

    def _text(self, spans: Spans) -> str:
        """The text, with each link's number at the end of the link."""
        pieces = []
        for index, span in enumerate(spans):
            pieces.append(without_trackers(span.text) if span.href and "?" in span.text else span.text)
            ends = index + 1 == len(spans) or spans[index + 1].href != span.href
            if span.href in self._numbers and ends and _hides(span):
                pieces.append(f" [{self._numbers[span.href]}]")
        return "".join(pieces)

    def _table(self, table: Table) -> Iterator[str]:
        rows = [[self._text(cell) for cell in row] for row in table.rows]
        columns = list(zip(*rows, strict=True))
        widths = column_widths(
            [max(_cells(line) for text in column for line in text.split("\n")) for column in columns], self._width
        )
        if widths is None:
            yield from self._records(table)
            return
        right = [is_of_numbers(column[table.head :]) for column in columns]
        for number, row in enumerate(rows):
            cells = [
                [line for part in text.split("\n") for line in _wrapped(part, cell)]
                for text, cell in zip(row, widths, strict=True)
            ]
            for line in range(max(map(len, cells))):
                parts = [lines[line] if line < len(lines) else "" for lines in cells]
                yield (" " * GAP).join(map(_fitted, parts, widths, right))
            if table.head and not number:
                yield (" " * GAP).join("─" * cell for cell in widths)

    def _records(self, table: Table) -> Iterator[str]:
        for number, record in enumerate(records(table)):
            if number:
                yield ""
            for label, cell in record:
                text = f"{text_of(label)}: {self._text(cell)}" if label else self._text(cell)
                yield from (line for part in text.split("\n") for line in _wrapped(part, self._width))


def _indents(block: Block) -> tuple[str, str]:
    """The indents of the first line and of the following lines."""
    if isinstance(block, Quote):
        return "│ ", "│ "
    if isinstance(block, Item):
        mark = "• " if block.number is None else f"{block.number}. "
        indent = "  " * min(block.depth, 6)
        return indent + mark, indent + " " * len(mark)
    return "", ""


def _wrapped(text: str, width: int) -> list[str]:
    lines, line, used = [], "", 0
    for word in text.split():
        cells = _cells(word)
        if line and used + 1 + cells > width:
            lines.append(line)
            line, used = "", 0
        if cells > width and not word.startswith(("http://", "https://")):
            *full, word = _broken(word, width)
            lines += full
            cells = _cells(word)
        line, used = (f"{line} {word}", used + 1 + cells) if line else (word, cells)
    return [*lines, line]


def _broken(word: str, width: int) -> list[str]:
    """A word that is too long for a line, in parts of at most `width` cells, but at least one character each."""
    parts, start = [], 0
    while start < len(word):
        end, used = start, 0
        if word[start : start + width].isascii():
            end, used = min(start + width, len(word)), width
        while end < len(word) and (end == start or used + _cells_of(word[end]) <= width):
            used += _cells_of(word[end])
            end += 1
        parts.append(word[start:end])
        start = end
    return parts


def _fitted(text: str, width: int, right: bool) -> str:
    space = " " * (width - _cells(text))
    return space + text if right else text + space


def _cells(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_cells_of, text))


@cache
def _cells_of(character: str) -> int:
    return 0 if is_mark(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1

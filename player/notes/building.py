"""Builds blocks from the texts and tags of a document, in its order."""

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from player.notes import blocks
from player.notes.blocks import Block, Code, Heading, Item, Paragraph, Quote, Rule, Span, Spans, Table
from player.notes.span_writer import SpanWriter
from player.notes.urls_in_text import target
from player.text.cleaning import clean_line

_DEEPEST = 20
_MOST_ROWS = 200
"""Most rows of a table that are held back until its end is known."""

_MOST_CELLS = 30
_TITLE = 300
_SCHEMES = {"http:", "https:", "mailto:"}
_REST_OF_MAIL = re.compile(r"[\w.+-]*@[\w-]+\.[\w.-]+$")


class _Term(Enum):
    """The state of an item that a `dt` began: its term is bold, and the `dd` continues the item on the next line."""

    NONE = auto()
    NAMING = auto()
    NAMED = auto()


@dataclass(slots=True)
class _List:
    ordered: bool
    number: int


@dataclass(slots=True)
class _Table:
    """`cell`: whether a cell is open. `flowing`: the table only arranges the page, and its contents are read as if it
    weren't there."""

    rows: list[list[Spans]] = field(default_factory=list)
    headers: list[bool] = field(default_factory=list)
    cell: bool = False
    header: bool = False
    spanned: int = 1
    flowing: bool = False


@dataclass(slots=True)
class Builder(SpanWriter):
    """Accepts texts and tags; `take` returns the finished blocks. With `keep_lines`, newlines and indents are kept."""

    blocks: list[Block] = field(default_factory=list)
    lists: list[_List] = field(default_factory=list)
    tables: list[_Table] = field(default_factory=list)
    heading: int = 0
    item: tuple[int, int | None] | None = None
    term: _Term = _Term.NONE
    quotes: int = 0
    language: str = ""

    def take(self) -> list[Block]:
        """The blocks finished since the last call."""
        blocks, self.blocks = self.blocks, []
        return blocks

    def end(self) -> list[Block]:
        self._end_link()
        while self.tables:
            self._end_table()
        self._flush()
        return self.take()

    # -- blocks -----------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Ends the current block."""
        if not self.last:
            return
        spans = self._ended()
        if self.pre:
            spans = _without_first_lines(spans)
        if not spans:
            return
        if self.pre:
            self.blocks.append(Code(spans, self.language))
        elif self.heading:
            self.blocks.append(Heading(self.heading, spans))
        elif self.item is not None:
            self.blocks.append(Item(*self.item, spans))
            self.item = None
        elif self.quotes:
            self.blocks.append(Quote(spans))
        else:
            self.blocks.append(Paragraph(spans))

    # -- tags -------------------------------------------------------------------------------------------------

    def tag(self, closing: bool, name: str, attributes: str) -> None:
        step = -1 if closing else 1
        if name in blocks.BOUNDARIES:
            self._boundary()
        elif name in blocks.BOLD:
            self.bold = max(0, self.bold + step)
        elif name in blocks.ITALIC:
            self.italic = max(0, self.italic + step)
        elif name in blocks.CODE:
            self.code = max(0, self.code + step)
            if self.pre and not closing:
                self.language = self.language or blocks.language(attributes)
        elif name == "a":
            self._end_link()
            if not closing:
                self._start_link(attributes)
        elif name == "br":
            self._break_line()
        elif name in _OF_TABLES:
            self._of_table(closing, name, attributes)
        elif name in _OF_LISTS:
            self._of_list(closing, name, attributes)
        elif name in ("sup", "sub"):
            self.script = "" if closing else name
        elif name == "img":
            self._image(attributes)
        elif name in _OF_PAGES:
            self._of_page(closing, name, attributes)
        elif not closing and (name in _SCHEMES or _REST_OF_MAIL.match(attributes)):
            self.text(f"<{name}{attributes}>")  # an address in angle brackets isn't a tag

    def _of_page(self, closing: bool, name: str, attributes: str) -> None:
        """A tag that makes a block of its own."""
        self._no_mere_cell()
        self._flush()
        if level := blocks.HEADINGS.get(name):
            self.heading = 0 if closing else level
        elif name == "blockquote":
            self.quotes = max(0, self.quotes + (-1 if closing else 1))
        elif name == "pre":
            self.pre = max(0, self.pre + (-1 if closing else 1))
            self.language = "" if closing else blocks.language(attributes)
        elif name == "summary":
            self.bold = max(0, self.bold + (-1 if closing else 1))
        elif name == "hr":
            self.blocks.append(Rule())
        elif not closing and (href := target(blocks.attribute(attributes, "src"))):
            title = clean_line(blocks.attribute(attributes, "title"), _TITLE)
            self.blocks.append(Paragraph((Span(title or href, href=href),)))

    def _boundary(self) -> None:
        """Starts or ends a paragraph; in an item, a cell or a heading, only a line. Has no effect in code."""
        if self.pre:
            return
        if self.item is None and not self.heading and not self._in_cell():
            self._flush()
        elif self.last != "\n":
            self._break_line()

    def _of_list(self, closing: bool, name: str, attributes: str) -> None:
        if name == "dt" and closing:
            self._end_term(_Term.NAMED)
            return
        if name == "dd" and not closing and self.term is not _Term.NONE:
            self._end_term(_Term.NONE)
            self._break_line()
            return
        self._no_mere_cell()
        self._end_term(_Term.NONE)
        self._flush()
        self.item = None
        if name not in blocks.LISTS:
            if not closing:
                self._start_item(name, attributes)
        elif not closing:
            self.lists.append(_List(name == "ol", blocks.whole(blocks.attribute(attributes, "start"), 1)))
        elif self.lists:
            self.lists.pop()

    def _start_item(self, name: str, attributes: str) -> None:
        number = None
        if self.lists and self.lists[-1].ordered:
            number = blocks.whole(blocks.attribute(attributes, "value"), self.lists[-1].number)
            self.lists[-1].number = number + 1
        self.item = (min(max(0, len(self.lists) - 1), _DEEPEST), number)
        if name == "dt":
            self.term = _Term.NAMING
            self.bold += 1

    def _end_term(self, term: _Term) -> None:
        if self.term is _Term.NAMING:
            self.bold = max(0, self.bold - 1)
        self.term = term

    def _image(self, attributes: str) -> None:
        words = blocks.description(attributes)
        if self.href:
            self.href_label = self.href_label or words
        elif any(letter.isalnum() for letter in words):
            self.italic += 1
            self._add(f"[image: {words}]")
            self.italic -= 1
        elif words:
            self._add(words)

    # -- tables -----------------------------------------------------------------------------------------------

    def _in_cell(self) -> bool:
        return bool(self.tables) and self.tables[-1].cell

    def _of_table(self, closing: bool, name: str, attributes: str) -> None:
        if name == "table":
            if closing:
                self._end_table()
            else:
                self._no_mere_cell()
                self._flush()
                self.item = None
                self.tables.append(_Table())
        elif not self.tables or self.tables[-1].flowing:
            self._boundary() if name == "tr" else self._add_collapsed(" ")
        else:
            self._cell(closing, name, attributes, self.tables[-1])

    def _cell(self, closing: bool, name: str, attributes: str, table: _Table) -> None:
        self._end_cell(table)
        if name == "tr":
            if not closing:
                if len(table.rows) >= _MOST_ROWS:
                    self._show(table)
                table.rows.append([])
                table.headers.append(True)
        elif not closing:
            self._flush()
            if not table.rows:
                table.rows.append([])
                table.headers.append(True)
            table.cell, table.header = True, name == "th"
            table.spanned = max(1, min(_MOST_CELLS, blocks.whole(blocks.attribute(attributes, "colspan"), 1)))

    def _end_cell(self, table: _Table) -> None:
        if table.cell:
            table.cell = False
            table.headers[-1] = table.headers[-1] and table.header
            row = table.rows[-1]
            if len(row) < _MOST_CELLS:
                row += [self._ended(), *[()] * (table.spanned - 1)]
            else:
                row[-1] = (*row[-1], Span(" "), *self._ended())

    def _no_mere_cell(self) -> None:
        """A list, a heading, a table or the like begins. If it is in a cell, the table around it only arranges the
        page."""
        if self._in_cell():
            table = self.tables[-1]
            spans, self.spans, pieces, self.pieces, last, self.last = self.spans, [], self.pieces, [], self.last, ""
            self._show(table, flowing=True)
            self.spans, self.pieces, self.last = spans, pieces, last
            table.cell, table.flowing = False, True

    def _end_table(self) -> None:
        if not self.tables:
            return
        table = self.tables.pop()
        if table.flowing:
            self._flush()
        else:
            self._end_cell(table)
            self._show(table)

    def _show(self, table: _Table, *, flowing: bool = False) -> None:
        """Adds the rows so far: as a table, or as paragraphs if they are `flowing` or have only one column."""
        rows = [row for row in table.rows if any(row)]
        head = bool(rows) and table.headers[table.rows.index(rows[0])]
        table.rows, table.headers = [], []
        columns = max(map(len, rows), default=0)
        used = [column for column in range(columns) if any(len(row) > column and row[column] for row in rows)]
        if flowing or len(used) < 2:
            make = Quote if self.quotes else Paragraph
            self.blocks += [make(cell) for row in rows for cell in row if cell]
            return
        cells = tuple(tuple(row[column] if len(row) > column else () for column in used) for row in rows)
        self.blocks.append(Table(cells, head and len(rows) > 1))


_OF_TABLES = {"table", "tr", "td", "th"}
_OF_LISTS = blocks.LISTS | {"li", "dt", "dd"}
_OF_PAGES = blocks.HEADINGS.keys() | {"blockquote", "pre", "summary", "hr", "iframe", "video", "audio", "embed"}


def _without_first_lines(spans: Spans) -> Spans:
    """The spans without empty lines at the beginning."""
    for index, span in enumerate(spans):
        if text := span.text.lstrip("\n"):
            return (span._replace(text=text), *spans[index + 1 :])
    return ()

"""Restores structure that notes have lost: lists, headings, quotes, code and paragraphs in plain text. It works block
by block and looks one block ahead, so that it takes linear time and each part is ready early.
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from player.notes import breaking, text_lines
from player.notes.blocks import Block, Code, Heading, Item, Paragraph, Quote, Rule, Span, Table, cut, text_of
from player.notes.grouping import Grouper
from player.notes.inline import inline, is_markdown, linked
from player.notes.plain import tells_times

_PROSE_LINE = 110


class Mender:
    """Pass it the marked-up blocks in order with `take`, which returns the blocks that their authors meant."""

    def __init__(self, text: str) -> None:
        self._markdown = is_markdown(text)
        self._grouper = Grouper(self._markdown)
        self._held: Block | None = None
        self._rule = False
        self._started = False

    def take(self, blocks: Iterable[Block]) -> list[Block]:
        """The blocks that are certain now. The last block is held back until the next one is known."""
        mended: list[Block] = []
        for block in blocks:
            if self._held is not None:
                mended += self._apart(self._mended(self._held, block))
            self._held = block
        return mended

    def end(self) -> list[Block]:
        held, self._held = self._held, None
        mended = list(self._apart(self._mended(held, None))) if held is not None else []
        return [*mended, *self._apart(self._grouper.end())]

    def _apart(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks with rules only between two others, and never two in a row."""
        for block in blocks:
            if isinstance(block, Rule):
                self._rule = self._started
                continue
            if self._rule:
                yield Rule()
            self._rule, self._started = False, True
            yield block

    def _mended(self, block: Block, following: Block | None) -> Iterator[Block]:
        if isinstance(block, Paragraph):
            yield from self._paragraph(block, following)
            return
        yield from self._grouper.end()
        match block:
            case Heading() | Quote():
                yield replace(block, spans=inline(block.spans, self._markdown))
            case Item():
                yield self._item(block)
            case Code():
                yield from self._code(block, following)
            case Table():
                yield self._table(block)
            case _:
                yield block

    def _paragraph(self, block: Paragraph, following: Block | None) -> Iterator[Block]:
        if not self._grouper.in_code:
            if len(block.spans) == 1 and _is_plain(block.spans[0]):
                yield from self._grouper.end()
                yield Paragraph(inline(block.spans, self._markdown))
                return
            if all(span.code for span in block.spans) and "\n" in text_of(block.spans):
                yield from self._grouper.end()
                yield Code(linked(tuple(span._replace(code=False) for span in block.spans)))
                return
        yield from self._grouper.take(block.spans, _first_line(following))

    def _item(self, block: Item) -> Item:
        """The item without a bullet in its text, which would be a second one."""
        text = text_of(block.spans)
        mark = text_lines.mark_of(text) if text[0] in text_lines.BULLETS else None
        return replace(block, spans=inline(cut(block.spans, mark.end) if mark else block.spans, self._markdown))

    def _code(self, block: Code, following: Block | None) -> Iterator[Block]:
        """Some hosts put all notes into a `pre`, whose lines are then ordinary text."""
        text = text_of(block.spans)
        if not block.language and _is_prose(text):
            yield from self._grouper.take(block.spans, _first_line(following))
        else:
            yield replace(block, spans=linked(block.spans))

    def _table(self, block: Table) -> Block:
        rows = tuple(tuple(inline(cell, self._markdown) for cell in row) for row in block.rows)
        table = replace(block, rows=rows)
        if not tells_times(table):
            return table
        has_content = not table.head or any(span.href for cell in rows[0] for span in cell)
        return Paragraph((table if has_content else replace(table, rows=rows[1:])).spans)


def _is_plain(span: Span) -> bool:
    """Whether the span is certainly an ordinary paragraph, as most are."""
    text = span.text
    return (
        len(text) > text_lines.SHORT
        and text[0].isalpha()
        and "\n" not in text
        and "  " not in text
        and not span.code
        and not breaking.cuts(text)
    )


def _is_prose(text: str) -> bool:
    """Whether a text has a line that is too long for code, and consists almost only of words."""
    if all(len(line) <= _PROSE_LINE for line in text.split("\n")):
        return False
    sample = text[:4_000]
    return sum(letter.isalpha() or letter in " ,.\n" for letter in sample) > 0.9 * len(sample)


def _first_line(block: Block | None) -> str:
    """The first line of the next block; "" if there is none, or for a rule."""
    if block is None or isinstance(block, Rule):
        return ""
    text = text_of(block.spans[:4])[:200].partition("\n")[0].strip()
    return f"{text_lines.BULLETS[0]} {text}" if isinstance(block, Item) else text

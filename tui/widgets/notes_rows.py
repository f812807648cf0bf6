"""What each block of notes is on a page: a heading, a text, an item, a time with its title, a link in its own row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from player.links import is_address
from player.notes import Block, Code, Heading, Item, Paragraph, Quote, Rule, Span
from player.timestamps import leading, time_link
from tui.cells import width
from tui.widgets.notes_spans import split_lines, text_of, without_end, without_start

_LEAD_IN = 40
_SHORT = 60


class Kind(Enum):
    HEADING = auto()
    TEXT = auto()
    ITEM = auto()
    TIME = auto()
    LINK = auto()
    QUOTE = auto()
    CODE = auto()
    RULE = auto()


IN_LIST = frozenset({Kind.ITEM, Kind.TIME, Kind.LINK})


@dataclass(frozen=True, slots=True)
class Row:
    """`mark` is the number of an item, or a time; `href` where the row leads; `glued`: no blank line before it."""

    kind: Kind
    spans: tuple[Span, ...] = ()
    depth: int = 0
    mark: str = ""
    href: str = ""
    glued: bool = False


def rows_of(blocks: Sequence[Block], duration_ms: int | None) -> Iterator[Row]:
    for index, block in enumerate(blocks):
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        match block:
            case Heading():
                yield Row(Kind.HEADING, tuple(block.spans))
            case Paragraph():
                yield from _paragraph(tuple(block.spans), following, duration_ms)
            case Item():
                mark = "" if block.number is None else f"{block.number}."
                row = _told(tuple(block.spans), duration_ms, in_list=True) or Row(Kind.ITEM, tuple(block.spans))
                yield replace(row, depth=block.depth, mark=row.mark or mark)
            case Quote():
                yield Row(Kind.QUOTE, tuple(block.spans))
            case Code():
                yield Row(Kind.CODE, tuple(block.spans))
            case Rule():
                yield Row(Kind.RULE)


def _paragraph(spans: tuple[Span, ...], following: Block | None, duration_ms: int | None) -> Iterator[Row]:
    """A paragraph as it is; or, when its lines are times or links, a row for each of them."""
    if _is_heading(spans, following):
        yield Row(Kind.HEADING, spans)
        return
    lines = split_lines(spans)
    told = [_told(line, duration_ms, in_list=len(lines) > 1) for line in lines]
    if not any(told):
        yield Row(Kind.TEXT, spans)
        return
    for index, (line, row) in enumerate(zip(lines, told, strict=True)):
        if text_of(line).strip():
            yield replace(row or Row(Kind.TEXT, line), glued=index > 0)


def _told(spans: tuple[Span, ...], duration_ms: int | None, *, in_list: bool) -> Row | None:
    """The row of a line that begins with a time, or is little but a link; None for any other."""
    text = text_of(spans)
    if time := leading(text, duration_ms):
        return Row(Kind.TIME, without_start(spans, time.end), mark=time.text, href=time_link(time.ms))
    linked = [span for span in spans if span.href]
    hrefs = {span.href for span in linked}
    if len(hrefs) != 1 or not text.strip():
        return None
    (href,) = hrefs
    label = "".join(span.text for span in linked).strip()
    around = text.strip()
    if around == label:
        return Row(Kind.LINK, spans, href=href)
    if not in_list or not (around.startswith(label) or around.endswith(label)):
        return None
    if is_address(label, href) and around.endswith(label):
        before = without_end(tuple(span for span in spans if not span.href), " \t\n:-–—")
        return Row(Kind.LINK, tuple(span._replace(href=href) for span in before) or tuple(linked), href=href)
    return Row(Kind.LINK, spans, href=href)


def _is_heading(spans: tuple[Span, ...], following: Block | None) -> bool:
    """A short paragraph in bold, or one that leads to a list."""
    text = text_of(spans).strip()
    if not text or "\n" in text or width(text) > _SHORT or any(span.href for span in spans):
        return False
    if all(span.bold or not span.text.strip() for span in spans):
        return True
    return isinstance(following, Item) and width(text) <= _LEAD_IN and text.endswith((":", "."))


def apart(before: Row, row: Row) -> bool:
    """Whether a blank line stands between two rows."""
    if row.glued or (before.kind is Kind.HEADING and row.kind is not Kind.HEADING):
        return False
    if before.kind is row.kind is Kind.ITEM and before.depth == row.depth:
        return bool(before.mark) != bool(row.mark)
    return not (before.kind in IN_LIST and row.kind in IN_LIST)


def time_cells(rows: Sequence[Row], index: int) -> int:
    """The widest time among the rows around, which stand in one column."""
    if rows[index].kind is not Kind.TIME:
        return 0
    first = last = index
    while first and rows[first - 1].kind is Kind.TIME:
        first -= 1
    while last + 1 < len(rows) and rows[last + 1].kind is Kind.TIME:
        last += 1
    return max(len(row.mark) for row in rows[first : last + 1])

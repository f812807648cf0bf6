"""Show notes as a page: lines of text in roles, of a comfortable width. Pure: no widget, no colour.

Links are numbered in the order of reading. A line that is little but a link becomes a row: its number, its text, where
it leads. A link amid prose gets its number at its end, and a row under “Links” at the end of the page.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from urllib.parse import urlsplit

from player.model import Episode
from player.notes import Block, Code, Heading, Item, Notes, Paragraph, Quote, Rule, Span
from player.times import parse_time
from tui.cells import steady, width
from tui.glyphs import ASCII, Glyphs
from tui.widgets.pieces import Line, Piece, chop, width_of, wrap

COMFORTABLE = 76
"""Cells of text in a line, at most: from the end of a longer one the eye doesn't find the next."""

_LEAST_TEXT = 16
_LEAD_IN = 40
_SHORT = 60
_TIME = r"(?:\d{1,2}:)?\d{1,2}:[0-5]\d(?![\d:])"
_TIME_FIRST = re.compile(rf"\s*[(\[]?({_TIME})[)\]]?(?:\s*[-–—:|]\s+|\s+|$)")
_TIME_INSIDE = re.compile(rf"(?<=[(\[]){_TIME}(?=[)\]])")
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_SCHEME = re.compile(r"(?:https?://(?:www\.)?|www\.|mailto:)", re.IGNORECASE)
_CODE_HOSTS = frozenset({"github.com", "gitlab.com", "codeberg.org"})
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def head(episode: Episode, columns: int, glyphs: Glyphs) -> list[Line]:
    """The title, and a muted line of facts: podcast, date, length, download; two where one is too short."""
    columns = min(columns, COMFORTABLE)
    dot = f" {glyphs.dot} "
    podcast = steady(episode.podcast)
    here = "downloaded" if episode.downloaded else ""
    when = dot.join(filter(None, (_date(episode.published), _length(episode.duration_ms), here)))
    facts = dot.join(filter(None, (podcast, when)))
    told = [facts] if width(facts) <= columns else [podcast, when]
    return [
        *wrap([Piece(steady(episode.title), "title")], columns),
        *(line for text in told if text for line in wrap([Piece(text, "muted")], columns)),
    ]


def body(notes: Notes, columns: int, glyphs: Glyphs, duration_ms: int | None = None) -> list[Line]:
    """The notes in lines of at most `columns` cells. Only a time within `duration_ms` is a place in the episode."""
    columns = min(columns, COMFORTABLE)
    rows = list(_rows(notes.blocks, duration_ms))
    links = _Links(rows)
    rows += links.collected()
    drawing = _Drawing(glyphs, links, duration_ms)
    lines: list[Line] = []
    for index, row in enumerate(rows):
        if index and _apart(rows[index - 1], row):
            lines.append(drawing.between(rows[index - 1], row))
        lines += drawing.lines(row, columns, _time_cells(rows, index))
    return lines


# -- what each row is -----------------------------------------------------------------------------------------


class _Kind(Enum):
    HEADING = auto()
    TEXT = auto()
    ITEM = auto()
    TIME = auto()
    LINK = auto()
    QUOTE = auto()
    CODE = auto()
    RULE = auto()


_IN_LIST = frozenset({_Kind.ITEM, _Kind.TIME, _Kind.LINK})


@dataclass(frozen=True, slots=True)
class _Row:
    """`mark` is the number of an item, or a time; `href` the link of a link's row; `glued`: no blank line before it."""

    kind: _Kind
    spans: tuple[Span, ...] = ()
    depth: int = 0
    mark: str = ""
    href: str = ""
    glued: bool = False


def _rows(blocks: Sequence[Block], duration_ms: int | None) -> Iterator[_Row]:
    for index, block in enumerate(blocks):
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        match block:
            case Heading():
                yield _Row(_Kind.HEADING, tuple(block.spans))
            case Paragraph():
                yield from _paragraph(tuple(block.spans), following, duration_ms)
            case Item():
                mark = "" if block.number is None else f"{block.number}."
                row = _told(tuple(block.spans), duration_ms, in_list=True) or _Row(_Kind.ITEM, tuple(block.spans))
                yield replace(row, depth=block.depth, mark=row.mark or mark)
            case Quote():
                yield _Row(_Kind.QUOTE, tuple(block.spans))
            case Code():
                yield _Row(_Kind.CODE, tuple(block.spans))
            case Rule():
                yield _Row(_Kind.RULE)


def _paragraph(spans: tuple[Span, ...], following: Block | None, duration_ms: int | None) -> Iterator[_Row]:
    """A paragraph as it is; or, when its lines are times or links, a row for each of them."""
    if _is_heading(spans, following):
        yield _Row(_Kind.HEADING, spans)
        return
    lines = _split_lines(spans)
    told = [_told(line, duration_ms, in_list=len(lines) > 1) for line in lines]
    if not any(told):
        yield _Row(_Kind.TEXT, spans)
        return
    for index, (line, row) in enumerate(zip(lines, told, strict=True)):
        if _text(line).strip():
            yield replace(row or _Row(_Kind.TEXT, line), glued=index > 0)


def _told(spans: tuple[Span, ...], duration_ms: int | None, *, in_list: bool) -> _Row | None:
    """The row of a line that begins with a time, or is little but a link; None for any other."""
    text = _text(spans)
    if (found := _TIME_FIRST.match(text)) and _is_place(found[1], duration_ms):
        return _Row(_Kind.TIME, _without_start(spans, found.end()), mark=found[1])
    linked = [span for span in spans if span.href]
    hrefs = {span.href for span in linked}
    if len(hrefs) != 1 or not text.strip():
        return None
    (href,) = hrefs
    label = "".join(span.text for span in linked).strip()
    around = text.strip()
    if around == label:
        return _Row(_Kind.LINK, spans, href=href)
    if not in_list or not (around.startswith(label) or around.endswith(label)):
        return None
    if _is_address(label, href) and around.endswith(label):
        before = _without_end(tuple(span for span in spans if not span.href), " \t\n:-–—")
        return _Row(_Kind.LINK, tuple(span._replace(href=href) for span in before) or tuple(linked), href=href)
    return _Row(_Kind.LINK, spans, href=href)


def _is_heading(spans: tuple[Span, ...], following: Block | None) -> bool:
    """A short paragraph in bold, or one that leads to a list."""
    text = _text(spans).strip()
    if not text or "\n" in text or width(text) > _SHORT or any(span.href for span in spans):
        return False
    if all(span.bold or not span.text.strip() for span in spans):
        return True
    return isinstance(following, Item) and width(text) <= _LEAD_IN and text.endswith((":", "."))


def _apart(before: _Row, row: _Row) -> bool:
    """Whether a blank line stands between two rows."""
    if row.glued or (before.kind is _Kind.HEADING and row.kind is not _Kind.HEADING):
        return False
    if before.kind is row.kind is _Kind.ITEM and before.depth == row.depth:
        return bool(before.mark) != bool(row.mark)
    return not (before.kind in _IN_LIST and row.kind in _IN_LIST)


def _time_cells(rows: Sequence[_Row], index: int) -> int:
    """The widest time among the rows around, which stand in one column."""
    if rows[index].kind is not _Kind.TIME:
        return 0
    first = last = index
    while first and rows[first - 1].kind is _Kind.TIME:
        first -= 1
    while last + 1 < len(rows) and rows[last + 1].kind is _Kind.TIME:
        last += 1
    return max(len(row.mark) for row in rows[first : last + 1])


# -- links ----------------------------------------------------------------------------------------------------


class _Links:
    """The numbers of the links, and those that still need a row."""

    def __init__(self, rows: Sequence[_Row]) -> None:
        self.numbers: dict[str, int] = {}
        self._labels: dict[str, str] = {}
        with_row = {row.href for row in rows if row.href}
        for row in rows:
            if row.href:
                self.numbers.setdefault(row.href, len(self.numbers) + 1)
            for href, label in _labelled(row.spans):
                if href in with_row or not _is_address(label, href):
                    self.numbers.setdefault(href, len(self.numbers) + 1)
                    self._labels.setdefault(href, label)
        self._amid = [href for href in self.numbers if href not in with_row]
        self.digits = len(str(len(self.numbers)))

    def collected(self) -> list[_Row]:
        if not self._amid:
            return []
        rows = (_Row(_Kind.LINK, (Span(self._labels[href], href=href),), href=href) for href in self._amid)
        return [_Row(_Kind.HEADING, (Span("Links"),)), *rows]


def _labelled(spans: Sequence[Span]) -> Iterator[tuple[str, str]]:
    """Each link with its whole text, which may be of several spans."""
    href, label = "", ""
    for span in (*spans, Span("")):
        if href and span.href != href:
            yield href, label.strip()
            label = ""
        href = span.href
        if href:
            label += span.text


def _is_address(label: str, href: str) -> bool:
    return bool(_URL.fullmatch(label)) or _bare(label) == _bare(href)


def _bare(address: str) -> str:
    """An address as a reader says it: no scheme, no www, no slash at the end."""
    return _SCHEME.sub("", address.strip(), count=1).rstrip("/")


def _leads_to(href: str) -> str:
    """The host; for code, whose it is and which; for mail, to whom."""
    parts = urlsplit(href)
    host = parts.netloc.rpartition("@")[2].lower().removeprefix("www.")
    steps = [step for step in parts.path.split("/") if step]
    if host in _CODE_HOSTS and len(steps) >= 2:
        return f"{steps[0]}/{steps[1]}"
    return host or _bare(href)


# -- drawing --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Drawing:
    glyphs: Glyphs
    links: _Links
    duration_ms: int | None

    def lines(self, row: _Row, columns: int, time_cells: int) -> Iterable[Line]:
        match row.kind:
            case _Kind.HEADING:
                return wrap(self._pieces(row.spans, "heading"), columns)
            case _Kind.TEXT:
                return wrap(self._pieces(row.spans), columns)
            case _Kind.ITEM:
                return self._hung(self._bullet(row), self._pieces(row.spans), row.depth, columns)
            case _Kind.TIME:
                lead = Piece(row.mark, "time"), Piece(" " * (time_cells - len(row.mark) + 2))
                return self._hung(lead, self._pieces(row.spans), row.depth, columns)
            case _Kind.LINK:
                number = str(self.links.numbers[row.href])
                lead = Piece(number, "number", row.href), Piece(" " * (self.links.digits - len(number) + 2))
                return self._hung(lead, self._link(row), row.depth, columns)
            case _Kind.QUOTE:
                lines = wrap(self._pieces(row.spans, "quote"), columns - 2)
                return [(Piece(self.glyphs.quote, "bar"), Piece(" "), *line) for line in lines]
            case _Kind.CODE:
                return _code(_text(row.spans), columns)
            case _Kind.RULE:
                return [(Piece(self.glyphs.line_thin * min(columns, 24), "rule"),)]

    def between(self, before: _Row, row: _Row) -> Line:
        """The line that keeps two rows apart; the bar beside a quote has no gap in it."""
        return (Piece(self.glyphs.quote, "bar"),) if before.kind is row.kind is _Kind.QUOTE else ()

    def _hung(self, lead: Line, text: Iterable[Piece], depth: int, columns: int) -> Iterator[Line]:
        """Text that hangs beside what leads it."""
        indent = min(2 * depth, max(0, columns - width_of(lead) - _LEAST_TEXT))
        hang = indent + width_of(lead)
        for index, line in enumerate(wrap(text, columns - hang)):
            start = (Piece(" " * indent), *lead) if index == 0 else (Piece(" " * hang),)
            yield (*start, *line)

    def _bullet(self, row: _Row) -> Line:
        signs = (self.glyphs.bullet, self.glyphs.dash, self.glyphs.dot)
        return Piece(row.mark or signs[min(row.depth, 2)], "muted"), Piece(" ")

    def _link(self, row: _Row) -> Iterator[Piece]:
        """The text of a link's row, and where it leads unless the text says so itself."""
        label = "".join(span.text for span in row.spans if span.href).strip()
        if _is_address(label, row.href):
            yield Piece(_bare(label), "link", row.href)
            return
        for span in _stripped(row.spans):
            role = _roles(span, "link" if span.href else "")
            yield Piece(steady(span.text), role, span.href)
        yield Piece(f"  {steady(_leads_to(row.href))}", "muted", "")

    def _pieces(self, spans: Sequence[Span], role: str = "") -> Iterator[Piece]:
        """Spans amid prose: times in brackets stand out, a link has its number at its end."""
        spans = _stripped(spans)
        for index, span in enumerate(spans):
            ends = index + 1 == len(spans) or spans[index + 1].href != span.href
            if not span.href:
                yield from self._plain(span, role)
            elif _is_address(span.text, span.href):
                yield Piece(_bare(span.text), f"{role} link".strip(), span.href)
            else:
                yield Piece(steady(span.text), _roles(span, f"{role} link"), span.href)
                if ends and span.href in self.links.numbers:
                    yield Piece(self._raised(self.links.numbers[span.href]), "number", span.href)

    def _plain(self, span: Span, role: str) -> Iterator[Piece]:
        text, at = steady(span.text), 0
        if not span.code:
            for found in _TIME_INSIDE.finditer(text):
                if _is_place(found[0], self.duration_ms):
                    yield Piece(text[at : found.start()], _roles(span, role))
                    yield Piece(found[0], "time")
                    at = found.end()
        yield Piece(text[at:], _roles(span, role))

    def _raised(self, number: int) -> str:
        return f"[{number}]" if self.glyphs is ASCII else str(number).translate(_SUPERSCRIPT)


def _roles(span: Span, role: str) -> str:
    marks = (("bold", span.bold), ("italic", span.italic), ("code", span.code))
    return " ".join([*role.split(), *(name for name, on in marks if on)])


def _code(text: str, columns: int) -> Iterator[Line]:
    """Code on a ground of its own; its spaces are kept."""
    room = columns - 2
    for line in text.expandtabs(4).strip("\n").split("\n"):
        for part in chop(steady(line.rstrip()), room):
            yield (Piece(f" {part}{' ' * (room - width(part) + 1)}", "codeblock"),)


# -- spans ----------------------------------------------------------------------------------------------------


def _text(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans)


def _split_lines(spans: Iterable[Span]) -> list[tuple[Span, ...]]:
    lines: list[list[Span]] = [[]]
    for span in spans:
        first, *others = span.text.split("\n")
        lines[-1].append(span._replace(text=first))
        lines += [[span._replace(text=other)] for other in others]
    return [tuple(line) for line in lines]


def _without_start(spans: Iterable[Span], count: int) -> tuple[Span, ...]:
    """The spans without their first `count` characters."""
    kept = []
    for span in spans:
        if count < len(span.text):
            kept.append(span._replace(text=span.text[count:]))
        count = max(0, count - len(span.text))
    return tuple(kept)


def _without_end(spans: tuple[Span, ...], characters: str) -> tuple[Span, ...]:
    kept = list(spans)
    while kept and not kept[-1].text.rstrip(characters):
        kept.pop()
    if kept:
        kept[-1] = kept[-1]._replace(text=kept[-1].text.rstrip(characters))
    return tuple(kept)


def _stripped(spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans without space at the start and the end, nor empty ones."""
    kept = [span for span in spans if span.text]
    while kept and not kept[0].text.strip():
        kept.pop(0)
    if kept:
        kept[0] = kept[0]._replace(text=kept[0].text.lstrip())
    return _without_end(tuple(kept), " \t\n")


def _is_place(time: str, duration_ms: int | None) -> bool:
    return duration_ms is None or parse_time(time) <= duration_ms


# -- facts ----------------------------------------------------------------------------------------------------


def _date(moment: datetime | None) -> str:
    if moment is None:
        return ""
    day = moment.astimezone()
    return f"{day.day} {day:%b %Y}"


def _length(duration_ms: int | None) -> str:
    """`49 s`, `24 min`, `1 h 5 min`."""
    if not duration_ms:
        return ""
    seconds = (duration_ms + 500) // 1000
    if seconds < 60:
        return f"{seconds} s"
    minutes = (seconds + 30) // 60
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"

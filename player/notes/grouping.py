"""Groups the lines of a text into the blocks that they stand for."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from player.notes import breaking, text_lines
from player.notes.blocks import (
    Block,
    Code,
    Heading,
    Item,
    Paragraph,
    Quote,
    Rule,
    Span,
    Spans,
    cut,
    split_lines,
    stripped,
    text_of,
)
from player.notes.inline import inline, linked

_LEVEL = 4
"""The level of a heading that wasn't marked up as one."""

_DEEPEST = 8
_LEAST_INDENT = 2
_LEAST_WRAPPED, _MOST_WRAPPED = 50, 100

_BLANKS = re.compile("  +")


class _Line(NamedTuple):
    indent: int
    text: str
    spans: Spans


class _Fence(NamedTuple):
    """Code between two lines of backticks or tildes (`sign`); `opening` is the first of these lines."""

    sign: str
    language: str
    opening: _Line
    lines: list[_Line]


_NOTHING = _Line(0, "", ())


class Grouper:
    """Pass it the paragraphs in order with `take`: a list, or code, may continue from one paragraph to the next."""

    def __init__(self, markdown: bool) -> None:
        self._markdown = markdown
        self._text: list[_Line] = []
        self._quote: list[_Line] = []
        self._item: tuple[int, int | None] | None = None
        self._item_spans: list[Span] = []
        self._fence: _Fence | None = None
        self._number = 0
        self._sign = ""
        self._indents: list[int] = []
        self._columns = _MOST_WRAPPED + 1

    @property
    def in_code(self) -> bool:
        return self._fence is not None

    def take(self, spans: Spans, after: str) -> Iterator[Block]:
        """The blocks of a paragraph; `after` is the first line of the next block."""
        found = _lines(spans)
        if self._fence is not None and self._fence.lines:
            self._fence.lines.append(_NOTHING)
        for index, line in enumerate(found):
            next_text = found[index + 1].text if index + 1 < len(found) else after
            if self._fence is not None:
                yield from self._within(self._fence, line)
                continue
            parts = _parted(line)
            for index, part in enumerate(parts):
                yield from self._line(part, parts[index + 1].text if index + 1 < len(parts) else next_text)
        yield from self._ended()

    def end(self) -> Iterator[Block]:
        """The next block isn't a paragraph: lists end, and code that was never closed becomes text."""
        self._sign = ""
        if fence := self._fence:
            self._fence = None
            yield Paragraph(fence.opening.spans)
            for line in fence.lines:
                yield from self._line(line, "")
            yield from self._ended()

    def _inline(self, spans: Spans) -> Spans:
        return inline(spans, self._markdown)

    # -- a line -----------------------------------------------------------------------------------------------

    def _line(self, line: _Line, after: str) -> Iterator[Block]:
        if not line.text:
            yield from self._ended()
        elif text_lines.is_rule(line.text):
            yield from self._ruled()
        elif mark := self._mark(line, after):
            yield from self._ended()
            self._item = self._depth(line.indent), mark.number
            self._item_spans = [*self._inline(_single(cut(line.spans, mark.end)))]
        elif self._item is not None and line.indent >= _LEAST_INDENT:
            self._item_spans += [Span(" "), *self._inline(_single(line.spans))]
        else:
            self._sign = ""
            self._indents.clear()
            yield from self._other(line, after)

    def _other(self, line: _Line, after: str) -> Iterator[Block]:
        if fence := text_lines.fence(line.text):
            yield from self._ended()
            self._fence = _Fence(*fence, line, [])
        elif at := text_lines.quoted(line.text):
            if not self._quote or at == len(line.text):
                yield from self._ended()
            if at < len(line.text):
                self._quote.append(line._replace(spans=cut(line.spans, at)))
        elif heading := self._heading(line, after):
            yield from self._ended()
            yield heading
        else:
            if not self._text:
                yield from self._ended()
            self._text.append(line)

    def _ended(self) -> Iterator[Block]:
        """Ends the current block and yields it."""
        if self._item is not None:
            yield Item(*self._item, tuple(self._item_spans))
            self._item = None
        if self._quote:
            yield Quote(self._inline(_joined(self._quote, "\n")))
            self._quote = []
        if self._text:
            yield Paragraph(self._inline(_joined(self._text, " " if self._is_wrapped(self._text) else "\n")))
            self._text = []

    def _ruled(self) -> Iterator[Block]:
        """A line drawn across: right below a short line it makes that a heading, elsewhere it is a rule."""
        title = self._text[0] if len(self._text) == 1 else _NOTHING
        if title.text and len(title.text) <= text_lines.SHORT and not text_lines.ends_a_sentence(title.text):
            self._text = []
            yield Heading(_LEVEL, self._inline(_single(title.spans)))
        else:
            yield from self._ended()
            yield Rule()

    def _heading(self, line: _Line, after: str) -> Heading | None:
        """The heading that a line stands for: a line with Markdown's hashes, or a short line that is in bold, is a
        usual heading (“Links:”), or introduces a list."""
        level, start = text_lines.hashes(line.text)
        if level and self._markdown:
            text = line.text.rstrip("# ") if line.text.endswith(" #") or line.text.endswith("##") else line.text
            return Heading(level, self._inline(_single(cut(line.spans, start, len(text)))))
        if len(line.text) > text_lines.SHORT or "://" in line.text or text_lines.is_rule(after):
            return None
        spans = self._inline(_single(line.spans))
        if any(span.href for span in spans):
            return None
        bold = all(span.bold or not span.text.strip() for span in spans)
        led = after and (text_lines.is_name(line.text) or (not self._text and text_lines.leads_in(line.text, after)))
        return Heading(_LEVEL, spans) if bold or led else None

    # -- items ------------------------------------------------------------------------------------------------

    def _mark(self, line: _Line, after: str) -> text_lines.Mark | None:
        """The marker of the line, if it is a list item: a dash or a number usually counts only if another of its kind
        is next to it."""
        mark = text_lines.mark_of(line.text)
        if mark is None:
            return None
        last, self._sign = self._sign, mark.sign
        following = text_lines.mark_of(after)
        if mark.number is not None:
            before = mark.number in (1, self._number + 1)
            self._number = mark.number
            return mark if before or (following and following.number == mark.number + 1) else None
        beside = last == mark.sign or (following is not None and following.sign == mark.sign)
        led = bool(self._text) and self._text[-1].text.endswith((":", "："))
        return mark if mark.is_bullet or beside or led or self._markdown else None

    def _depth(self, indent: int) -> int:
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        if not self._indents or self._indents[-1] < indent:
            self._indents.append(indent)
        return min(len(self._indents) - 1, _DEEPEST)

    # -- code -------------------------------------------------------------------------------------------------

    def _within(self, fence: _Fence, line: _Line) -> Iterator[Block]:
        closing = text_lines.fence(line.text)
        if closing is None or not closing[0].startswith(fence.sign) or closing[1]:
            fence.lines.append(line)
            return
        self._fence = None
        indent = min((line.indent for line in fence.lines if line.text), default=0)
        code = [(Span("\n"), Span(" " * (line.indent - indent)), *line.spans) for line in fence.lines]
        if spans := stripped(_merged([span for line in code for span in line][1:])):
            yield Code(linked(spans), fence.language)

    # -- lines wrapped to a width -----------------------------------------------------------------------------

    def _is_wrapped(self, text: list[_Line]) -> bool:
        """Whether the text was wrapped to a width: each line ends where the next word wouldn't have fitted, and at
        least half of the next lines begin in lower case."""
        if len(text) < 2 or any(line.indent for line in text):
            return False
        columns = max(len(line.text) for line in text)
        if not _LEAST_WRAPPED <= columns <= _MOST_WRAPPED:
            return False
        if len(text) == 2:
            columns = max(columns, self._columns)
        pairs = list(pairwise(text))
        full = all(len(one.text) + 1 + len(two.text.partition(" ")[0]) > columns for one, two in pairs)
        if not full or 2 * sum(two.text[0].islower() for _, two in pairs) < len(pairs):
            return False
        self._columns = columns
        return True


# -- lines ----------------------------------------------------------------------------------------------------


def _lines(spans: Spans) -> list[_Line]:
    """The lines of a paragraph. Consecutive spaces are kept until the lines are known not to be code."""
    return [_line(line) for line in split_lines(spans)]


def _line(spans: Spans, indent: int | None = None) -> _Line:
    text = text_of(spans)
    words = text.strip()
    indent = len(text) - len(text.lstrip()) if indent is None else indent
    return _Line(indent, words, spans if words == text else stripped(spans))


def _parted(line: _Line) -> list[_Line]:
    """The line, divided if it is several lines that ran together."""
    found = breaking.cuts(line.text) if not any(span.code for span in line.spans) else []
    return list(_cut_up(line, found)) if found else [line]


def _cut_up(line: _Line, found: list[breaking.Cut]) -> Iterator[_Line]:
    """The parts of a line between the cuts. Cuts inside a link are ignored."""
    part: list[Span] = []
    cuts = iter([*found, (len(line.text) + 1, 0, "")])
    start, end, instead = next(cuts)
    at = done = 0
    for span in line.spans:
        after = at + len(span.text)
        while start < after:
            if start == at or (start > at and not span.href):
                part.append(span._replace(text=span.text[max(done - at, 0) : start - at]))
                done = end
                if instead == " ":
                    part.append(Span(" "))
                else:
                    yield _line(_merged(part), line.indent)
                    part = []
                    if instead == "\n\n":
                        yield _NOTHING
            start, end, instead = next(cuts)
        part.append(span._replace(text=span.text[max(done - at, 0) :]))
        at = after
    yield _line(_merged(part), line.indent)


def _joined(text: list[_Line], between: str) -> Spans:
    return _merged([part for line in text for part in (Span(between), *_single(line.spans))][1:])


def _single(spans: Spans) -> Spans:
    """The spans with single spaces between words."""
    if "  " not in text_of(spans):
        return spans
    single: list[Span] = []
    for span in spans:
        text = _BLANKS.sub(" ", span.text)
        if text[:1] == " " and single and single[-1].text[-1:] == " ":
            text = text[1:]
        if text:
            single.append(span._replace(text=text))
    return tuple(single)


def _merged(spans: Iterable[Span]) -> Spans:
    """The spans without empty ones, and with adjacent spans of the same style merged."""
    merged: list[Span] = []
    run: list[str] = []
    for span in spans:
        if not span.text:
            continue
        if merged and merged[-1][1:] == span[1:]:
            run.append(span.text)
            continue
        if len(run) > 1:
            merged[-1] = merged[-1]._replace(text="".join(run))
        merged.append(span)
        run = [span.text]
    if len(run) > 1:
        merged[-1] = merged[-1]._replace(text="".join(run))
    return tuple(merged)

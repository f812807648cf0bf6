"""What notes are made of: blocks of spans."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from player.links.urls import web_address
from player.notes.urls_in_text import glued_word, without_trailing_marks


class Span(NamedTuple):
    """A stretch of text in one style. A newline is a line break; other white space is single blanks (but in Code)."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    href: str = ""


Spans = tuple[Span, ...]


class Heading(Struct, frozen=True):
    level: int
    spans: Spans


class Paragraph(Struct, frozen=True):
    spans: Spans


class Item(Struct, frozen=True):
    """Of a list. `depth` is 0 in the outermost; `number` is None where the list has bullets."""

    depth: int
    number: int | None
    spans: Spans


class Quote(Struct, frozen=True):
    spans: Spans


class Code(Struct, frozen=True):
    """Lines to be shown as they are. `language` is what the notes call it, "" where they don't."""

    spans: Spans
    language: str = ""


class Table(Struct, frozen=True):
    """Rows of as many cells each, two at least. `head`: the first row says what the columns are."""

    rows: tuple[tuple[Spans, ...], ...]
    head: bool = False

    @property
    def spans(self) -> Spans:
        """All of its text: a row in a line, its cells apart by blanks."""
        spans: list[Span] = []
        for row in self.rows:
            cells = [cell for cell in row if cell]
            for index, cell in enumerate(cells):
                spans += [Span(" ")] if index else [Span("\n")] if spans else []
                spans += cell
        return tuple(spans)


class Rule(Struct, frozen=True):
    @property
    def spans(self) -> Spans:
        return ()


Block = Heading | Paragraph | Item | Quote | Code | Table | Rule


class Notes(Struct, frozen=True):
    blocks: tuple[Block, ...] = ()

    @property
    def links(self) -> tuple[str, ...]:
        """Where they lead, each once, in order. An address that may go on with the word behind it comes a second time
        with that word."""
        return tuple(dict.fromkeys(href for block in self.blocks for href in _addresses(block.spans)))


def _addresses(spans: Spans) -> Iterator[str]:
    for index, span in enumerate(spans):
        if not span.href:
            continue
        yield span.href
        if index + 1 < len(spans) and not (after := spans[index + 1]).href and after.text[:1].isupper():
            text = span.text + text_of(part for part in spans[index + 1 : index + 3] if not part.href)
            word = glued_word(text, 0, text.find(" ", len(span.text)))
            if word is not None and not word.sure and word.at == len(span.text):
                yield web_address(without_trailing_marks(text.partition(" ")[0]))


# -- spans in a row -------------------------------------------------------------------------------------------


def text_of(spans: Iterable[Span]) -> str:
    return "".join([span.text for span in spans])


def cut(spans: Spans, start: int, end: int | None = None) -> Spans:
    """The characters from `start` to `end` of the text of spans."""
    inside, at = [], 0
    for span in spans:
        after = at + len(span.text)
        if after > start and (end is None or at < end):
            text = span.text[max(0, start - at) : None if end is None else end - at]
            if text:
                inside.append(span if text == span.text else span._replace(text=text))
        at = after
    return tuple(inside)


def stripped(spans: Spans) -> Spans:
    """Without white space at both ends."""
    text = text_of(spans)
    if not text or not (text[0].isspace() or text[-1].isspace()):
        return spans
    return cut(spans, len(text) - len(text.lstrip()), len(text.rstrip()))


def split_lines(spans: Iterable[Span]) -> list[Spans]:
    """The spans of each line, without empty ones."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        if "\n" not in span.text:
            lines[-1].append(span)
            continue
        first, *others = span.text.split("\n")
        lines[-1].append(span._replace(text=first))
        lines += [[span._replace(text=other)] for other in others]
    return [tuple(span for span in line if span.text) for line in lines]

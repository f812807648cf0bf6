"""The parts of notes, blocks and their spans, and the HTML tags and attributes that these come from."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from player.links.urls import web_address
from player.notes.urls_in_text import glued_word, without_trailing_marks
from player.text.cleaning import clean_line, unescape


class Span(NamedTuple):
    """A piece of text in one style. A newline is a line break; other white space is single spaces, except in Code."""

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
    """An item of a list. `depth` is 0 in the outermost list; `number` is None in a list with bullets."""

    depth: int
    number: int | None
    spans: Spans


class Quote(Struct, frozen=True):
    spans: Spans


class Code(Struct, frozen=True):
    """Lines to be shown as they are. `language` is the language's name in the notes; "" if they don't give one."""

    spans: Spans
    language: str = ""


class Table(Struct, frozen=True):
    """Rows with the same number of cells, at least two. `head`: the first row has the names of the columns."""

    rows: tuple[tuple[Spans, ...], ...]
    head: bool = False

    @property
    def spans(self) -> Spans:
        """The table's whole text: a line for each row, with spaces between the cells."""
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
        """The addresses of the links, each once, in order. An address that may include the word right behind it is
        listed a second time with that word."""
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


# -- sequences of spans ---------------------------------------------------------------------------------------


def text_of(spans: Iterable[Span]) -> str:
    return "".join([span.text for span in spans])


def cut(spans: Spans, start: int, end: int | None = None) -> Spans:
    """The spans of the characters from `start` to `end`."""
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
    """The spans without white space at both ends."""
    text = text_of(spans)
    if not text or not (text[0].isspace() or text[-1].isspace()):
        return spans
    return cut(spans, len(text) - len(text.lstrip()), len(text.rstrip()))


def split_lines(spans: Iterable[Span]) -> list[Spans]:
    """The spans of each line, without empty spans."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        if "\n" not in span.text:
            lines[-1].append(span)
            continue
        first, *others = span.text.split("\n")
        lines[-1].append(span._replace(text=first))
        lines += [[span._replace(text=other)] for other in others]
    return [tuple(span for span in line if span.text) for line in lines]


BOUNDARIES = {
    "p", "div", "section", "article", "header", "footer", "main", "aside", "nav", "address", "center", "figure",
    "figcaption", "thead", "tbody", "tfoot", "caption", "details", "form", "fieldset", "body", "html", "head",
}  # fmt: skip
HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = {"ul", "ol", "dl", "menu"}
STRUCTURE = (
    BOUNDARIES
    | HEADINGS.keys()
    | LISTS
    | {
        "br",
        "li",
        "dt",
        "dd",
        "summary",
        "blockquote",
        "pre",
        "hr",
        "table",
        "tr",
        "td",
        "th",
        "iframe",
        "video",
        "audio",
        "embed",
    }
)
BOLD = {"b", "strong"}
ITALIC = {"i", "em", "cite", "dfn"}
CODE = {"code", "tt", "kbd", "samp", "var"}
UNSHOWN = {"script", "style", "template", "title", "svg", "object"}
INLINE = {"a", "span", "font", "u", "s", "small", "sup", "sub", "img", "wbr", "nobr", "strike", "del", "ins", "abbr"}
KNOWN = STRUCTURE | BOLD | ITALIC | CODE | UNSHOWN | INLINE
RARE = {
    "acronym", "applet", "area", "base", "bdi", "bdo", "big", "button", "canvas", "col", "colgroup", "data", "datalist",
    "dialog", "dir", "frame", "frameset", "hgroup", "input", "label", "legend", "link", "map", "mark", "marquee",
    "math", "meta", "meter", "noframes", "noscript", "optgroup", "option", "output", "param", "picture", "progress",
    "q", "rp", "rt", "ruby", "search", "select", "slot", "source", "textarea", "time", "track",
}  # fmt: skip
"""Other tags, whose names may also be words in angle brackets."""

# Follows the tokenizer of the HTML standard; a value whose quotation mark is never closed extends to the end.
_ATTRIBUTE = re.compile(
    r"""(?<![A-Za-z0-9:-])([A-Za-z][A-Za-z0-9:-]*+)\s*+=\s*+(?:"([^"]*)"?|'([^']*)'?|([^\s"'>][^\s>]*+))"""
)
_LANGUAGE = re.compile(r"(?:\blang(?:uage)?-|highlight-source-|brush:\s*)([\w+#.-]{1,30})", re.IGNORECASE)
_FILE = re.compile(r"[\w .()%-]*\.(?:jpe?g|png|gif|webp|svg|bmp)|(?:img|dsc|image|screenshot)[\W_]*\d[\w.-]*", re.I)
_SAYS_NOTHING = frozenset({"image", "img", "photo", "picture", "thumbnail", "logo", "cover", "icon", "spacer", "pixel"})


def attribute(attributes: str, wanted: str) -> str:
    """An attribute's value, with character references resolved; "" if absent."""
    if wanted not in attributes.lower():
        return ""
    for found in _ATTRIBUTE.finditer(attributes):
        if found[1].lower() == wanted:
            return unescape(found[2] or found[3] or found[4] or "")
    return ""


def whole(digits: str, otherwise: int) -> int:
    """An attribute's value as a whole number; `otherwise` if it isn't one."""
    return int(digits) if re.fullmatch("[0-9]{1,6}", digits.strip()) else otherwise


def language(attributes: str) -> str:
    """The language of code, from the attributes of its `pre` or `code`: `language-python`, `brush: python`,
    `lang="python"`; "" if they don't give one."""
    found = _LANGUAGE.search(attribute(attributes, "class"))
    return found[1] if found else clean_line(attribute(attributes, "data-lang") or attribute(attributes, "lang"), 30)


def description(attributes: str) -> str:
    """An image's alternative text; "" if that is only a file name or meaningless, or if the image is at most one pixel
    wide or high."""
    words = clean_line(attribute(attributes, "alt"), 300)
    if not words or words.casefold().strip(" .") in _SAYS_NOTHING or _FILE.fullmatch(words):
        return ""
    tiny = {attribute(attributes, "width").strip(), attribute(attributes, "height").strip()} & {"0", "1"}
    return "" if tiny else words

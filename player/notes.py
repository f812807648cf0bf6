"""Show notes: the HTML or plain text of a feed, read into blocks and spans that a terminal can show.

Read by a tokenizer of its own: it keeps no tree, so no nesting is too deep for it, nothing is too broken, and the
time is linear in the length.
"""

import re
import unicodedata
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple

from player.addresses import web_address
from player.text import clean_block, clean_line, is_mark


class Span(NamedTuple):
    """A stretch of text in one style. A newline is a line break; other white space is single blanks (but in Code)."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """Of a list. `depth` is 0 in the outermost; `number` is None where the list has bullets."""

    depth: int
    number: int | None
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to be shown as they are."""

    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    @property
    def spans(self) -> tuple[Span, ...]:
        return ()


Block = Heading | Paragraph | Item | Quote | Code | Rule


@dataclass(frozen=True, slots=True)
class Notes:
    blocks: tuple[Block, ...] = ()

    @property
    def links(self) -> tuple[str, ...]:
        """Where they lead, each once, in order."""
        return tuple(dict.fromkeys(span.href for block in self.blocks for span in block.spans if span.href))


_BOUNDARIES = {
    "p", "div", "section", "article", "header", "footer", "main", "aside", "nav", "address", "center", "figure",
    "figcaption", "table", "thead", "tbody", "tfoot", "tr", "caption", "dl", "dt", "dd", "details", "summary", "form",
    "fieldset", "body", "html", "head",
}  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_STRUCTURE = _BOUNDARIES | _HEADINGS.keys() | {"br", "ul", "ol", "li", "blockquote", "pre", "hr"}
_BOLD = {"b", "strong"}
_ITALIC = {"i", "em", "cite", "dfn"}
_CODE = {"code", "tt", "kbd", "samp", "var"}
_UNSHOWN = {"script", "style", "template", "title", "svg", "object", "iframe"}
_INLINE = {"a", "span", "font", "u", "s", "small", "sup", "sub", "img", "td", "th"}
_KNOWN = _STRUCTURE | _BOLD | _ITALIC | _CODE | _UNSHOWN | _INLINE
_DEEPEST = 20

_SIMPLE_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)(?:\s[^<>]*)?/?>")
_ESCAPED_TAG = re.compile(r"&lt;(/?)([A-Za-z][A-Za-z0-9]*)\s?/?&gt;")
# No part of it crosses a "<", so that every attempt ends at the next one: linear, whatever the input.
_TAG = re.compile(r"""<(/?)([A-Za-z][A-Za-z0-9:-]*+)((?:[^<>"']++|"[^"<]*+"|'[^'<]*+'|["'])*+)>""")
_UNSHOWN_OPENING = re.compile(
    rf"<!--|<!\[CDATA\[|\]\]>|<[!?][^<>]*+>|<({'|'.join(sorted(_UNSHOWN))})\b[^<>]*+(?<!/)>", re.IGNORECASE
)
_ATTRIBUTE = re.compile(r"""(?<![A-Za-z0-9:-])([A-Za-z][A-Za-z0-9:-]*+)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_MESSY = re.compile(r"\s\s|[^\S ]")
_BLANKS = re.compile(r"\s+")
_BLANK = {"", " ", "\n"}
_BARE_URL = re.compile(r"https?://[^\s<>\"“”]+", re.IGNORECASE)


def read_notes(text: str) -> Notes:
    """The blocks of `text`, whatever it is. Never raises; links lead to http, https and mailto alone."""
    text = clean_block(text)
    if not _has_tag(text, _KNOWN):
        if not _has_escaped_tag(text):
            return _read_plain(clean_block(unescape(text)))
        text = clean_block(unescape(text))
    builder = _Builder(keep_lines=not _has_tag(text, _STRUCTURE))
    parts = _TAG.split(_without_unshown(text))
    builder.text(parts[0])
    for place in range(1, len(parts), 4):
        builder.tag(parts[place] == "/", parts[place + 1].lower(), parts[place + 2])
        if text := parts[place + 3]:
            builder.text(text)
    return builder.notes()


def _has_tag(text: str, names: AbstractSet[str]) -> bool:
    return any(found[1].lower() in names for found in _SIMPLE_TAG.finditer(text))


def _has_escaped_tag(text: str) -> bool:
    """Whether the notes were escaped twice. Closing tags and line breaks say so; who writes of tags has others."""
    return any(name.lower() in (_KNOWN if closing else ("br",)) for closing, name in _ESCAPED_TAG.findall(text))


def _read_plain(text: str) -> Notes:
    builder = _Builder(keep_lines=True)
    builder.add_text(text)
    return builder.notes()


def _without_unshown(text: str) -> str:
    """Without comments, declarations, and what scripts and their like hold. What is never closed stays."""
    kept: list[str] = []
    place = 0
    missing: set[str] = set()
    while opening := _UNSHOWN_OPENING.search(text, place):
        kept.append(text[place : opening.start()])
        place = opening.end()
        if opening[0] == "<!--":
            closing = _find(text, "-->", place, missing)
            place = closing + 3 if closing >= 0 else place
        elif name := opening[1]:
            place = max(place, _find(text, f"</{name.lower()}", place, missing))
    return "".join([*kept, text[place:]])


def _find(text: str, mark: str, start: int, missing: set[str]) -> int:
    """Where `mark` comes next, -1 if never. What was missing once isn't looked for again: the time would be square."""
    if mark in missing:
        return -1
    found = re.compile(re.escape(mark), re.IGNORECASE).search(text, start)
    if found is None:
        missing.add(mark)
        return -1
    return found.start()


@dataclass(slots=True)
class _List:
    ordered: bool
    number: int


@dataclass(slots=True)
class _Builder:
    """Takes texts and tags in their order; `keep_lines` is for texts whose newlines mean something."""

    keep_lines: bool
    blocks: list[Block] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    style: tuple[bool, bool, bool, str] = (False, False, False, "")
    last: str = ""
    lists: list[_List] = field(default_factory=list)
    bold: int = 0
    italic: int = 0
    code: int = 0
    heading: int = 0
    item: tuple[int, int | None] | None = None
    quotes: int = 0
    pre: int = 0
    href: str = ""
    href_shown: bool = False
    href_label: str = ""

    def notes(self) -> Notes:
        self._end_link()
        self._flush()
        return Notes(tuple(self.blocks))

    # -- texts ------------------------------------------------------------------------------------------------

    def text(self, text: str) -> None:
        """Takes a text as HTML has it, with character references."""
        if text.isspace() and self.last in _BLANK and not self.pre and not self.keep_lines:
            return
        self.add_text(clean_block(unescape(text)) if "&" in text else text)

    def add_text(self, text: str) -> None:
        if self.pre:
            self._add(text.expandtabs(4))
        elif self.keep_lines and "\n" in text:
            self._add_lines(text)
        else:
            self._add_collapsed(text)

    def _add_lines(self, text: str) -> None:
        """Blank lines part paragraphs, other newlines break the line."""
        for number, line in enumerate(text.split("\n")):
            if number:
                self._break_line(paragraph=True)
            self._add_collapsed(line)

    def _add_collapsed(self, text: str) -> None:
        at_start = self.last in _BLANK
        if _MESSY.search(text):
            text = _BLANKS.sub(" ", text)
        self._add(text.lstrip(" ") if at_start else text)

    def _break_line(self, *, paragraph: bool = False) -> None:
        """A line break; with `paragraph` a second one in a row ends the block."""
        if not self.last:
            return
        if self.last == " ":
            self._strip_end(" ")
        if paragraph and self.last == "\n":
            self._flush()
        elif self.last:
            self.pieces.append("\n")
            self.last = "\n"

    def _add(self, text: str) -> None:
        """Takes a text as it is to be shown; bare addresses in it become links."""
        if not text:
            return
        if self.href:
            self.href_shown = self.href_shown or not text.isspace()
        elif "://" in text:
            place = 0
            for found in _BARE_URL.finditer(text):
                url = _without_trailing_marks(found[0])
                if address := web_address(url):
                    self._append(text[place : found.start()])
                    self._append(url, address)
                    place = found.start() + len(url)
            text = text[place:]
        self._append(text, self.href)

    def _append(self, text: str, href: str = "") -> None:
        if not text:
            return
        style = (self.bold > 0, self.italic > 0, self.code > 0 and not self.pre, href)
        if style != self.style:
            self._end_span()
            self.style = style
        self.pieces.append(text)
        self.last = text[-1]

    def _end_span(self) -> None:
        if self.pieces:
            self.spans.append(Span("".join(self.pieces), *self.style))
            self.pieces = []

    def _strip_end(self, characters: str | None = None) -> None:
        """Without these characters (all white space) at the end of what is there."""
        self._end_span()
        while self.spans:
            span = self.spans.pop()
            if text := span.text.rstrip(characters):
                self.style, self.pieces, self.last = span[1:], [text], text[-1]
                return
        self.last = ""

    def _flush(self) -> None:
        """Ends the block under way."""
        if not self.last:
            return
        if self.last.isspace():
            self._strip_end()
        self._end_span()
        spans, self.spans, self.last = tuple(self.spans), [], ""
        if self.pre:
            spans = _without_first_lines(spans)
        if not spans:
            return
        if self.pre:
            self.blocks.append(Code(spans))
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
        if name in _BOUNDARIES:
            self._boundary()
        elif name in _BOLD:
            self.bold = max(0, self.bold + step)
        elif name in _ITALIC:
            self.italic = max(0, self.italic + step)
        elif name in _CODE:
            self.code = max(0, self.code + step)
        elif name == "a":
            self._end_link()
            if not closing:
                self._start_link(attributes)
        elif name == "br":
            self._break_line()
        elif name == "li":
            self._list_item(closing, attributes)
        elif name in ("ul", "ol"):
            self._list(closing, name == "ol", attributes)
        elif level := _HEADINGS.get(name):
            self._flush()
            self.heading = 0 if closing else level
        elif name == "blockquote":
            self._flush()
            self.quotes = max(0, self.quotes + step)
        elif name == "pre":
            self._flush()
            self.pre = max(0, self.pre + step)
        elif name in ("td", "th"):
            self._add_collapsed(" ")
        elif name == "img" and self.href:
            self.href_label = self.href_label or clean_line(unescape(_attribute(attributes, "alt")), 200)
        elif name == "hr":
            self._flush()
            if self.blocks and not isinstance(self.blocks[-1], Rule):
                self.blocks.append(Rule())

    def _boundary(self) -> None:
        """Where a paragraph starts or ends; in an item or a heading only a line. In code it says nothing."""
        if self.pre:
            return
        if self.item is None and not self.heading:
            self._flush()
        elif self.last != "\n":
            self._break_line()

    def _list(self, closing: bool, ordered: bool, attributes: str) -> None:
        self._flush()
        self.item = None
        if closing:
            if self.lists:
                self.lists.pop()
        else:
            self.lists.append(_List(ordered, _whole(_attribute(attributes, "start"), 1)))

    def _list_item(self, closing: bool, attributes: str) -> None:
        self._flush()
        self.item = None
        if closing:
            return
        number = None
        if self.lists and self.lists[-1].ordered:
            number = _whole(_attribute(attributes, "value"), self.lists[-1].number)
            self.lists[-1].number = number + 1
        self.item = (min(max(0, len(self.lists) - 1), _DEEPEST), number)

    def _start_link(self, attributes: str) -> None:
        self.href = _target(unescape(_attribute(attributes, "href")))
        self.href_shown, self.href_label = False, ""

    def _end_link(self) -> None:
        """A link that showed nothing (an image, nothing at all) shows what it is called, or where it leads."""
        if self.href and not self.href_shown:
            self._add(self.href_label or self.href)
        self.href = ""


def _without_first_lines(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Without the empty lines it begins with."""
    for place, span in enumerate(spans):
        if text := span.text.lstrip("\n"):
            return (span._replace(text=text), *spans[place + 1 :])
    return ()


def _attribute(attributes: str, wanted: str) -> str:
    if wanted not in attributes.lower():
        return ""
    for found in _ATTRIBUTE.finditer(attributes):
        if found[1].lower() == wanted:
            return found[2] or found[3] or found[4] or ""
    return ""


def _target(href: str) -> str:
    address = clean_line(href, 2_000)
    if address.lower().startswith("mailto:") and "@" in address and "…" not in address:
        return address.replace(" ", "%20")
    return web_address(href)


def _whole(digits: str, otherwise: int) -> int:
    return int(digits) if re.fullmatch("[0-9]{1,6}", digits.strip()) else otherwise


def _without_trailing_marks(url: str) -> str:
    """The end of a sentence and the bracket around an address aren't part of it."""
    for _ in range(20):
        if url[-1] not in ".,;:!?'\"*_)]}>»’":
            break
        if url[-1] in ")]}" and url.count(url[-1]) <= url.count({")": "(", "]": "[", "}": "{"}[url[-1]]):
            break
        url = url[:-1]
    return url


# -- for commands ---------------------------------------------------------------------------------------------


def words(notes: Notes) -> str:
    """The text alone, a line for each block: for a description in a list or in JSON."""
    lines = ("".join(span.text for span in block.spans).strip() for block in notes.blocks)
    return "\n".join(line for line in lines if line)


def plain(notes: Notes, width: int = 80) -> str:
    """Lines of at most `width` cells for a terminal without colours: links are numbered, and listed below."""
    numbers = {href: number for number, href in enumerate(_hidden_links(notes), start=1)}
    lines: list[str] = []
    before: Block | None = None
    for block in notes.blocks:
        if before is not None and not (isinstance(block, Item) and isinstance(before, Item)):
            lines.append("")
        lines += _block_lines(block, numbers, max(20, width))
        before = block
    if numbers:
        lines += ["", *(f"[{number}] {href}" for href, number in numbers.items())]
    return "\n".join(lines)


def _hidden_links(notes: Notes) -> list[str]:
    """Addresses that the text doesn't show by itself."""
    spans = [span for block in notes.blocks for span in block.spans if span.href]
    return list(dict.fromkeys(span.href for span in spans if _hides(span)))


def _hides(span: Span) -> bool:
    return bool(span.href) and span.text.strip() not in (span.href, span.href.removeprefix("mailto:"))


def _block_lines(block: Block, numbers: dict[str, int], width: int) -> list[str]:
    if isinstance(block, Rule):
        return ["─" * min(width, 40)]
    text = "".join(f"{span.text} [{numbers[span.href]}]" if _hides(span) else span.text for span in block.spans)
    if isinstance(block, Code):
        return [f"    {line}".rstrip() for line in text.split("\n")]
    first, rest = _indents(block)
    lines = [line for part in text.split("\n") for line in _wrapped(part, width - len(first))]
    if isinstance(block, Heading):
        lines = [line.upper() if block.level == 1 else line for line in lines]
    return [((rest if number else first) + line).rstrip() for number, line in enumerate(lines)]


def _indents(block: Block) -> tuple[str, str]:
    """What stands before the first line, and before the others."""
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
        while cells > width and not word.startswith(("http://", "https://")):
            head = _head(word, width)
            lines.append(head)
            word = word[len(head) :]
            cells = _cells(word)
        line, used = (f"{line} {word}", used + 1 + cells) if line else (word, cells)
    return [*lines, line]


def _head(word: str, width: int) -> str:
    """As many characters as fit into `width` cells; at least one."""
    used = 0
    for place, character in enumerate(word):
        used += _cells(character)
        if used > width and place:
            return word[:place]
    return word


def _cells(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(
        0 if is_mark(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text
    )

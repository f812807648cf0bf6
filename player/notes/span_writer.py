"""Builds spans from the texts of a document, in its order: white space, styles, superscripts and links."""

from dataclasses import dataclass, field

from player.notes import blocks
from player.notes.blocks import Span, Spans
from player.notes.urls_in_text import target
from player.text.cleaning import unescape

_MOST_PIECES = 40_000
"""Most lines and pieces of one style that are read, which takes half a second. Real notes have far fewer; `room` is
negative once the rest is left out."""
_BLANK = {"", " ", "\n"}
_RAISED = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_AS_THEY_ARE = frozenset({"st", "nd", "rd", "th", "e", "er", "re", "ème", "o", "a", "™", "®", "©"})
_SIGNS = {"tm": "™", "sm": "℠"}


@dataclass(slots=True)
class SpanWriter:
    """The spans of the current block. With `keep_lines`, newlines and indents are kept.

    Subclasses define how a block ends: `_flush`. It is a base class for speed, as all text of notes passes through it.
    """

    keep_lines: bool
    spans: list[Span] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    style: tuple[bool, bool, bool, str] = (False, False, False, "")
    last: str = ""
    bold: int = 0
    italic: int = 0
    code: int = 0
    pre: int = 0
    script: str = ""
    href: str = ""
    href_shown: bool = False
    href_label: str = ""
    apart: bool = False
    room: int = _MOST_PIECES

    def _flush(self) -> None:
        """Ends the current block."""
        raise NotImplementedError

    def text(self, text: str) -> None:
        """Adds a text as it is written in HTML, with character references."""
        if self.last in _BLANK and not self.pre and not self.keep_lines and text.isspace():
            return
        self.add_text(unescape(text))

    def add_text(self, text: str) -> None:
        if self.script:
            text = self._set_apart(text)
        if self.pre:
            self._add(text.expandtabs(4))
        elif self.keep_lines:
            self._add_lines(text)
        else:
            self._add_collapsed(text)

    def _add_lines(self, text: str) -> None:
        """Blank lines separate paragraphs, other newlines break the line."""
        for number, line in enumerate(text.split("\n")):
            if number:
                self._break_line(paragraph=True)
            if self.last in ("", "\n") and line.isspace():
                continue
            self._add(line.expandtabs(4))

    def _add_collapsed(self, text: str) -> None:
        words = text.split()
        if not words:
            if text and self.last not in _BLANK:
                self._add(" ")
            return
        before = " " if text[0].isspace() and self.last not in _BLANK else ""
        after = " " if text[-1].isspace() else ""
        self._add(f"{before}{' '.join(words)}{after}")

    def _set_apart(self, text: str) -> str:
        """The text in superscript or subscript characters if the tables have them all; otherwise as `^(n+1)`."""
        words = text.strip()
        if not words or self.href or words[0] in "[(" or words.casefold() in _AS_THEY_ARE:
            return text
        if words.casefold() in _SIGNS:
            return _SIGNS[words.casefold()]
        table = _RAISED if self.script == "sup" else _LOWERED
        if all(ord(letter) in table for letter in words):
            return words.translate(table)
        sign = "^" if self.script == "sup" else "_"
        return f"{sign}{words}" if words.isalnum() else f"{sign}({words})"

    def _break_line(self, *, paragraph: bool = False) -> None:
        """Adds a line break; with `paragraph`, a second one in a row ends the block."""
        if not self.last:
            return
        if self.last == " ":
            self._strip_end(" ")
        if paragraph and self.last == "\n":
            self._flush()
        elif self.last:
            self.pieces.append("\n")
            self.last = "\n"
            self.apart = False

    def _add(self, text: str) -> None:
        if not text:
            return
        if self.href and not self.href_shown:
            self.href_shown = not text.isspace()
        self._append(text)

    def _append(self, text: str) -> None:
        self.room -= 1
        if self.room < 0:
            return
        if self.apart:
            self.apart = False
            if text[0].isalnum() and self.last.isalnum():
                self._append_blank()
        style = (self.bold > 0, self.italic > 0, self.code > 0 and not self.pre, self.href)
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
        """Removes these characters, by default all white space, from the end."""
        while self.pieces:
            if text := self.pieces.pop().rstrip(characters):
                self.pieces.append(text)
                self.last = text[-1]
                return
        while self.spans:
            span = self.spans.pop()
            if text := span.text.rstrip(characters):
                self.style, self.pieces, self.last = span[1:], [text], text[-1]
                return
        self.last = ""

    def _ended(self) -> Spans:
        """Ends the current spans, and returns them."""
        if self.last.isspace():
            self._strip_end()
        self._end_span()
        spans, self.spans, self.last, self.apart = tuple(self.spans), [], "", False
        return spans

    # -- links ------------------------------------------------------------------------------------------------

    def _start_link(self, attributes: str) -> None:
        self.href = target(blocks.attribute(attributes, "href"))
        self.href_shown, self.href_label = False, ""

    def _end_link(self) -> None:
        """Ends the link. If it has no text (only an image, or nothing), it shows the image's description or else its
        address."""
        href, self.href = self.href, ""
        if not href or self.href_shown:
            return
        if self.last.isalnum():
            self._append_blank()
        self.href = href
        self._append(self.href_label or href)
        self.href, self.apart = "", True

    def _append_blank(self) -> None:
        """Adds a space outside any link."""
        href, self.href = self.href, ""
        self._append(" ")
        self.href = href

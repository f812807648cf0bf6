"""Draws rows of notes as lines of runs with roles; code has a background of its own and keeps its spaces."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from player.links.urls import shown
from player.notes import Code, Span, Table
from player.notes.blocks import split_lines, stripped, text_of
from player.notes.episode_links import is_address, site_of
from player.text.times import time_link, timestamps
from tui.drawing.cells import steady, width
from tui.drawing.line_ends import is_of_right_to_left
from tui.drawing.notes.notes_rows import Links, Row, RowKind, table
from tui.drawing.runs import Line, MidWord, Run, chop, width_of, wrap
from tui.look.glyphs import Glyphs

_LONGEST = 20_000
"""The most characters of code that are highlighted: 10 ms of work."""

_SIGNS_OF = (
    ("console", ("$ ", "pip install ", "npm install ", "git clone ", "sudo ", "brew install ")),
    ("python", ("import ", "from ", "def ", "async def ", "class ", "print(", "@", "with ", ">>> ")),
    ("javascript", ("const ", "let ", "function ", "export ", "console.log", "=>")),
    ("rust", ("fn ", "pub fn", "let mut ", "impl ", "use std")),
    ("go", ("package ", "func ")),
    ("c", ("#include", "int main")),
    ("sql", ("select ", "SELECT ", "INSERT ", "CREATE TABLE")),
    ("json", ('{"', '{\n  "', "[{")),
    ("html", ("<!DOCTYPE", "<html", "<div", "<a ")),
)
"""How lines begin in code of a language, for code that doesn't name its language. A wrong guess does no harm: it only
highlights some words."""

_ANY_SHELL = frozenset({"", "shell", "sh", "bash", "zsh", "terminal", "text"})
"""Names for code blocks that show terminal input, output, or both."""

Tint = tuple[str, str]
"""A text and its role."""


def tints_are_loaded() -> bool:
    """Whether code can be highlighted without first importing the highlighter, which takes 25 ms."""
    return "pygments.lexers.python" in sys.modules


def code(spans: Sequence[Span], columns: int, language: str = "", *, tinted: bool = True) -> Iterator[Line]:
    """Code in lines of `columns` cells; longer lines are broken."""
    room = columns - 2
    text = steady(text_of(spans).expandtabs(4))
    tints = _lines(_tints(text, language) if tinted else [(text, "")])
    links = split_lines(span._replace(text=steady(span.text.expandtabs(4))) for span in spans)
    for words, linked in zip(tints, links, strict=False):
        pieces = list(_overlaid(words, linked))
        for number, part in enumerate(chop("".join(piece.text for piece in pieces).rstrip(), room)):
            taken, pieces = _taken(pieces, len(part))
            if number and taken:
                taken[0] = MidWord(*taken[0])
            yield (Run(" ", "codeblock"), *taken, Run(" " * (room - width(part) + 1), "codeblock"))


def _overlaid(tinted: Sequence[Tint], linked: Sequence[Span]) -> Iterator[Run]:
    """A line split into runs, each with its highlighting and its link."""
    spans = iter(linked)
    text, href = "", ""
    for word, role in tinted:
        while word:
            while not text:
                span = next(spans, None)
                if span is None:
                    text, href = word, ""
                else:
                    text, href = span.text, span.href
            count = min(len(word), len(text))
            yield Run(word[:count], f"codeblock {role} link".strip() if href else f"codeblock {role}".strip(), href)
            word, text = word[count:], text[count:]


def _taken(pieces: Sequence[Run], count: int) -> tuple[list[Run], list[Run]]:
    """The first `count` characters, and the rest."""
    taken: list[Run] = []
    for index, piece in enumerate(pieces):
        if count <= len(piece.text):
            rest = [piece._replace(text=piece.text[count:])] if count < len(piece.text) else []
            return [*taken, piece._replace(text=piece.text[:count])], [*rest, *pieces[index + 1 :]]
        taken.append(piece)
        count -= len(piece.text)
    return taken, []


def _lines(tints: Sequence[Tint]) -> list[list[Tint]]:
    lines: list[list[Tint]] = [[]]
    for text, role in tints:
        first, *others = text.split("\n")
        lines[-1].append((first, role))
        lines += [[(other, role)] for other in others]
    return lines


# -- tints ----------------------------------------------------------------------------------------------------


def _tints(text: str, language: str) -> Sequence[Tint]:
    language = _guess(text) if language.lower() in _ANY_SHELL else language
    lexer = _lexer(language) if len(text) <= _LONGEST else None
    if lexer is None:
        return [(text, "")]
    from pygments.token import Comment, Generic, Keyword, Literal, Name, Operator

    roles = (
        (Comment, "comment"), (Keyword.Constant, "string"), (Keyword, "keyword"), (Operator.Word, "keyword"),
        (Literal, "string"), (Name.Tag, "keyword"), (Generic.Prompt, "comment"), (Generic.Output, "comment"),
    )  # fmt: skip
    tints: list[Tint] = []
    for token, word in lexer.get_tokens(text):
        role = next((role for kind, role in roles if token in kind), "")
        if tints and tints[-1][1] == role:
            tints[-1] = (tints[-1][0] + word, role)
        else:
            tints.append((word, role))
    joined = "".join(word for word, _ in tints)
    return tints if joined.removesuffix("\n") == text.removesuffix("\n") else [(text, "")]


@cache
def _lexer(language: str) -> Any:
    """Pygments' lexer for a language; None if there is none. Imported with the first code, in 30 ms."""
    if not language:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language.lower(), stripnl=False)
    except ClassNotFound:
        return None


def _guess(text: str) -> str:
    lines = [line.lstrip() for line in text.split("\n", 20)[:20]]
    for language, signs in _SIGNS_OF:
        if any(line.startswith(signs) for line in lines):
            return language
    return ""


_LEAST_TEXT = 16
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Drawing(Struct, frozen=True):
    glyphs: Glyphs
    links: Links
    duration_ms: int | None
    tinted: bool = True
    numbered: bool = True

    def lines(self, row: Row, columns: int, lead_cells: int) -> Iterable[Line]:
        match row.kind:
            case RowKind.HEADING:
                return wrap(self._pieces(row.spans, "heading"), columns)
            case RowKind.TEXT:
                return wrap(self._pieces(row.spans), columns)
            case RowKind.ITEM:
                return self._hung(self._bullet(row), self._pieces(row.spans), row.depth, columns, mirrors=True)
            case RowKind.TIME:
                lead = Run(row.mark, "time", row.href), Run(" " * (lead_cells - len(row.mark) + 2))
                return self._hung(lead, self._pieces(row.spans), row.depth, columns)
            case RowKind.LINK if not self.numbered:
                return wrap(self._pieces(row.spans), columns)
            case RowKind.LINK:
                number = str(self.links.numbers[row.href])
                lead = Run(number, "number", row.href), Run(" " * (lead_cells - len(number) + 2))
                return self._hung(lead, self._link(row), row.depth, columns)
            case RowKind.QUOTE:
                lines = wrap(self._pieces(row.spans, "quote"), columns - 2)
                return [(Run(self.glyphs.quote, "bar"), Run(" "), *line) for line in lines]
            case RowKind.CODE:
                language = row.block.language if isinstance(row.block, Code) else ""
                return code(row.spans, columns, language, tinted=self.tinted)
            case RowKind.TABLE:
                return table(row.block, columns, self.glyphs, self._pieces) if isinstance(row.block, Table) else ()
            case RowKind.RULE:
                return [(Run(self.glyphs.line_thin * min(columns, 24), "rule"),)]

    def between(self, before: Row, row: Row) -> Line:
        """The empty line between two rows; between two rows of a quote, it continues the bar."""
        return (Run(self.glyphs.quote, "bar"),) if before.kind is row.kind is RowKind.QUOTE else ()

    def _hung(
        self, lead: Line, text: Iterable[Run], depth: int, columns: int, *, mirrors: bool = False
    ) -> Iterator[Line]:
        """Text with a hanging indent after its lead. If the text is read from right to left, a lead that `mirrors` is
        on the right."""
        indent = min(2 * depth, max(0, columns - width_of(lead) - _LEAST_TEXT))
        hang = indent + width_of(lead)
        lines = wrap(text, columns - hang)
        at_right = mirrors and bool(lines) and is_of_right_to_left(lines[0])
        for index, line in enumerate(lines):
            if at_right:
                yield (*line, *lead[::-1]) if index == 0 else line
                continue
            start = (Run(" " * indent), *lead) if index == 0 else (Run(" " * hang),)
            yield (*start, *line)

    def _bullet(self, row: Row) -> Line:
        signs = (self.glyphs.bullet, self.glyphs.dash, self.glyphs.dot)
        return Run(row.mark or signs[min(row.depth, 2)], "muted"), Run(" ")

    def _link(self, row: Row) -> Iterator[Run]:
        """The text of a link's row, and its site unless the text is the address."""
        label = "".join(span.text for span in row.spans if span.href).strip()
        if is_address(label, row.href):
            yield Run(shown(label), "link", row.href)
            return
        for span in stripped(row.spans):
            role = _roles(span, "link" if span.href else "")
            yield Run(steady(span.text), role, span.href)
        yield Run(f"  {steady(site_of(row.href))}", "muted", "")

    def _pieces(self, spans: Sequence[Span], role: str = "") -> Iterator[Run]:
        """Spans of prose as runs: times link to their positions, and each link has its number at its end."""
        spans = stripped(tuple(spans))
        for index, span in enumerate(spans):
            ends = index + 1 == len(spans) or spans[index + 1].href != span.href
            if not span.href:
                yield from self._plain(span, role)
                continue
            text = shown(span.text) if is_address(span.text, span.href) else steady(span.text)
            yield Run(text, _roles(span, f"{role} link"), span.href)
            if ends and self.numbered:
                yield Run(self._raised(self.links.numbers[span.href]), "number", span.href)

    def _plain(self, span: Span, role: str) -> Iterator[Run]:
        text, at = steady(span.text), 0
        if not span.code:
            for time in timestamps(text, self.duration_ms):
                yield Run(text[at : time.start], _roles(span, role))
                yield Run(time.text, _roles(span, f"{role} time"), time_link(time.ms))
                at = time.end
        yield Run(text[at:], _roles(span, role))

    def _raised(self, number: int) -> str:
        return f"[{number}]" if not self.glyphs.rare else str(number).translate(_SUPERSCRIPT)


def _roles(span: Span, role: str) -> str:
    marks = (("bold", span.bold), ("italic", span.italic), ("code", span.code))
    return " ".join([*role.split(), *(name for name, on in marks if on)])

"""Code in notes: on a background of its own, with its spaces, its links, and some calm syntax highlighting."""

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from player.notes import Span
from player.notes.blocks import split_lines, text_of
from tui.drawing.cells import steady, width
from tui.drawing.runs import Line, MidWord, Run, chop

_LONGEST = 20_000
"""Characters of code that are highlighted: 10 ms of work."""

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
"""How code begins that doesn't name its language. A wrong guess only highlights a word too many."""

_ANY_SHELL = frozenset({"", "shell", "sh", "bash", "zsh", "terminal", "text"})
"""Names for code blocks that show terminal input, output, or both."""

Tint = tuple[str, str]
"""A text and its role."""


def tints_are_loaded() -> bool:
    """Whether code can be highlighted without first waiting 25 ms for the highlighter to load."""
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
    """One line split into runs, each with its highlighting and its link."""
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
    """Pygments' lexer for a language; None if there is none. Loaded with the first code, in 30 ms."""
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

"""Where each name of a TOML text stands. The standard library reads values, and says nothing of lines.

The text has been read by `tomllib` without an error: this only finds its way past strings, brackets and comments.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_BLANK = re.compile(r"[ \t\r]*")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_NAME = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'([^\'\n]*)\'|([A-Za-z0-9_-]+)')
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'{3}.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)

Name = tuple[str, ...]
"""`("playback", "engine")`."""


class Place(NamedTuple):
    """A line counts from 1. `start` and `end` are the offsets of what a name is set to, or of a section's header."""

    line: int
    start: int
    end: int


class Places(NamedTuple):
    sections: dict[Name, Place]
    values: dict[Name, Place]

    def line_of(self, name: Name) -> int | None:
        """The line of that name, or of what it is in; None where it isn't written anywhere."""
        for length in range(len(name), 0, -1):
            found = self.values.get(name[:length]) or self.sections.get(name[:length])
            if found is not None:
                return found.line
        return None


def places(text: str) -> Places:
    """Linear in the length of the text; never raises."""
    found = Places({}, {})
    section: Name = ()
    at, begin, line = 0, 0, 1
    while (at := _end(_GAP, text, at)) < len(text):
        line += text.count("\n", begin, at)
        begin = at
        is_header = text[at] == "["
        name, at = _names(text, at + (2 if text.startswith("[[", at) else 1) if is_header else at)
        if not name:
            at = _line_end(text, begin)
        elif is_header:
            section, at = name, _line_end(text, at)
            found.sections.setdefault(section, Place(line, begin, at))
        else:
            start = _end(_BLANK, text, at + 1)
            at = _value_end(text, start)
            found.values.setdefault((*section, *name), Place(line, start, at))
    return found


def _names(text: str, at: int) -> tuple[Name, int]:
    """The dotted name that begins there, and where it ends."""
    names: list[str] = []
    while match := _NAME.match(text, _end(_BLANK, text, at)):
        basic, literal, bare = match.groups()
        names.append(next(one for one in (basic, literal, bare) if one is not None))
        at = _end(_BLANK, text, match.end())
        if text[at : at + 1] != ".":
            break
        at += 1
    return tuple(names), at


def _value_end(text: str, at: int) -> int:
    """Where the value that begins there ends: at the end of its line, unless brackets or quotes are open."""
    depth, last = 0, at
    for kind, end in _tokens(text, at):
        if kind == "\n" or kind == "#":
            if not depth:
                return last
            continue
        depth += (kind in "[{") - (kind in "]}")
        if kind.strip():
            last = end
    return last


def _tokens(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The first letter of each token from there on, and where it ends."""
    while at < len(text):
        letter = text[at]
        match = _STRING.match(text, at) if letter in "\"'" else None
        end = match.end() if match else _line_end(text, at) if letter == "#" else at + 1
        yield letter, end
        at = end


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at

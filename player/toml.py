"""TOML as a person wrote it: where each name is, and changing or taking out one value in the text. The standard library
only reads values."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

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
    """A position. Lines count from 1. `start` and `end` are the offsets of the value of a name, or of a section's
    header."""

    line: int
    start: int
    end: int


class Places(NamedTuple):
    sections: dict[Name, Place]
    values: dict[Name, Place]

    def line_of(self, name: Name) -> int | None:
        """The line of that name, or of the section that contains it; None if it isn't written anywhere."""
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


_BARE = re.compile("[A-Za-z0-9_-]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def written(value: Any) -> str:
    """On one line: text, a whole number, a truth, a list or table of them."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(map(_letter, value)) + '"'
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{written_name((name,))} = {written(one)}" for name, one in value.items())
        return f"{{{inside}}}"
    return str(value)


def written_name(name: Name) -> str:
    """A dotted name; parts that need it are quoted."""
    return ".".join(one if _BARE.fullmatch(one) else written(one) for one in name)


def put(text: str, name: Name, value: Any) -> str:
    """The text with that value for `name`; if it has none yet, in a new line of its section.

    Raises ValueError if that can't be done without changing anything else (a table written in one line, say), and
    TOMLDecodeError, which is one, for a text that isn't TOML.
    """
    before = tomllib.loads(text)
    found = places(text)
    section, own = name[:-1], written_name(name[-1:])
    if (place := found.values.get(name)) is not None:
        changed = text[: place.start] + written(value) + text[place.end :]
    elif (header := found.sections.get(section)) is not None:
        at = _end_of_section(text, header, [one for key, one in found.values.items() if key[:-1] == section])
        changed = f"{text[:at]}\n{own} = {written(value)}{text[at:]}"
    else:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        changed = f"{text}{gap}[{written_name(section)}]\n{own} = {written(value)}\n"
    if _parsed(changed) != _with(before, name, value):
        raise ValueError(written_name(name))
    return changed


def take_out(text: str, name: Name) -> str:
    """The text without that name; the comment behind its value stays, in a line of its own. Raises as `put`."""
    before = tomllib.loads(text)
    if (place := places(text).values.get(name)) is None:
        changed = text
    else:
        start, end = text.rfind("\n", 0, place.start) + 1, _line_end(text, place.end)
        comment = text[place.end : end].strip()
        changed = f"{text[:start]}{comment}{text[end:]}" if comment else text[:start] + text[end + 1 :]
    if _filled(_parsed(changed) or {}) != _filled(_with(before, name, None)):
        raise ValueError(written_name(name))
    return changed


def _filled(table: dict[str, Any]) -> dict[str, Any]:
    """Without what is None, and without sections that have nothing in them."""
    found = {name: _filled(one) if isinstance(one, dict) else one for name, one in table.items()}
    return {name: one for name, one in found.items() if one is not None and one != {}}


def _end_of_section(text: str, header: Place, values: list[Place]) -> int:
    """The end of the line after which a new line belongs to the section: that of its last value."""
    at = max([header.end, *(one.end for one in values if one.start > header.start)])
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _with(table: dict[str, Any], name: Name, value: Any) -> dict[str, Any]:
    first, *rest = name
    if not rest:
        return {**table, first: list(value) if isinstance(value, tuple) else value}
    within = table.get(first, {})
    if not isinstance(within, dict):
        raise ValueError(written_name(name))
    return {**table, first: _with(within, tuple(rest), value)}


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _letter(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter

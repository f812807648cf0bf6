"""Text in roles, and how it is broken into lines: by cells, at words, never inside a grapheme."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

from tui.drawing.cells import graphemes


class Run(NamedTuple):
    """A run of text that looks alike. `role` names component classes, apart by spaces; `href` makes it a link."""

    text: str
    role: str = ""
    href: str = ""


Line = tuple[Run, ...]

_PROSE = re.compile(r"[ -~\xa1-\xac\xae-\u02ff\u0391-\u03a9\u03b1-\u03c9\u0410-\u044f‐-―‘-‟•…]+")
"""What is one cell a character, and is only broken at spaces."""
_LONG = 200
_SHORT = 19
_MANY_BLANKS = re.compile(" {3,}")
_TOKENS = re.compile(r"\n|[ \t]+|[^ \t\n]+")
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]")
_JOINT = re.compile(r"[\s/?&=_.+,(-](?=\w)")
_NOT_AT_START = frozenset("、。，．・：；？！）］｝」』】》〉〕ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々!),.:;?]}%’”")
_NOT_AT_END = frozenset("（［｛「『【《〈〔([{‘“")
_KANA = "".join(
    chr(code) for code in (*range(0x3041, 0x3097), *range(0x30A1, 0x30FB)) if chr(code) not in _NOT_AT_START
)
_FREE_RUN = re.compile(f"([\u3400-\u4dbf\u4e00-\u9fff{_KANA}]{{20,}})")
"""Wide characters, before and after each of which a line may end."""


def width_of(line: Iterable[Run]) -> int:
    """Cells that the pieces take."""
    return sum(cell_len(piece.text) for piece in line)


def wrap(pieces: Iterable[Run], width: int) -> list[Line]:
    """The pieces in lines of at most `width` cells. A newline in them ends a line; a word too long is cut."""
    width = max(2, width)
    lines: list[Line] = []
    line: list[Run] = []
    used = 0
    for word in _words(pieces):
        if word is None:
            lines.append(_joined(line))
            line, used = [], 0
            continue
        gap, parts, cells = word
        if cells < 0:
            fill = _fill if cells == _IS_PROSE else _fill_anywhere
            line, used = fill(lines, line, used, gap, parts[0], width)
            continue
        if used and used + len(gap.text) + cells > width:
            lines.append(_joined(line))
            line, used = [], 0
        if used and gap.text:
            line.append(gap)
            used += len(gap.text)
        if cells > width - used:
            *full, parts = _broken(parts, width - used, width)
            for head in full:
                lines.append(_joined([*line, *head]))
                line, used = [], 0
            cells = width_of(parts)
        line += parts
        used += cells
    lines.append(_joined(line))
    return lines


def chop(text: str, width: int) -> list[str]:
    """The text, spaces and all, in parts of at most `width` cells, rather cut where a word has a joint."""
    width = max(2, width)
    return ["".join(piece.text for piece in line) for line in _broken([Run(text)], width, width)]


def _fill(lines: list[Line], line: list[Run], used: int, gap: Run, prose: Run, width: int) -> tuple[list[Run], int]:
    """Words of one look, filled into lines a line at a time: ten times as fast as word by word."""
    text, role, href = prose
    at = 0
    while at < len(text):
        start = used + len(gap.text) if used else 0
        end = len(text)
        if end - at > width - start:
            end = text.rfind(" ", at, at + max(0, width - start) + 1)
            end = at + len(text[at:end].rstrip()) if end >= 0 else at
        if end == at and used:
            lines.append(_joined(line))
            line, used = [], 0
            continue
        if end == at:
            end = text.find(" ", at)
            end = len(text) if end < 0 else end
            *full, line = _broken([Run(text[at:end], role, href)], width, width)
            lines += map(_joined, full)
            used = width_of(line)
        else:
            line += [gap, Run(text[at:end], role, href)] if used and gap.text else [Run(text[at:end], role, href)]
            used = start + end - at
        at = end
        while at < len(text) and text[at] == " ":
            at += 1
        gap = Run(text[end:at], role, href)
    return line, used


def _fill_anywhere(
    lines: list[Line], line: list[Run], used: int, gap: Run, run: Run, width: int
) -> tuple[list[Run], int]:
    """The same for wide characters between which a line may end anywhere."""
    text, role, href = run
    if used and used + len(gap.text) + 2 > width:
        lines.append(_joined(line))
        line, used = [], 0
    if used and gap.text:
        line.append(gap)
        used += len(gap.text)
    at = 0
    while at < len(text):
        count = (width - used) // 2
        if part := text[at : at + count]:
            line.append(Run(part, role, href))
        used += 2 * len(part)
        at += count
        if at < len(text):
            lines.append(_joined(line))
            line, used = [], 0
    return line, used


_IS_PROSE, _IS_FREE = -1, -2
_Word = tuple[Run, list[Run], int]
_NO_GAP = Run("")


def _words(pieces: Iterable[Run]) -> Iterator[_Word | None]:
    """(the space before, the parts, their cells) of all that must stay together; None for the end of a line.

    Many words of one look come as one part of _IS_PROSE cells, many wide characters as one of _IS_FREE.
    """
    gap, parts = _NO_GAP, list[Run]()
    for text, role, href in pieces:
        if len(text) > _LONG and _PROSE.fullmatch(text) and (first := text.find(" ")) >= 0:
            if first:
                parts.append(Run(text[:first], role, href))
            if parts:
                yield gap, parts, width_of(parts)
                gap, parts = _NO_GAP, []
            words = text[first : text.rfind(" ")].strip(" ")
            if words:
                words = _MANY_BLANKS.sub("  ", words)
                yield Run(" " * min(2, _blanks(text, first)), role, href), [Run(words, role, href)], _IS_PROSE
            tail = text[text.rfind(" ") + 1 :]
            ending = len(text) - len(tail)
            gap = Run(" " * min(2, ending - len(text[:ending].rstrip(" "))), role, href)
            parts = [Run(tail, role, href)] if tail else []
            continue
        for token in _TOKENS.findall(text):
            if token == "\n" or token[0] in " \t":
                if parts:
                    yield gap, parts, width_of(parts)
                    gap, parts = _NO_GAP, []
                if token == "\n":
                    gap = _NO_GAP
                    yield None
                else:
                    gap = Run(" " * min(2, len(token)), role, href)
            elif token.isascii():
                parts.append(Run(token, role, href))
            else:
                for index, segment in enumerate(_FREE_RUN.split(token) if len(token) > _SHORT else [token]):
                    if index % 2:
                        if parts and parts[-1].text[-1:] in _NOT_AT_END:
                            parts.append(Run(segment[0], role, href))
                            segment = segment[1:]
                        if parts:
                            yield gap, parts, width_of(parts)
                            gap = _NO_GAP
                        yield gap, [Run(segment[:-1], role, href)], _IS_FREE
                        gap, parts = _NO_GAP, [Run(segment[-1], role, href)]
                        continue
                    chunks = _remembered(segment) if len(segment) <= _SHORT and not index else None
                    for chunk, free in chunks or _chunks(segment, after_wide=index > 0):
                        if free and parts:
                            yield gap, parts, width_of(parts)
                            gap, parts = _NO_GAP, []
                        parts.append(Run(chunk, role, href))
    if parts:
        yield gap, parts, width_of(parts)


def _blanks(text: str, start: int) -> int:
    """How many stand there in a row."""
    end = start
    while end < len(text) and text[end] == " ":
        end += 1
    return end - start


@lru_cache(4096)
def _remembered(token: str) -> tuple[tuple[str, bool], ...]:
    return tuple(_chunks(token))


def _chunks(token: str, *, after_wide: bool = False) -> Iterator[tuple[str, bool]]:
    """A word in parts, each with whether a line may end before it: between wide characters, as Chinese is set.

    Korean is wide too, but its words are kept whole.
    """
    if not token:
        return
    part, free, wide_before = "", False, after_wide
    for text, cells in graphemes(token):
        wide = cells == 2 and not _HANGUL.match(text)
        may_part = (wide or wide_before) and text[0] not in _NOT_AT_START and part[-1:] not in _NOT_AT_END
        if part and may_part:
            yield part, free
            part = ""
        if not part:
            free = may_part
        part += text
        wide_before = wide
    yield part, free


def _broken(parts: Iterable[Run], room: int, width: int) -> list[list[Run]]:
    """A word in lines, the first of at most `room` cells, the others of `width`. An address is rather cut after a
    slash, a dash, a dot."""
    lines: list[list[Run]] = [[]]
    left = room
    for text, role, href in parts:
        at = 0
        while (end := at + _fitting(text, at, left)) < len(text):
            joints = [found.end() for found in _JOINT.finditer(text, at + (end - at) // 2, end)]
            end = joints[-1] if joints else end
            if end > at:
                lines[-1].append(Run(text[at:end], role, href))
            at = end
            lines.append([])
            left = width
        if at < end:
            lines[-1].append(Run(text[at:], role, href))
            left -= cell_len(text[at:])
    return lines


def _fitting(text: str, start: int, room: int) -> int:
    """How many characters from `start` on fit into `room` cells; with room for any, one at least."""
    looked_at = room + 16
    window = text[start : start + looked_at]
    while cell_len(window) <= room and len(window) < len(text) - start:
        looked_at *= 2
        window = text[start : start + looked_at]
    if window.isascii() and window.isprintable():
        return min(room, len(window))
    at, left = 0, room
    for grapheme, cells in graphemes(window):
        if cells > left and (at or room < 2):
            return at
        left -= cells
        at += len(grapheme)
    return at


def _joined(line: list[Run]) -> Line:
    """The same with neighbours that look alike made one."""
    joined: list[Run] = []
    for piece in line:
        if joined and joined[-1][1:] == piece[1:]:
            joined[-1] = Run(joined[-1].text + piece.text, piece.role, piece.href)
        else:
            joined.append(piece)
    return tuple(joined)

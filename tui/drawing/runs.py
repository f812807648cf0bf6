"""Breaking text with roles into lines: by cells, at words, never inside a grapheme."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import accumulate, repeat

from rich.cells import cell_len, get_character_cell_size

from player.text.directions import has_right_to_left
from tui.drawing.cells import JOINED, graphemes
from tui.drawing.line_ends import NOT_AT_END, NOT_AT_START, chunks, last_end, next_end
from tui.drawing.line_ends import AfterSpace as AfterSpace
from tui.drawing.line_ends import Line as Line
from tui.drawing.line_ends import MidWord as MidWord
from tui.drawing.line_ends import Run as Run
from tui.drawing.line_ends import width_of as width_of

_AFTER_SPACE, _MID_WORD = AfterSpace(""), MidWord("")
"""Stand at the beginning of a broken line until `_joined` puts the line together."""

_PROSE = re.compile(r"[ -~\xa1-\xac\xae-\u02ff\u0391-\u03a9\u03b1-\u03c9\u0410-\u044f‐-―‘-‟•…]+")
"""Text of characters of one cell each, which is only broken at spaces."""
_LONG = 200
_SHORT = 19
_MANY_BLANKS = re.compile(" {3,}")
_LONG_LINE = re.compile(rf"(?<![^\n])[^\n]{{{_LONG + 1},}}")
_BLANKS = re.compile("[ \t]+")
_TOKENS = re.compile(r"\n|[ \t]+|[^ \t\n]+")
_NARROW = re.compile("[\0-\u10ff\u2010-\u2027]+")
"""Scripts without wide characters: their words are only broken if they are too long for a line."""
_JOINT = re.compile(r"[\s/?&=_.+,(-](?=\w)")


@cache
def _free_run() -> re.Pattern[str]:
    """Matches wide characters before and after which lines may be broken anywhere."""
    kana = "".join(
        chr(code) for code in (*range(0x3041, 0x3097), *range(0x30A1, 0x30FB)) if chr(code) not in NOT_AT_START
    )
    return re.compile(f"([\u3400-\u4dbf\u4e00-\u9fff{kana}]{{20,}})")


def wrap(pieces: Iterable[Run], width: int) -> list[Line]:
    """The runs in lines of at most `width` cells. Newlines end lines; a word that is too long is broken.

    The lines of a paragraph that is read from right to left are aligned to the right.
    """
    width = max(2, width)
    pieces = tuple(pieces)
    for piece in pieces:
        if not piece.text.isascii() and has_right_to_left(piece.text):
            from tui.drawing.line_ends import lines_of

            return lines_of(pieces, width, _wrap)
    return _wrap(pieces, width)


def _wrap(pieces: Iterable[Run], width: int) -> list[Line]:
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
            line, used = _FILL[cells](lines, line, used, gap, parts[0], width)
            continue
        if used and used + len(gap.text) + cells > width:
            lines.append(_joined(line))
            line, used = [_break_after(gap)], 0
        if used and gap.text:
            line.append(gap)
            used += len(gap.text)
        if cells > width - used:
            *full, parts = _broken(parts, width - used, width)
            for head in full:
                lines.append(_joined([*line, *head]))
                line, used = [_MID_WORD], 0
            cells = width_of(parts)
        line += parts
        used += cells
    lines.append(_joined(line))
    return lines


def wrap_facts(facts: Iterable[str], width: int, dot: str, role: str = "") -> list[Line]:
    """Short facts in lines, separated by dots. A fact that fits on a line of its own isn't broken."""
    lines: list[Line] = []
    line = ""
    for fact in facts:
        longer = f"{line} {dot} {fact}" if line else fact
        if line and cell_len(longer) > width:
            lines += wrap([Run(line, role)], width)
            longer = fact
        line = longer
    return [*lines, *wrap([Run(line, role)], width)] if line else lines


def chop(text: str, width: int) -> list[str]:
    """The text, spaces included, in parts of at most `width` cells, preferably broken after spaces or punctuation."""
    width = max(2, width)
    return ["".join(piece.text for piece in line) for line in _broken([Run(text)], width, width)]


def _fill(lines: list[Line], line: list[Run], used: int, gap: Run, prose: Run, width: int) -> tuple[list[Run], int]:
    """Breaks words of one style into lines, a line at a time, which is ten times as fast as word by word."""
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
            line, used = [_break_after(gap)], 0
            continue
        if end == at:
            end = text.find(" ", at)
            end = len(text) if end < 0 else end
            line, used = _add_broken(lines, line, Run(text[at:end], role, href), width)
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
    """As `_fill`, for wide characters between which lines may be broken anywhere."""
    text, role, href = run
    if used and used + len(gap.text) + 2 > width:
        lines.append(_joined(line))
        line, used = [_break_after(gap)], 0
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
            line, used = [_MID_WORD], 0
    return line, used


def _fill_mixed(lines: list[Line], line: list[Run], used: int, gap: Run, run: Run, width: int) -> tuple[list[Run], int]:
    """As `_fill`, for any other text: measures how much fits into a line, and breaks it where a line may be broken."""
    text, role, href = run
    at = 0
    while at < len(text):
        start = used + len(gap.text) if used else 0
        end = at + _fitting(text, at, width - start) if start <= width else at
        if end < len(text):
            end = last_end(text, at, end)
        if end == at and used:
            lines.append(_joined(line))
            line, used = [_break_after(gap)], 0
            continue
        if end == at:
            end = next_end(text, at)
            line, used = _add_broken(lines, line, Run(text[at:end], role, href), width)
        else:
            line += [gap, Run(text[at:end], role, href)] if used and gap.text else [Run(text[at:end], role, href)]
            used = start + cell_len(text[at:end])
        at = end
        while at < len(text) and text[at] == " ":
            at += 1
        gap = Run(text[end:at], role, href)
    return line, used


def _break_after(gap: Run) -> Run:
    """The marker for the beginning of a line that was broken at `gap`."""
    return _AFTER_SPACE if gap.text else _MID_WORD


def _add_broken(lines: list[Line], line: list[Run], word: Run, width: int) -> tuple[list[Run], int]:
    """Adds a word that is too long for a line; `line` is empty except for its marker."""
    *full, last = _broken([word], width, width)
    for part in full:
        lines.append(_joined([*line, *part]))
        line = [_MID_WORD]
    return [*line, *last], width_of(last)


_IS_PROSE, _IS_FREE, _IS_MIXED = -1, -2, -3
_FILL = {_IS_PROSE: _fill, _IS_FREE: _fill_anywhere, _IS_MIXED: _fill_mixed}
_Word = tuple[Run, list[Run], int]
_NO_GAP = Run("")


def _words(pieces: Iterable[Run]) -> Iterator[_Word | None]:
    """Yields (the space before, the parts, their cells) of each unit that must stay together; None for the end of a
    line.

    Many words of one style are yielded as one part with `_IS_PROSE` or `_IS_MIXED` as its cells, many wide characters
    with `_IS_FREE`.
    """
    gap, parts = _NO_GAP, list[Run]()
    for text, role, href in pieces:
        for token, kind in _tokens(text):
            if kind:
                yield gap, [Run(token, role, href)], kind
            elif token == "\n" or token[0] in " \t":
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
                for part, free, kind in _parts(token, parts[-1].text[-1] if parts else ""):
                    if free and parts:
                        yield gap, parts, width_of(parts)
                        gap, parts = _NO_GAP, []
                    if kind:
                        yield gap, [Run(part, role, href)], kind
                        gap = _NO_GAP
                    else:
                        parts.append(Run(part, role, href))
    if parts:
        yield gap, parts, width_of(parts)


def _tokens(text: str) -> Iterable[tuple[str, int]]:
    """Line ends, blanks and words, each with its kind (0); in a long text, the part between the first and last blank is
    one token with a kind of its own."""
    if len(text) > _LONG and _PROSE.fullmatch(text):
        return _with_middle(text, _IS_PROSE)
    if len(text) > _LONG and not JOINED.search(text):
        return _by_lines(text)
    return zip(_TOKENS.findall(text), repeat(0))


def _by_lines(text: str) -> Iterator[tuple[str, int]]:
    at = 0
    for found in _LONG_LINE.finditer(text):
        yield from zip(_TOKENS.findall(text, at, found.start()), repeat(0))
        yield from _with_middle(found[0], _IS_MIXED)
        at = found.end()
    yield from zip(_TOKENS.findall(text, at), repeat(0))


def _with_middle(line: str, kind: int) -> Iterable[tuple[str, int]]:
    first, last = _BLANKS.search(line), max(line.rfind(" "), line.rfind("\t"))
    middle = line[first.end() : last].rstrip(" \t") if first else ""
    if not first or not middle:
        return zip(_TOKENS.findall(line), repeat(0))
    blanks_after = line[first.end() + len(middle) : last + 1]
    middle = _MANY_BLANKS.sub("  ", middle.replace("\t", " "))
    tokens = ((line[: first.start()], 0), (first[0], 0), (middle, kind), (blanks_after, 0), (line[last + 1 :], 0))
    return (token for token in tokens if token[0])


def _parts(word: str, before: str) -> Iterator[tuple[str, bool, int]]:
    """The parts of a word that isn't ASCII and follows the character `before`.

    Yields each with whether a line may be broken before it and, if also within it, its kind.
    """
    for index, segment in enumerate(_free_run().split(word) if len(word) > _SHORT else [word]):
        if index % 2:
            wide = segment
            if before in NOT_AT_END:
                yield wide[0], False, 0
                wide = wide[1:]
            yield wide[:-1], True, _IS_FREE
            yield wide[-1], True, 0
        elif not index and _NARROW.fullmatch(segment):
            yield segment, False, 0
        elif len(segment) > _LONG and not JOINED.search(segment):
            first = next_end(segment, 0)
            last = last_end(segment, first, len(segment) - 1) if first < len(segment) else first
            yield from ((part, free, 0) for part, free in chunks(segment[:first], after_wide=index > 0))
            if first < last:
                yield segment[first:last], True, _IS_MIXED
            if last < len(segment):
                yield segment[last:], True, 0
        else:
            short = len(segment) <= _SHORT and not index
            for part, free in _remembered(segment) if short else chunks(segment, after_wide=index > 0):
                yield part, free, 0
        before = segment[-1:] or before


@lru_cache(4096)
def _remembered(token: str) -> tuple[tuple[str, bool], ...]:
    return tuple(chunks(token))


def _broken(parts: Iterable[Run], room: int, width: int) -> list[list[Run]]:
    """A word broken into lines, the first of at most `room` cells, the others of at most `width`.

    An address is preferably broken after punctuation such as a slash, a dash or a dot.
    """
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
    """The number of characters from `start` on that fit into `room` cells; at least one if there is room for any."""
    looked_at = room + 16
    window = text[start : start + looked_at]
    while cell_len(window) <= room and len(window) < len(text) - start:
        looked_at *= 2
        window = text[start : start + looked_at]
    if window.isascii() and window.isprintable():
        return min(room, len(window))
    if not JOINED.search(window):
        return bisect_right(list(accumulate(map(get_character_cell_size, window))), room)
    at, left = 0, room
    for grapheme, cells in graphemes(window):
        if cells > left and (at or room < 2):
            return at
        left -= cells
        at += len(grapheme)
    return at


def _joined(line: list[Run]) -> Line:
    """The runs with adjacent ones of the same style joined; the first run of a broken line becomes an `AfterSpace` or a
    `MidWord`."""
    joined: list[Run] = []
    mark: Run | None = None
    for piece in line:
        if piece is _AFTER_SPACE or piece is _MID_WORD:
            mark = piece
        elif joined and joined[-1][1:] == piece[1:]:
            joined[-1] = Run(joined[-1].text + piece.text, piece.role, piece.href)
        else:
            joined.append(piece)
    if mark is not None and joined:
        joined[0] = type(mark)(*joined[0])
    return tuple(joined)

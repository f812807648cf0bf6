"""Where lines may be broken, in any script, and paragraphs that are read from right to left."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, get_character_cell_size

from player.text.directions import LRI, LRM, MARKS, OPENERS, PDI, RLI, has_right_to_left, is_right_to_left
from tui.drawing.cells import graphemes


class Run(NamedTuple):
    """A run of text in one style. `role` names component classes, separated by spaces; `href` makes it a link."""

    text: str
    role: str = ""
    href: str = ""


class AfterSpace(Run):
    """The first run of a line that continues the line before it, after a space. It equals a plain `Run`; when text is
    copied, it marks where a paragraph was only broken to fit (`tui/drawing/selected_text.py`)."""

    __slots__ = ()


class MidWord(Run):
    """The first run of a line that continues the line before it within a word, or within text without spaces."""

    __slots__ = ()


Line = tuple[Run, ...]


def width_of(line: Iterable[Run]) -> int:
    """The number of cells that the runs take."""
    return sum(cell_len(piece.text) for piece in line)


NOT_AT_START = frozenset("、。，．・：；？！）］｝」』】》〉〕ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々!),.:;?]}%’”")
NOT_AT_END = frozenset("（［｛「『【《〈〔([{‘“")


def chunks(token: str, *, after_wide: bool = False) -> Iterator[tuple[str, bool]]:
    """Splits a word into parts; yields each with whether a line may be broken before it.

    Hangul is wide too, but its words aren't broken.
    """
    if not token:
        return
    start, at, free, wide_before = 0, 0, False, after_wide
    for text, cells in graphemes(token):
        wide = cells == 2 and not _is_hangul(text[0])
        before = token[at - 1] if at > start else ""
        may_part = (wide or wide_before) and text[0] not in NOT_AT_START and before not in NOT_AT_END
        if at > start and may_part:
            yield token[start:at], free
            start = at
        if at == start:
            free = may_part
        at += len(text)
        wide_before = wide
    yield token[start:], free


def last_end(text: str, start: int, end: int) -> int:
    """The last position after `start`, up to `end`, where a line may be broken; `start` if there is none.

    This and `next_end` expect a text in which each grapheme is a character with its combining marks, and all blanks are
    spaces.
    """
    if text[end] != " ":
        while end > start and text[end - 1] != " " and not _may_end(text, end):
            end -= 1
    while end > start and text[end - 1] == " ":
        end -= 1
    return end


def next_end(text: str, start: int) -> int:
    """The next position after `start` where a line may be broken."""
    end = start + 1
    while end < len(text) and text[end] != " " and not _may_end(text, end):
        end += 1
    return end


def _may_end(text: str, at: int) -> bool:
    """Whether a line may be broken before the character `at`, within a word: as in `chunks`, for a single position."""
    cells = get_character_cell_size(text[at])
    if not cells or text[at] in NOT_AT_START or text[at - 1] in NOT_AT_END:
        return False
    before = at - 1
    while before and not get_character_cell_size(text[before]):
        before -= 1
    return _is_wide(text[at]) or _is_wide(text[before])


def _is_wide(character: str) -> bool:
    return get_character_cell_size(character) == 2 and not _is_hangul(character)


def _is_hangul(character: str) -> bool:
    return (
        "\uac00" <= character <= "\ud7ff"
        or "\u1100" <= character <= "\u11ff"
        or "\u3130" <= character <= "\u318f"
        or "\ua960" <= character <= "\ua97f"
    )


Wrap = Callable[[Iterable[Run], int], list[Line]]


def lines_of(runs: Sequence[Run], width: int, wrap: Wrap) -> list[Line]:
    """The runs in lines of at most `width` cells. An isolate that is broken stays isolated on each of its lines."""
    lines: list[Line] = []
    for paragraph in _paragraphs(runs):
        text = "".join(run.text for run in paragraph)
        found = _closed(wrap(paragraph, width))
        if is_right_to_left(text):
            lines += (_ending_at(width, line) for line in found)
        elif has_right_to_left(text):
            lines += (marked(line, LRI) for line in found)
        else:
            lines += found
    return lines


def is_of_right_to_left(line: Line) -> bool:
    """Whether a line belongs to a paragraph that is read from right to left."""
    return next((run.text for run in line if run.text.strip(" ")), "").startswith(RLI)


def marked(line: Line, opener: str) -> Line:
    """The line as an isolate, with the direction of `opener`."""
    if not line:
        return line
    line = (line[0]._replace(text=opener + line[0].text), *line[1:])
    return (*line[:-1], line[-1]._replace(text=line[-1].text + PDI + LRM))


def _closed(lines: Iterable[Line]) -> list[Line]:
    """The lines, with each isolate that continues on the next line closed at the line's end and opened again there."""
    closed: list[Line] = []
    opened = ""
    for line in lines:
        before = opened
        runs: list[Run] = []
        for run in line:
            pieces = []
            for piece in MARKS.split(run.text):
                if piece in OPENERS:
                    opened += piece
                elif piece == PDI:
                    piece = PDI if opened else ""
                    opened = opened[:-1]
                elif MARKS.match(piece):
                    piece = ""
                pieces.append(piece)
            runs.append(run._replace(text="".join(pieces)))
        if runs:
            runs[0] = runs[0]._replace(text=before + runs[0].text)
            runs[-1] = runs[-1]._replace(text=runs[-1].text + PDI * len(opened))
        closed.append(tuple(runs))
    return closed


def _ending_at(width: int, line: Line) -> Line:
    space = width - width_of(line)
    shown = marked(line, RLI)
    return (Run(" " * space), *shown) if space > 0 and shown else shown


def _paragraphs(runs: Sequence[Run]) -> list[list[Run]]:
    paragraphs: list[list[Run]] = [[]]
    for text, role, href in runs:
        for number, part in enumerate(text.split("\n")):
            if number:
                paragraphs.append([])
            if part:
                paragraphs[-1].append(Run(part, role, href))
    return paragraphs

"""Paragraphs of which some are read from right to left: each begins at its reader's side, in an order of its own."""

from collections.abc import Callable, Iterable, Sequence

from player.text.directions import LRI, LRM, MARKS, OPENERS, PDI, RLI, has_right_to_left, is_right_to_left
from tui.drawing.run import Line, Run, width_of

Wrap = Callable[[Iterable[Run], int], list[Line]]


def lines_of(runs: Sequence[Run], width: int, wrap: Wrap) -> list[Line]:
    """The runs in lines of at most `width` cells. A text of its own in a paragraph stays one on each of its lines."""
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
    """Whether a line is one of a paragraph that is read from right to left."""
    return next((run.text for run in line if run.text.strip(" ")), "").startswith(RLI)


def marked(line: Line, opener: str) -> Line:
    """The line as a text of its own, whose direction `opener` says."""
    if not line:
        return line
    line = (line[0]._replace(text=opener + line[0].text), *line[1:])
    return (*line[:-1], line[-1]._replace(text=line[-1].text + PDI + LRM))


def _closed(lines: Iterable[Line]) -> list[Line]:
    """The lines, with each isolate that goes on in the next line closed at the end of one and opened again there."""
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

"""Paragraphs of which some are read from right to left: each begins at its reader's side, in an order of its own."""

from collections.abc import Callable, Iterable, Sequence

from player.text.directions import LRI, LRM, PDI, RLI, has_right_to_left, is_right_to_left, without_marks
from tui.drawing.run import Line, Run, width_of

Wrap = Callable[[Iterable[Run], int], list[Line]]


def lines_of(runs: Sequence[Run], width: int, wrap: Wrap) -> list[Line]:
    """The runs in lines of at most `width` cells. A text within a paragraph is no text of its own: its marks go."""
    lines: list[Line] = []
    for paragraph in _paragraphs(runs):
        text = "".join(run.text for run in paragraph)
        found = wrap(paragraph, width)
        if is_right_to_left(text):
            lines += (_ending_at(width, line) for line in found)
        elif has_right_to_left(text):
            lines += (marked(line, LRI) for line in found)
        else:
            lines += found
    return lines


def is_of_right_to_left(line: Line) -> bool:
    """Whether a line is one of a paragraph that is read from right to left."""
    return any(run.text.startswith(RLI) for run in line[:2])


def marked(line: Line, opener: str) -> Line:
    """The line as a text of its own, whose direction `opener` says."""
    if not line:
        return line
    line = (line[0]._replace(text=opener + line[0].text), *line[1:])
    return (*line[:-1], line[-1]._replace(text=line[-1].text + PDI + LRM))


def _ending_at(width: int, line: Line) -> Line:
    space = width - width_of(line)
    shown = marked(line, RLI)
    return (Run(" " * space), *shown) if space > 0 and shown else shown


def _paragraphs(runs: Sequence[Run]) -> list[list[Run]]:
    paragraphs: list[list[Run]] = [[]]
    for text, role, href in runs:
        for number, part in enumerate(without_marks(text).split("\n")):
            if number:
                paragraphs.append([])
            if part:
                paragraphs[-1].append(Run(part, role, href))
    return paragraphs

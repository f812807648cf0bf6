"""Lines of text in a dialog."""

from collections.abc import Sequence

from textual.widgets import Static

from tui.drawing.cells import steady


def lines_of(lines: Sequence[str]) -> list[Static]:
    """Each keeps its indent where it is wrapped. What isn't indented stands out."""
    return [_line(line, len(line) - len(line.lstrip(" "))) for line in lines]


def _line(line: str, indent: int) -> Static:
    shown = Static(steady(line.strip()), classes="" if indent else "strong", markup=False)
    shown.styles.height = "auto"
    shown.styles.padding = (0, 0, 0, indent)
    return shown

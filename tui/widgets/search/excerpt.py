"""Where the words of a search were found in an episode."""

from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from player.library.search.search import Passage
from player.model.filters import Term
from player.text.durations import clock
from tui.widgets.search.found_list import marked
from tui.widgets.virtual_list import wrapped

LINES = 2


class Excerpt(Widget):
    """A few lines of the notes around the first word that was found, or of the transcript with their time."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"excerpt--text", "excerpt--mark"}
    DEFAULT_CSS = f"""
    Excerpt {{
        height: {LINES};
        color: $muted;
        & > .excerpt--text {{ color: $muted; }}
        & > .excerpt--mark {{ color: $accent; text-style: bold; }}
    }}
    """

    def __init__(self) -> None:
        super().__init__()
        self._time = ""
        self._text = ""
        self._terms: tuple[Term, ...] = ()

    def show(self, passage: Passage, terms: tuple[Term, ...]) -> None:
        self._time = "" if passage.at_ms is None else clock(passage.at_ms)
        self._text, self._terms = f"{self._time} {passage.text}".strip(), terms
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        lines = wrapped(self._text, width)
        line = lines[y] if y < len(lines) else ""
        text, mark = (self.get_component_rich_style(f"excerpt--{name}", partial=True) for name in ("text", "mark"))
        lead = self._time if y == 0 else ""
        segments = [Segment(lead, mark), *marked(line[len(lead) :], self._terms, text, mark)]
        return Strip(segments).apply_style(self.rich_style).adjust_cell_length(width, self.rich_style)

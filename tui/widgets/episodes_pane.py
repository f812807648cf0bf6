"""The pane of the list: its title, what is wrong with it, the filter, and the episodes."""

from collections.abc import Callable
from datetime import date
from typing import ClassVar

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from player.library import Fetch
from tui.drawing import cells
from tui.framework.messages import FieldMessage
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of
from tui.widgets.reorderable_list import ReorderableList


class PaneHead(Widget):
    """A title with a few muted words beside it and, if something is wrong, a sentence below."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "head--title", "head--facts", "head--title-lit", "head--facts-lit", "head--trouble",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._title = ""
        self._facts: tuple[str, ...] = ()
        self._trouble = ""
        self._lit = False

    def light_up(self, lit: bool) -> None:
        """Shows whether the pane has the focus. A style sheet can't do it: a change of the parent's focus redraws
        nothing."""
        if lit != self._lit:
            self._lit = lit
            self.refresh()

    def show(self, title: str, facts: tuple[str, ...], trouble: str) -> None:
        """`facts` are ordered from long to short; the first that fits is shown."""
        if (title, facts, trouble) == (self._title, self._facts, self._trouble):
            return
        self._title, self._facts, self._trouble = title, facts, trouble
        self.set_class(bool(trouble), "-trouble")
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        ground = self.rich_style
        pieces = self._first_line(width) if y == 0 else [("trouble", self._cut(self._trouble, width))] if y == 1 else []
        segments = [
            Segment(text, self.get_component_rich_style(f"head--{role}", partial=True)) for role, text in pieces
        ]
        return Strip(segments).apply_style(ground).adjust_cell_length(width, ground)

    def _first_line(self, width: int) -> list[tuple[str, str]]:
        room = width - cells.width(self._title) - 2
        facts = next((words for words in self._facts if cells.width(words) <= room), "")
        lit = "-lit" if self._lit else ""
        return [(f"title{lit}", self._cut(self._title, width)), (f"facts{lit}", f"  {facts}" if facts else "")]

    def _cut(self, text: str, width: int) -> str:
        return cells.cut(text, width, glyphs_of(self.app).ellipsis)


class EpisodesPane(Vertical):
    """Posts `EpisodesPane.Filtered` whenever the filter changes; the screen supplies the episodes."""

    class Filtered(FieldMessage):
        text: str

    def __init__(self, fetch: Fetch, today: Callable[[], date], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.episodes = ReorderableList(fetch, today, id="episodes")
        self._head = PaneHead()
        self._input = Input(id="filter", compact=True, select_on_focus=False, max_length=MOST_LETTERS)

    def compose(self) -> ComposeResult:
        yield self._head
        with Horizontal(id="filter-line"):
            yield Static("/", id="filter-sign")
            yield self._input
        yield self.episodes

    def on_descendant_focus(self) -> None:
        self._head.light_up(True)

    def on_descendant_blur(self) -> None:
        self._head.light_up(False)

    def show_head(self, title: str, facts: tuple[str, ...], trouble: str) -> None:
        self._head.show(title, facts, trouble)

    # -- the filter -------------------------------------------------------------------------------------------

    @property
    def filtering(self) -> bool:
        """Whether the list is filtered, or a filter is being typed."""
        return self.has_class("-filtering")

    @property
    def words(self) -> str:
        """The words of the filter."""
        return self._input.value.strip()

    @property
    def typing(self) -> bool:
        return self._input.has_focus

    def open_filter(self, placeholder: str) -> None:
        self._input.placeholder = placeholder
        self.add_class("-filtering")
        self._input.focus()

    def close_filter(self) -> None:
        """Ends the filter; posts `Filtered` if there were words in it."""
        had_words = bool(self._input.value)
        with self.prevent(Input.Changed):
            self._input.value = ""
        self.remove_class("-filtering")
        if had_words:
            self.post_message(self.Filtered(""))

    def drop_filter(self) -> None:
        """Ends the filter without posting `Filtered`, because another view is about to be shown."""
        with self.prevent(Input.Changed):
            self._input.value = ""
        self.remove_class("-filtering")

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Filtered(self.words))

    @on(Input.Submitted, "#filter")
    def _kept(self) -> None:
        """Ends an empty filter. The screen then moves the focus to the list."""
        if not self.words:
            self.close_filter()

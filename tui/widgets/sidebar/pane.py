"""The sidebar, with a field above it to type the name of a podcast."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from player.text.sentences import _
from tui.framework.input_limits import MOST_LETTERS
from tui.framework.messages import FieldMessage
from tui.widgets.sidebar.sidebar import Sidebar


class SidebarPane(Vertical):
    """Posts `SidebarPane.Filtered` whenever the typed text changes; the screen then filters the rows.

    If the pane filtered them itself, while handling a message, the messages of the rows would get no further than here.
    """

    class Filtered(FieldMessage):
        text: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = Sidebar(id="sidebar")
        self._input = Input(
            placeholder=_("Filter podcasts"),
            id="name-filter",
            compact=True,
            select_on_focus=False,
            max_length=MOST_LETTERS,
        )

    def compose(self) -> ComposeResult:
        with Horizontal(id="name-filter-line"):
            yield Static("/", id="name-filter-sign")
            yield self._input
        yield self.rows

    @property
    def filtering(self) -> bool:
        """Whether the podcasts are filtered, or a name is being typed."""
        return self.has_class("-filtering")

    @property
    def typing(self) -> bool:
        return self._input.has_focus

    def open_filter(self) -> None:
        self.add_class("-filtering")
        self._input.focus()

    def close_filter(self) -> None:
        """Ends the filter; the cursor returns to where it was."""
        self._hide()
        self.rows.filter("")

    def choose(self) -> bool:
        """Ends the filter with the cursor on the podcast that was found; False, without a change, if none was."""
        if not self.rows.found:
            return False
        self._hide()
        self.rows.end_filter()
        return True

    def drop_filter(self) -> None:
        """Ends the filter, because the cursor is about to go somewhere else."""
        self._hide()
        self.rows.end_filter()

    def _hide(self) -> None:
        with self.prevent(Input.Changed):
            self._input.value = ""
        self.remove_class("-filtering")

    @on(Input.Changed, "#name-filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Filtered(self._input.value.strip()))

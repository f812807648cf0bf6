"""The three panes: which of them has the focus, and how they share the width."""

from collections.abc import Callable

from tui.actions.table import Focus
from tui.controllers.arrangement import Arrangement, Pair, arrange, pair_for

_ORDER = (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES)


class PanesController:
    """Knows which pane has the focus; resizing never changes that.

    `columns` is the width of the terminal, `share_out` lays the panes out, `give_focus` hands the keys to a pane.
    """

    def __init__(
        self,
        columns: Callable[[], int],
        share_out: Callable[[Arrangement], None],
        give_focus: Callable[[Focus], None],
    ) -> None:
        self._columns = columns
        self._share_out = share_out
        self._give_focus = give_focus
        self.focus = Focus.EPISODES
        self._pair = Pair.LEFT

    def arrange(self) -> None:
        """Shares the width out. The pane with the focus is always among those shown."""
        self._pair = pair_for(self.focus, self._pair)
        self._share_out(arrange(self._columns(), self.focus, self._pair))

    def focused(self, where: Focus) -> None:
        """The focus has come there, as by a click; a filter is part of the episodes."""
        self.focus = Focus.EPISODES if where is Focus.FILTER else where
        self.arrange()

    def go_to(self, where: Focus) -> None:
        self.focus = where
        self.arrange()
        self._give_focus(where)

    # -- keys -------------------------------------------------------------------------------------------------

    def left(self) -> None:
        self._step(-1)

    def right(self) -> None:
        self._step(1)

    def _step(self, by: int) -> None:
        place = _ORDER.index(self.focus) + by
        if 0 <= place < len(_ORDER):
            self.go_to(_ORDER[place])

    def next(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self.focus) + 1) % len(_ORDER)])

    def previous(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self.focus) - 1) % len(_ORDER)])

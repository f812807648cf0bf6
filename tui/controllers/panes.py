"""The three panes: which of them has the focus, and whether it has the screen for itself."""

from collections.abc import Callable

from player.text.sentences import _
from tui.actions.action import Focus
from tui.controllers.pane_widths import (
    Arrangement,
    Changes,
    Pair,
    alone,
    arrange,
    has_room_for_two,
    pair_for,
    placed,
    usual_widths,
    widened,
)

_ORDER = (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES)
_STEP = 2
"""Cells by which a key makes a pane wider or narrower."""


class PanesController:
    """Knows which pane has the focus; resizing never changes that.

    `columns` is the width of the terminal, `share_out` lays the panes out, `give_focus` focuses a pane, `say` shows a
    sentence. `remembered` are the widths of an earlier start, and `remember` keeps them for the next.
    """

    def __init__(
        self,
        columns: Callable[[], int],
        share_out: Callable[[Arrangement], None],
        give_focus: Callable[[Focus], None],
        *,
        say: Callable[[str], None] = lambda _words: None,
        key_of: Callable[[str], str] = lambda action_id: action_id,
        remembered: str = "",
        remember: Callable[[str], None] = lambda _widths: None,
    ) -> None:
        self._columns = columns
        self._share_out = share_out
        self._give_focus = give_focus
        self._say = say
        self._key_of = key_of
        self._remember = remember
        self.focus = Focus.EPISODES
        self._pair = Pair.LEFT
        self._changes = Changes.read(remembered)
        self.focus_mode = False
        """Whether the pane with the focus has the screen for itself."""

    def arrange(self) -> None:
        """Lays out the panes. The one with the focus is always shown."""
        self._pair = pair_for(self.focus, self._pair)
        self._share_out(self.arrangement)

    @property
    def arrangement(self) -> Arrangement:
        """How the panes share the width."""
        if self.focus_mode:
            return alone(self._columns(), self.focus)
        return arrange(self._columns(), self.focus, self._pair, self._changes)

    def focused(self, where: Focus) -> None:
        """The focus has moved there, for example by a click; a filter belongs to the list that it filters."""
        self.focus = {Focus.FILTER: Focus.EPISODES, Focus.SIDEBAR_FILTER: Focus.SIDEBAR}.get(where, where)
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
        index = _ORDER.index(self.focus) + by
        if 0 <= index < len(_ORDER):
            self.go_to(_ORDER[index])

    def next(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self.focus) + 1) % len(_ORDER)])

    def previous(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self.focus) - 1) % len(_ORDER)])

    # -- focus mode -------------------------------------------------------------------------------------------

    def toggle_focus_mode(self) -> None:
        if self.leave_focus_mode():
            return
        if not has_room_for_two(self._columns()):
            self._say(_("This terminal shows one pane at a time"))
            return
        self.focus_mode = True
        self.arrange()
        self._say(
            _(
                "This pane alone. {key} or {back} shows all panes.",
                key=self._key_of("focus_mode"),
                back=self._key_of("back"),
            )
        )

    def leave_focus_mode(self) -> bool:
        """Shows the other panes again; False if they are shown."""
        if not self.focus_mode:
            return False
        self.focus_mode = False
        self.arrange()
        return True

    # -- widths -----------------------------------------------------------------------------------------------

    def narrower(self) -> None:
        self._widen(-_STEP)

    def wider(self) -> None:
        self._widen(_STEP)

    def _widen(self, by: int) -> None:
        width, before = self._columns(), self.arrangement
        if self.focus_mode or not has_room_for_two(width):
            self._say(_("Only one pane is shown"))
            return
        self._changes = widened(width, self.focus, self._pair, self._changes, by)
        if self.arrangement == before:
            self._say(_("This pane can't get wider") if by > 0 else _("This pane can't get narrower"))
            return
        self.arrange()
        self.keep_widths()

    def reset(self) -> None:
        """Gives the panes the widths that they have by themselves."""
        self._changes = usual_widths(self._columns(), self._changes)
        self.arrange()
        self.keep_widths()
        self._say(_("Panes have their usual widths"))

    def drag(self, pane: Focus, column: int) -> None:
        """Moves the edge between two panes to that column; `pane` is the one to the right of it."""
        width = self._columns()
        if pane is Focus.NOTES:
            self._changes = placed(width, self._pair, self._changes, notes=width - column)
        else:
            self._changes = placed(width, self._pair, self._changes, sidebar=column)
        self.arrange()

    def keep_widths(self) -> None:
        """For the next start."""
        self._remember(self._changes.written)

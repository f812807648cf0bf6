"""Which pane has the keys, and how the width is shared."""

from tui.actions.action import Focus
from tui.controllers.panes import Arrangement, PanesController


class Panes:
    """What a controller of panes did to them."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.shared: list[Arrangement] = []
        self.focused: list[Focus] = []
        self.controller = PanesController(lambda: self.columns, self.shared.append, self.focused.append)

    @property
    def shown(self) -> list[str]:
        last = self.shared[-1]
        return [name for name in ("sidebar", "episodes", "notes") if getattr(last, name)]


def test_left_and_right_end_at_the_outer_panes_and_next_wraps() -> None:
    panes = Panes(120)
    panes.controller.left()
    panes.controller.left()
    assert panes.focused == [Focus.SIDEBAR]
    panes.controller.right()
    panes.controller.right()
    panes.controller.right()
    panes.controller.next()
    panes.controller.previous()
    assert panes.focused[1:] == [Focus.EPISODES, Focus.NOTES, Focus.SIDEBAR, Focus.NOTES]


def test_the_pane_with_the_keys_is_always_in_sight_however_narrow_it_gets() -> None:
    panes = Panes(40)
    for where in (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES):
        panes.controller.go_to(where)
        assert panes.shown == [where.value]
    panes.columns = 80
    panes.controller.arrange()
    assert panes.shown == ["episodes", "notes"]
    panes.columns = 160
    panes.controller.arrange()
    assert panes.shown == ["sidebar", "episodes", "notes"]
    assert panes.controller.focus is Focus.NOTES


def test_a_click_into_the_filter_is_a_click_into_the_list() -> None:
    panes = Panes(120)
    panes.controller.focused(Focus.NOTES)
    panes.controller.focused(Focus.FILTER)
    assert panes.controller.focus is Focus.EPISODES
    assert panes.focused == []

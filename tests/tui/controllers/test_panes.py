"""Which pane has the keys, and how the width is shared."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.player import Player
from tests.tui.controllers.fake import FakeMain, FakePlayer
from tui.actions.action import Focus
from tui.controllers.panes import Arrangement, PanesController


class Panes(FakeMain):
    """What a controller of panes did to them, and what it remembered."""

    def __init__(self, columns: int, remembered: str = "") -> None:
        super().__init__()
        self.columns = columns
        self.player = FakePlayer(remembered=remembered)
        self.controller = PanesController(cast(Player, self.player), self)

    @property
    def kept(self) -> str:
        return next((text for name, *_key, text in reversed(self.player.made) if name == "remember"), "")

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


# -- widths ---------------------------------------------------------------------------------------------------


def test_the_pane_with_the_focus_gets_wider_and_narrower_at_its_neighbours_cost() -> None:
    panes = Panes(160)
    panes.controller.arrange()
    before = panes.shared[-1]
    panes.controller.wider()
    assert panes.shared[-1] == Arrangement(before.sidebar, before.episodes + 2, before.notes - 2)
    panes.controller.go_to(Focus.SIDEBAR)
    panes.controller.narrower()
    assert panes.shared[-1] == Arrangement(before.sidebar - 2, before.episodes + 4, before.notes - 2)
    panes.controller.reset()
    assert panes.shared[-1] == before
    panes.columns = 80
    panes.controller.wider()
    assert panes.shared[-1].sidebar == 26
    panes.controller.go_to(Focus.EPISODES)
    panes.controller.wider()
    assert panes.shared[-1].sidebar == 24


def test_the_widths_of_wide_and_medium_terminals_are_remembered_apart() -> None:
    panes = Panes(160)
    panes.controller.wider()
    panes.columns = 80
    panes.controller.go_to(Focus.NOTES)
    panes.controller.narrower()
    again = Panes(160, panes.kept)
    again.controller.arrange()
    panes.columns = 160
    panes.controller.arrange()
    assert again.shared[-1] == panes.shared[-1] != Panes(160).controller.arrangement
    again.columns = 80
    again.controller.go_to(Focus.NOTES)
    assert again.shared[-1].notes == 80 * 47 // 100 - 2


@pytest.mark.parametrize("text", ["", "1 2 3", "a b c d", "1 2 3 4 5", "1 2 3 99999999999"])
def test_what_is_remembered_may_be_anything(text: str) -> None:
    assert Panes(160, text).controller.arrangement == Panes(160).controller.arrangement


@given(
    st.integers(60, 400),
    st.sampled_from((Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES)),
    st.lists(st.integers(-500, 500), min_size=4, max_size=4),
    st.lists(st.sampled_from(("wider", "narrower", "left", "right", "reset")), max_size=12),
)
def test_no_pane_leaves_the_screen_however_it_is_changed(
    columns: int, focus: Focus, changes: list[int], keys: list[str]
) -> None:
    panes = Panes(columns, " ".join(map(str, changes)))
    panes.controller.go_to(focus)
    for key in keys:
        getattr(panes.controller, key)()
    shared = panes.shared[-1]
    assert shared.sidebar + shared.episodes + shared.notes == columns
    assert all(cells == 0 or cells >= 14 for cells in (shared.sidebar, shared.episodes, shared.notes))
    assert shared.episodes >= 30


def test_a_key_at_the_end_says_so_and_the_next_one_back_counts() -> None:
    panes = Panes(120)
    panes.controller.go_to(Focus.SIDEBAR)
    for _ in range(20):
        panes.controller.narrower()
    assert panes.messages == ["This pane can't get narrower"] * 15
    narrowest = panes.shared[-1].sidebar
    panes.controller.wider()
    assert (narrowest, panes.shared[-1].sidebar) == (14, 16)


def test_an_edge_can_be_dragged_as_far_as_its_panes_allow() -> None:
    panes = Panes(120)
    panes.controller.drag(Focus.EPISODES, 40)
    assert panes.shared[-1].sidebar == 40
    panes.controller.drag(Focus.NOTES, 500)
    assert panes.shared[-1] == Arrangement(40, 56, 24)
    panes.controller.drag(Focus.EPISODES, -3)
    assert panes.shared[-1].sidebar == 14
    assert panes.kept == "", "it isn't released yet"
    panes.controller.keep_widths()
    assert panes.kept


# -- focus mode -----------------------------------------------------------------------------------------------


def test_focus_mode_shows_the_pane_with_the_focus_alone_and_nothing_remembers_it() -> None:
    panes = Panes(160)
    panes.controller.toggle_focus_mode()
    assert panes.shared[-1] == Arrangement(0, 160, 0)
    panes.controller.next()
    assert panes.shared[-1] == Arrangement(0, 0, 160)
    panes.controller.wider()
    assert panes.messages[-1] == "Only one pane is shown"
    panes.controller.toggle_focus_mode()
    assert panes.shown == ["sidebar", "episodes", "notes"]
    assert panes.kept == ""


def test_a_terminal_with_room_for_one_pane_has_no_focus_mode() -> None:
    panes = Panes(40)
    panes.controller.toggle_focus_mode()
    assert not panes.controller.focus_mode
    assert panes.messages == ["This terminal shows one pane at a time"]

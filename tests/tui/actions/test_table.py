"""One table of actions feeds everything; its keys can be others."""

from string import printable

import pytest
from textual.keys import _character_to_key

from tests.translating import marked
from tui.actions import remapping
from tui.actions.action import Group
from tui.actions.keys import MOVED, ON_SCREEN
from tui.actions.table import ACTIONS, CURSOR_MOVES, bindings, functions, is_key, key_label, keymap, remapped
from tui.look.glyphs import ASCII, UNICODE


def test_every_action_has_an_id_of_its_own() -> None:
    ids = [action.id for action in ACTIONS]
    assert len(set(ids)) == len(ids)


def test_an_action_runs_what_is_said_last_and_none_is_left_without() -> None:
    pause = [action for action in ACTIONS if action.id == "pause"]
    everywhere, here = {"pause": lambda: "everywhere", "quit": lambda: None}, {"pause": lambda: "here"}
    (function,) = functions(pause, everywhere, here).values()
    assert function() == "here"
    with pytest.raises(LookupError, match="pause"):
        functions(pause, {"quit": lambda: None})


def test_every_word_of_the_table_can_be_translated() -> None:
    collected = {form for one in marked() for form in one.forms}
    shown = {word for one in ACTIONS for word in (one.title, one.word, one.also) if word}
    assert shown | {group.value for group in Group} <= collected


def test_without_keys_of_ones_own_the_table_is_as_it_is() -> None:
    assert remapped({}) == remapping.remapped({}, ACTIONS) == (ACTIONS, ())


def test_no_key_is_given_twice() -> None:
    keys = [key for action in ACTIONS for key in action.keys]
    assert len(set(keys)) == len(keys)
    assert all(map(is_key, keys))


def test_the_keys_are_those_of_the_contract() -> None:
    keys = {action.id: action.keys for action in ACTIONS}
    contract = {
        "down": "j", "up": "k", "first": "g", "last": "G", "half_page_down": "ctrl+d", "half_page_up": "ctrl+u",
        "pane_left": "h", "pane_right": "l", "next_pane": "tab", "play": "enter", "pause": "space", "seek_back": "left",
        "seek_forward": "right", "seek_back_far": "shift+left", "seek_forward_far": "shift+right", "slower": "[",
        "faster": "]", "quieter": "-", "louder": "=", "restart": "0", "undo_jump": "u", "filter": "/", "add": "a",
        "previous_chapter": "comma", "next_chapter": ".",
        "refresh": "r", "refresh_all": "R", "star": "s", "played": "m", "help": "?",
        "search": "ctrl+f", "quit": "q", "sleep": "t", "stop_after": "T",
    }  # fmt: skip
    assert {action_id: keys[action_id][0] for action_id in contract} == contract


def test_a_dialog_with_a_cursor_has_all_keys_that_move_it_and_no_others() -> None:
    assert {action.id for action in CURSOR_MOVES} == MOVED | ON_SCREEN
    assert {"j", "k", "g", "G", "ctrl+d", "ctrl+u", "home", "end"} <= {key for one in CURSOR_MOVES for key in one.keys}


@pytest.mark.parametrize("key", printable[:94])
def test_a_key_written_as_its_character_is_bound_as_textual_calls_it(key: str) -> None:
    actions, problems = remapped({"star": "comma" if key == "," else key})
    assert not [problem for problem in problems if "“Star" in problem]
    bound = {binding.key for binding in bindings(actions) if binding.id == "star"}
    assert bound == {_character_to_key(key)}


def test_a_remapped_key_is_taken_from_the_one_that_had_it() -> None:
    actions, problems = remapped({"star": "j,ctrl+t"})
    keys = {action.id: action.keys for action in actions}
    assert (keys["star"], keys["down"]) == (("j", "ctrl+t"), ("down",))
    assert problems == ()
    assert keymap(actions) == {"star": "j,ctrl+t", "down": "down"}


@pytest.mark.parametrize(
    ("wishes", "problem"),
    [
        ({"fly": "x"}, "In [keys] of config.toml, there is no action “fly”."),
        ({"star": "ctlr+x"}, "“ctlr+x” isn't a key"),
        ({"star": "xyz"}, "“xyz” isn't a key"),
        ({"star": "ctrl+x", "played": "ctrl+x"}, "“ctrl+x” is set for two actions;"),
        ({"star": "u"}, "“Undo the last jump” has no key now"),
    ],
)
def test_a_wish_that_cannot_be_met_has_a_sentence(wishes: dict[str, str], problem: str) -> None:
    _, problems = remapped(wishes)
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_keys_are_written_for_a_reader() -> None:
    keys = ("left", "shift+right", "question_mark", "ctrl+p", "escape", "G", "+")
    assert [key_label(key, UNICODE) for key in keys] == ["←", "shift+→", "?", "ctrl+p", "esc", "G", "+"]
    assert [key_label(key, ASCII) for key in keys[:2]] == ["left", "shift+right"]

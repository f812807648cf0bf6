"""Keys of other programs, two keys in a row, and what can't be taken away."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.quick import examples
from tui.actions.action import Action
from tui.actions.keys import canonical, is_key, parts
from tui.actions.presets import PRESETS
from tui.actions.remapping import FIXED
from tui.actions.table import ACTIONS, bindings, key_label, keymap, remapped, sequences
from tui.cli.commands.keys import PRESETS as NAMED

ESSENTIAL = {
    "play", "pause", "seek_back", "seek_forward", "previous_chapter", "next_chapter", "undo_jump", "slower", "faster",
    "quieter", "louder", "down", "up", "page_down", "page_up", "first", "last", "next_pane", "previous_pane", "back",
    "filter", "search", "star", "played", "download", "queue", "queue_next", "skip", "bookmark", "read", "links",
    "copy_link", "add", "refresh", "refresh_all", "remove", "about", "undo", "order", "palette", "help", "quit",
}  # fmt: skip
"""What is done every day has a key, whatever the preset."""
IDS = [action.id for action in ACTIONS]
KEYS = [key for action in ACTIONS for key in action.keys if "," not in key]


def keys_with(changes: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {action.id: action.keys for action in remapped(changes)[0]}


def clashes(actions: Iterable[Action]) -> list[str]:
    """The keys that two actions have, and the keys of one action that begin a sequence of another."""
    owners: dict[str, str] = {}
    found: list[str] = []
    every = [(canonical(key), action.id) for action in actions for key in action.keys]
    for key, action_id in every:
        if owners.setdefault(key, action_id) != action_id:
            found.append(key)
    return found + [key for key, _owner in every if len(parts(key)) == 2 and parts(key)[0] in owners]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_a_key_for_whatever_is_done_every_day_and_none_twice(preset: str) -> None:
    actions, problems = remapped({"preset": preset})
    assert problems == ()
    assert set(PRESETS[preset]) <= set(IDS)
    assert all(is_key(key) for keys in PRESETS[preset].values() for key in keys)
    assert clashes(actions) == []
    assert {action.id for action in actions if not action.keys} & ESSENTIAL == set()


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("vim", {"first": "g g", "last": "G", "page_down": "ctrl+f", "help": ":", "center": "z z", "down": "j"}),
        ("emacs", {"down": "ctrl+n", "up": "ctrl+p", "filter": "ctrl+s", "back": "ctrl+g", "help": "alt+x"}),
        ("castero", {"help": "h", "remove": "d", "pause": "p", "queue": "space", "seek_forward": "f", "skip": "n"}),
        ("newsboat", {"played": "N", "next_episode": "J", "quit": "q", "order": "g", "links": "o", "queue": "e"}),
    ],
)
def test_a_preset_has_the_keys_that_its_program_is_known_for(preset: str, expected: dict[str, str]) -> None:
    keys = keys_with({"preset": preset})
    assert {action_id: keys[action_id][0] for action_id in expected} == expected


def test_the_command_knows_all_presets() -> None:
    assert tuple(PRESETS) == NAMED


def test_own_keys_win_over_those_of_the_preset() -> None:
    keys = keys_with({"preset": "vim", "star": "H"})
    assert keys["star"] == ("H",)
    assert keys["screen_top"] == ()


def test_an_unknown_preset_is_reported_with_what_was_meant() -> None:
    actions, problems = remapped({"preset": "vmi"})
    assert actions == remapped({})[0]
    assert len(problems) == 1
    assert "Did you mean “vim”?" in problems[0]


def test_two_keys_take_the_first_from_what_had_it_alone() -> None:
    actions, problems = remapped({"star": "g s"})
    keys = {action.id: action.keys for action in actions}
    assert (keys["star"], keys["first"]) == (("g s",), ("home",))
    assert sequences(actions) == {("g", "s"): "star"}
    assert problems == ()
    assert keymap(actions) == {"star": "unbound-star", "first": "home"}
    assert key_label("g s") == "gs"
    assert key_label("ctrl+x u") == "ctrl+x u"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"star": "ctrl+q"}, "“ctrl+q” is always for “Quit”."),
        ({"star": "f1"}, "“f1” is always for “Show all commands and keys”."),
        ({"star": "g g", "played": "g"}, "“g” is set for two actions; “Star or unstar the episode” gets it."),
        ({"star": "question_mark"}, ""),
    ],
)
def test_what_can_not_be_given_is_said(changes: dict[str, str], problem: str) -> None:
    problems = remapped(changes)[1]
    assert list(problems) == ([problem] if problem else [])


def test_a_key_is_the_same_however_it_is_written() -> None:
    keys = keys_with({"star": "question_mark"})
    assert keys["help"] == ("ctrl+p", "f1")


def test_what_had_another_name_in_keys_is_understood() -> None:
    assert keys_with({"palette": "ctrl+k"})["help"] == ("?", "ctrl+p", "f1", "ctrl+k")


def test_an_action_that_has_no_key_can_be_given_one() -> None:
    actions, _problems = remapped({"mute": "ctrl+t"})
    assert keymap(actions) == {"mute": "ctrl+t"}
    assert [binding.key for binding in bindings() if binding.id == "mute"] == ["unbound-mute"]


@given(
    st.dictionaries(
        st.sampled_from(IDS),
        st.lists(st.sampled_from([*KEYS, "g g", "ctrl+q", "f1", "ctrl+x u", "f10", "alt+x"]), min_size=1, max_size=3),
        max_size=40,
    ),
    st.sampled_from(tuple(PRESETS)),
)
@settings(max_examples=examples(200), deadline=None)
def test_whatever_is_remapped_there_is_a_way_out_and_to_all_keys(changes: dict[str, list[str]], preset: str) -> None:
    own = {action_id: ",".join(keys) for action_id, keys in changes.items()}
    actions, _problems = remapped({"preset": preset, **own})
    keys = {action.id: action.keys for action in actions}
    assert keys["quit"]
    assert "f1" in keys["help"]
    for action in actions:
        for key in action.keys:
            assert FIXED.get(canonical(key), action.id) == action.id
    assert clashes(actions) == []

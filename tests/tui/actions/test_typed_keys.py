"""Digits before a key are its count; two keys in a row can be one."""

import pytest

from tui.actions.keys import Meaning, TypedKeys

SEQUENCES = {("g", "g"): "first", ("ctrl+x", "u"): "undo"}


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.1
        return self.now


def typed(*keys: str) -> tuple[list[Meaning], TypedKeys]:
    pressed = TypedKeys(SEQUENCES, Clock())
    return [pressed.press(key).meaning for key in keys], pressed


def test_digits_are_the_count_of_the_next_key_alone() -> None:
    meanings, pressed = typed("1", "0", "j")
    assert meanings == [Meaning.COUNT, Meaning.COUNT, Meaning.ALONE]
    assert pressed.count == 10
    pressed.press("j")
    assert pressed.count is None


def test_a_count_never_begins_with_zero() -> None:
    meanings, pressed = typed("0", "5", "j")
    assert meanings == [Meaning.ALONE] * 3
    assert pressed.count is None


def test_digits_of_long_ago_are_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.actions.keys._AGAIN_S", 2.0)
    clock = Clock()
    pressed = TypedKeys(SEQUENCES, clock)
    pressed.press("3")
    clock.now += 5
    pressed.press("j")
    assert pressed.count is None


def test_two_keys_in_a_row_are_one_and_keep_their_count() -> None:
    pressed = TypedKeys(SEQUENCES, Clock())
    pressed.press("5")
    assert pressed.press("g").meaning is Meaning.BEGINS
    ended = pressed.press("g")
    assert (ended.meaning, ended.action_id, pressed.count) == (Meaning.ENDS, "first", 5)


def test_a_second_key_that_no_action_has_ends_it() -> None:
    meanings, pressed = typed("ctrl+x", "j", "j")
    assert meanings == [Meaning.BEGINS, Meaning.NOTHING, Meaning.ALONE]
    assert pressed.press("g").meaning is Meaning.BEGINS


def test_a_huge_count_is_cut() -> None:
    _, pressed = typed(*"9" * 500, "j")
    assert pressed.count == 999_999

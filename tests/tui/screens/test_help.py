"""The rows of the help: what is typed finds an action by its words or its keys, the best first."""

import re

import pytest

from tui.actions.table import ACTIONS
from tui.screens.help import help_rows


@pytest.mark.parametrize(
    ("words", "first"),
    [("mute", "mute"), ("ctrl+o", "go_back"), ("favorite", "star"), ("QUIT", "quit")],
)
def test_what_is_typed_finds_its_action_first(words: str, first: str) -> None:
    rows = help_rows(ACTIONS, words=words)
    assert rows[0].answer == first
    assert not any(row.heading for row in rows)


def test_a_title_with_the_words_goes_before_one_that_only_has_them_among_others() -> None:
    rows = help_rows(ACTIONS, words="queue")
    with_it = [bool(re.search(r"\bqueue", row.title)) for row in rows]
    assert with_it == sorted(with_it, reverse=True)
    assert {True, False} == set(with_it)
    assert all(row.title[at].lower() in "queue" for row in rows for at in row.hits)


def test_words_that_nothing_has_find_nothing() -> None:
    assert help_rows(ACTIONS, words="zzz") == []

"""What the palette finds for a few letters, and in which order."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pty.hostile import ZALGO
from tests.quick import shortest
from tui.actions.palette import Command, match, score, search
from tui.actions.table import ACTIONS

TITLES = ("Refresh all podcasts", "Remove this podcast", "Go to the Rust Station", "Add a podcast", "All keys", "Quit")


def found(query: str) -> list[str]:
    scores = {title: match(query, title)[0] for title in TITLES}
    return sorted((title for title in TITLES if scores[title]), key=lambda title: -scores[title])


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("all", "All keys"), ("ref", "Refresh all podcasts"), ("rap", "Refresh all podcasts"), ("add", "Add a podcast"),
        ("rust", "Go to the Rust Station"), ("station", "Go to the Rust Station"), ("qt", "Quit"), ("QUIT", "Quit"),
        ("remove pod", "Remove this podcast"), ("grs", "Go to the Rust Station"),
    ],
)  # fmt: skip
def test_what_was_meant_comes_first(query: str, first: str) -> None:
    assert found(query)[0] == first


@pytest.mark.parametrize("query", ["", " ", "zz", "yek"])
def test_what_fits_nothing_finds_nothing(query: str) -> None:
    assert found(query) == []


def test_the_letters_that_match_are_told() -> None:
    assert match("all", "Refresh all podcasts")[1] == (8, 9, 10)
    assert match("r st", "the Rust Station")[1] == (4, 9, 10)


@given(st.text(max_size=20), st.text(max_size=60))
def test_they_are_letters_of_the_title_in_their_order(query: str, title: str) -> None:
    score, letters = match(query, title)
    assert bool(letters) == (score > 0)
    assert list(letters) == sorted(set(letters))
    assert all(at < len(title) for at in letters)


def test_letters_that_come_again_and_again_take_no_longer() -> None:
    """Every combination of them would take longer than there is time."""
    started = time.thread_time()
    for query in ("w" * 300, "wx" * 100, "w" * 40 + "x", "w " * 100):
        match(query, "w" * 100_000)
        match(query, "w " * 50_000)
    assert time.thread_time() - started < 1


@pytest.mark.parametrize("pasted", ["w" * 1_000_000, "w " * 500_000])
def test_a_page_that_is_pasted_into_the_palette_does_not_hold_up_the_keys(pasted: str) -> None:
    began = time.process_time()
    for title in TITLES * 50:
        assert score(pasted, title, "other words") == match(pasted, title) == (0.0, ())
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("typed", ["e " * 240, ZALGO * 4], ids=["words", "marks"])
def test_a_line_typed_into_the_list_of_commands_costs_each_key_little(typed: str) -> None:
    table = [Command(one.title, "  ".join(one.keys), None, one.also, id=one.id) for one in ACTIONS]
    search(table, typed[:-2])
    assert shortest(lambda: search(table, typed), 0.03) < 0.03

"""Completing filters while they are typed."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from player.library.search.query import Names, choices, complete, filters_named, parse

NAMES = Names(
    ("Changelog", "PyTorch Developer Podcast", "Python Bytes", 'The "quoted" show'), ("day job", "Work"), ("Ann Lee",)
)


@pytest.mark.parametrize(
    ("text", "completed"),
    [
        ("is:u", "is:unplayed"),
        ("news is:", "news is:unplayed"),
        ("IS:st", "IS:starred"),
        ("is:unplayed sort:o", "is:unplayed sort:oldest"),
        ("tag:w", "tag:work"),
        ("tag:", 'tag:"day job"'),
        ('tag:"d', 'tag:"day job"'),
        ("tag:d", None),
        ('podcast:"py', 'podcast:"pyTorch Developer Podcast"'),
        ("podcast:py", "podcast:pyTorch"),
        ("podcast:pytorch", None),
        ("podcast:", "podcast:Changelog"),
        ("speaker:a", "speaker:ann"),
        ('said:news speaker:"an', 'said:news speaker:"ann Lee"'),
        ("duration:", "duration:<20m"),
        ("duration:<3", None),
        ("dur", "duration:"),
        ("du", "duration:"),
        ("sa", "said:"),
        ("said:n", None),
        ("d", None),
        ("podc", "podcast:"),
        ("of", None),
        ("news", None),
        ('"is:u', None),
        ("", None),
    ],
)
def test_the_last_filter_is_completed(text: str, completed: str | None) -> None:
    found = complete(text, NAMES)
    assert found == completed or (found and completed and found.lower() == completed.lower())


def test_what_it_may_become_is_offered() -> None:
    assert choices("news podcast:p", NAMES) == ('podcast:"PyTorch Developer Podcast"', 'podcast:"Python Bytes"')
    assert choices("sort:", NAMES) == ("sort:newest", "sort:oldest", "sort:longest", "sort:shortest")
    assert choices("sort:oldest", NAMES) == choices("news", NAMES) == choices("is:starred news", NAMES) == ()


def test_names_of_filters_are_offered() -> None:
    assert filters_named("news po") == ("podcast:", "podcast-id:")
    assert filters_named("is:unplayed so") == ("sort:",)
    assert filters_named("p") == filters_named("sort:o") == filters_named("news ") == ()


@given(
    st.sampled_from(["is:", "tag:", 'tag:"', "podcast:", 'podcast:"', "speaker:", "sort:", "age:", "du"]),
    st.text(max_size=3),
)
@example("sort:", "º")
@example("is:", "Ì")
@example("in:", "ｔ")
def test_a_completion_begins_with_what_was_typed_and_is_understood(name: str, typed: str) -> None:
    text = f"news {name}{typed}"
    if (found := complete(text, NAMES)) is not None:
        assert found.startswith(text)
        assert len(found) > len(text)
        assert parse(found).problems == ()

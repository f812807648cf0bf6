"""Chapters that nobody wants are stepped over when playing runs into them, and only then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.episode import Chapter, Chapters
from player.playback.rules import ChapterSkipper, Skip, SkipRules, is_skipped

CHAPTERS = Chapters(
    (
        Chapter(0, "Sponsor"),
        Chapter(10_000, "Talk"),
        Chapter(20_000, "Ad: a shop"),
        Chapter(30_000, "Another sponsor"),
        Chapter(40_000, "More talk"),
        Chapter(50_000, "Sponsor", end_ms=55_000),
        Chapter(60_000, "Sponsor"),
    )
)
WORDS = ("sponsor", "AD")


@pytest.fixture
def skipper() -> ChapterSkipper:
    made = ChapterSkipper()
    made.reset(WORDS)
    made.learn(CHAPTERS, 70_000)
    return made


@pytest.mark.parametrize(
    ("title", "word"),
    [
        ("Sponsor", "sponsor"),
        ("SPONSOR: A shop", "Sponsor"),
        ("An ad, again", "Ad"),
        ("Publicité", "publicite"),
        ("Our sponsor message today", "Sponsor  message!"),
        ("[Ad]", "ad"),
    ],
)
def test_titles_with_the_whole_word_are_unwanted(title: str, word: str) -> None:
    assert is_skipped(title, [word])


@pytest.mark.parametrize(
    ("title", "word"),
    [("Adventures", "Ad"), ("Sponsors", "Sponsor"), ("", "Ad"), ("Talk", ""), ("Talk", "-"), ("a b c", "a c")],
)
def test_other_titles_are_not(title: str, word: str) -> None:
    assert not is_skipped(title, [word])


def test_playing_into_one_steps_over_it(skipper: ChapterSkipper) -> None:
    skipper.began(45_000)
    assert skipper.next_skip(49_950) is None
    assert skipper.next_skip(50_080) == Skip(55_000, ("Sponsor",))
    assert skipper.next_skip(54_990) is None, "an engine that stands a little short of the end is not sent there again"


def test_two_in_a_row_are_one_step(skipper: ChapterSkipper) -> None:
    skipper.began(15_000)
    skip = skipper.next_skip(20_010)
    assert skip == Skip(40_000, ("Ad: a shop", "Another sponsor"))
    assert skip.sentence == "Skipped “Ad: a shop” and 1 more"


def test_from_the_very_start_the_first_is_stepped_over(skipper: ChapterSkipper) -> None:
    skipper.began(0)
    assert skipper.next_skip(0) == Skip(10_000, ("Sponsor",))


def test_the_last_one_ends_with_the_episode(skipper: ChapterSkipper) -> None:
    skipper.began(56_000)
    assert skipper.next_skip(60_000) == Skip(70_000, ("Sponsor",))
    skipper.learn(CHAPTERS, None)
    skipper.began(56_000)
    assert skipper.next_skip(60_000) is None


def test_who_goes_there_hears_it(skipper: ChapterSkipper) -> None:
    skipper.began(12_000)
    skipper.sought(20_000)
    assert skipper.next_skip(20_100) is None
    skipper.began(19_000)
    assert skipper.next_skip(20_100) is None, "not after a pause with a rewind, either"
    assert skipper.next_skip(30_000) == Skip(40_000, ("Another sponsor",))


def test_who_left_off_in_it_hears_it(skipper: ChapterSkipper) -> None:
    skipper.began(52_000)
    assert skipper.next_skip(52_100) is None


def test_a_step_that_was_taken_back_is_not_taken_again(skipper: ChapterSkipper) -> None:
    skipper.began(15_000)
    assert skipper.next_skip(20_010)
    skipper.undone(20_010)
    assert skipper.next_skip(20_100) is None
    assert skipper.next_skip(30_000) is None
    skipper.sought(15_000)
    assert skipper.next_skip(20_000) is None
    skipper.reset(WORDS)
    skipper.learn(CHAPTERS, None)
    skipper.began(15_000)
    assert skipper.next_skip(20_000), "another time it is"


def test_another_jump_taken_back_spares_only_where_it_leads(skipper: ChapterSkipper) -> None:
    skipper.began(15_000)
    assert skipper.next_skip(20_010)
    skipper.undone(12_000)
    assert skipper.next_skip(20_000)


def test_chapters_that_become_known_late_are_stepped_over_if_playing_ran_into_them(skipper: ChapterSkipper) -> None:
    skipper.reset(WORDS)
    skipper.began(15_000)
    assert skipper.next_skip(25_000) is None
    skipper.learn(CHAPTERS, None)
    assert skipper.next_skip(25_100) == Skip(40_000, ("Ad: a shop", "Another sponsor"))


@pytest.mark.parametrize(
    ("podcast", "steps"), [("A show", True), ("PLAIN show", False), ("Other words", False), ("Étude", True)]
)
def test_a_show_may_have_words_of_its_own(podcast: str, steps: bool) -> None:
    own = {"Plain Show": (), "Other words": ("Outro",), "Etude": ("Sponsor",)}
    skipper = ChapterSkipper()
    skipper.reset(SkipRules(("Sponsor",), own).of(podcast))
    skipper.learn(CHAPTERS, None)
    skipper.began(45_000)
    assert bool(skipper.next_skip(50_000)) is steps


def test_without_words_nothing_is_stepped_over() -> None:
    skipper = ChapterSkipper()
    skipper.reset(())
    skipper.learn(CHAPTERS, 70_000)
    skipper.began(0)
    assert all(skipper.next_skip(position) is None for position in range(0, 70_000, 100))


@given(
    st.lists(st.tuples(st.integers(0, 500), st.sampled_from(["Sponsor", "Talk"])), max_size=8),
    st.lists(st.tuples(st.sampled_from(["play", "seek", "undo", "pause"]), st.integers(0, 600)), max_size=30),
)
def test_whatever_happens_a_step_leads_forward_and_never_twice_over_the_same(
    starts: list[tuple[int, str]], happens: list[tuple[str, int]]
) -> None:
    skipper = ChapterSkipper()
    skipper.reset(("Sponsor",))
    skipper.learn(Chapters(tuple(Chapter(start, title) for start, title in sorted(starts))), 600)
    position = 0
    skipper.began(0)
    for what, number in happens:
        match what:
            case "play":
                position = min(600, position + number // 10)
            case "seek":
                position = number
                skipper.sought(position)
            case "undo":
                position = number
                skipper.undone(position)
            case _:
                skipper.began(position)
        if what in ("play", "pause") and (skip := skipper.next_skip(position)):
            assert position < skip.to_ms <= 600
            assert skipper.next_skip(position) is None
            position = skip.to_ms

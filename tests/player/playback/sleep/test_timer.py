"""The sleep timer as a value: nothing of it needs a clock, a sound or a library."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.episode import Chapter, Chapters
from player.model.playback import MOST_MINUTES, SleepChoice, SleepUntil
from player.playback.sleep import FADE_MS, Heard, SleepTimer, chapter_end

MINUTE = 60_000
MINUTES, CHAPTER, EPISODE = SleepUntil.MINUTES, SleepUntil.CHAPTER, SleepUntil.EPISODE
CHAPTERS = Chapters(
    (
        Chapter(0, "Intro"),
        Chapter(MINUTE, "One", end_ms=2 * MINUTE),
        Chapter(90_000, "An aside", end_ms=95_000, hidden=True),
        Chapter(3 * MINUTE, "Two"),
    )
)


def minutes(count: int) -> SleepTimer:
    return SleepTimer.started(SleepChoice(MINUTES, count))


@given(st.integers(1, 60), st.lists(st.integers(0, 200_000), max_size=40))
def test_minutes_are_over_when_so_much_was_heard_and_not_before(count: int, heard: list[int]) -> None:
    timer, here = minutes(count), Heard(0)
    for ms in heard:
        timer = timer.heard(ms)
    assert timer.remaining_ms(here) == max(0, count * MINUTE - sum(heard))
    assert timer.over(here) == (sum(heard) >= count * MINUTE)


moves = st.lists(st.tuples(st.sampled_from(["heard", "interrupted", "longer"]), st.integers(0, 30_000)), max_size=30)


@given(moves)
def test_a_fade_only_ever_falls_until_something_interrupts_it(taken: list[tuple[str, int]]) -> None:
    timer, here = minutes(1), Heard(0)
    for move, ms in taken:
        before = timer.gain(here)
        match move:
            case "heard":
                timer = timer.heard(ms).faded(here)
                assert timer.gain(here) <= before
            case "interrupted":
                timer = timer.interrupted()
                assert timer.gain(here) == 1.0
                timer = timer.faded(here)
                assert timer.over(here) or timer.gain(here) == 1.0
            case "longer":
                longer = timer.longer(ms, here)
                assert longer is not None
                assert longer.gain(here) == 1.0
                timer = longer
        assert 0.0 <= timer.gain(here) <= 1.0
        if timer.left_ms > FADE_MS:
            assert timer.gain(here) == 1.0


def test_the_fade_takes_the_last_twenty_seconds() -> None:
    timer, here = minutes(1), Heard(0)
    assert not timer.heard(MINUTE - FADE_MS - 1).faded(here).fading
    started = timer.heard(MINUTE - FADE_MS).faded(here)
    gains = [started.heard(ms).gain(here) for ms in (0, 5_000, 10_000, 19_000, 20_000)]
    assert gains == pytest.approx([1.0, 0.75, 0.5, 0.05, 0.0])


@given(st.integers(0, 10 * MINUTE))
def test_the_end_of_a_chapter_lies_ahead_and_is_where_a_listed_one_begins_or_says_it_ends(position_ms: int) -> None:
    end_ms = chapter_end(CHAPTERS, position_ms, 10 * MINUTE)
    assert end_ms in (MINUTE, 2 * MINUTE, 3 * MINUTE, None)
    assert end_ms is None or end_ms > position_ms
    assert (end_ms is None) == (position_ms >= 3 * MINUTE - 1_000)


def test_who_lands_just_before_the_end_of_a_chapter_hears_the_next_one() -> None:
    assert chapter_end(CHAPTERS, MINUTE - 500, None) == 2 * MINUTE
    assert chapter_end(CHAPTERS, MINUTE - 1_500, None) == MINUTE


def test_a_chapter_is_over_at_its_end_and_fades_before_it_in_real_time() -> None:
    timer = SleepTimer.started(SleepChoice(CHAPTER)).towards(CHAPTERS, Heard(0))
    fast = Heard(MINUTE - 30_000, speed=2.0, duration_ms=10 * MINUTE)
    assert timer.remaining_ms(fast) == 15_000
    assert timer.faded(fast).fading
    assert not timer.faded(Heard(MINUTE - 30_000)).fading
    assert not timer.over(Heard(MINUTE - 1))
    assert timer.over(Heard(MINUTE))


def test_the_last_chapter_ends_with_the_episode() -> None:
    last = Heard(5 * MINUTE, duration_ms=10 * MINUTE, exact=True)
    timer = SleepTimer.started(SleepChoice(CHAPTER)).towards(CHAPTERS, last)
    assert timer.remaining_ms(last) == 5 * MINUTE
    assert not timer.over(Heard(10 * MINUTE, duration_ms=10 * MINUTE, exact=True))
    assert timer.episode_ended(counts=True) is None


def test_nothing_fades_towards_an_end_that_is_only_guessed() -> None:
    timer = SleepTimer.started(SleepChoice(EPISODE))
    guess = Heard(10 * MINUTE - 5_000, duration_ms=10 * MINUTE)
    assert not timer.faded(guess).fading
    assert timer.faded(Heard(10 * MINUTE - 5_000, duration_ms=10 * MINUTE, exact=True)).fading


@given(st.integers(1, 20), st.lists(st.booleans(), max_size=40))
def test_after_n_episodes_counts_those_of_which_something_was_heard(count: int, heard: list[bool]) -> None:
    timer: SleepTimer | None = SleepTimer.started(SleepChoice(EPISODE, count))
    for number, counts in enumerate(heard, 1):
        assert timer is not None
        timer = timer.episode_ended(counts=counts)
        if timer is None:
            assert sum(heard[:number]) == count
            break
        assert timer.episodes == count - sum(heard[:number]) > 0


def test_minutes_outlast_an_episode_unless_they_are_fading() -> None:
    timer = minutes(1)
    assert timer.episode_ended(counts=True) == timer
    assert timer.heard(45_000).faded(Heard(0)).episode_ended(counts=True) is None


def test_longer_makes_minutes_of_an_end_that_is_known() -> None:
    here = Heard(4 * MINUTE, duration_ms=10 * MINUTE)
    longer = SleepTimer.started(SleepChoice(EPISODE)).longer(5 * MINUTE, here)
    assert longer is not None
    assert (longer.choice, longer.left_ms) == (SleepChoice(MINUTES, 11), 11 * MINUTE)
    assert SleepTimer.started(SleepChoice(EPISODE, 2)).longer(5 * MINUTE, here) is None


@given(st.sampled_from(SleepUntil), st.integers(-5, 3000))
def test_a_choice_is_read_back_as_it_was_written_if_it_is_possible(until: SleepUntil, count: int) -> None:
    choice = SleepChoice(until, count)
    assert SleepChoice.read(choice.text) == (choice if choice.possible else None)


@given(st.text())
def test_whatever_is_read_is_a_choice_or_nothing(text: str) -> None:
    choice = SleepChoice.read(text)
    assert choice is None or choice.possible


def test_a_day_is_the_most() -> None:
    assert SleepChoice(MINUTES, MOST_MINUTES).possible
    assert not SleepChoice(MINUTES, MOST_MINUTES + 1).possible

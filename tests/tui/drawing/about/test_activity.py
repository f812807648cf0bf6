"""A year of a podcast: a calendar where there is something to see in it, words where there isn't."""

from datetime import date, timedelta

import pytest

from player.library.statistics import PodcastStatistics, ReleaseDay
from player.model.podcast import Podcast, PodcastId
from tui.drawing.about.cards import activity
from tui.drawing.about.sheet import plain
from tui.look.glyphs import UNICODE

TODAY = date(2026, 11, 20)
PODCAST = Podcast(PodcastId(1), "https://a.example/feed", "Compilers", episode_count=50)


def days(every: int, *, length_ms: int = 1_800_000, count: int = 365, last: int = 0) -> tuple[ReleaseDay, ...]:
    found = (ReleaseDay(TODAY - timedelta(ago), 1, length_ms) for ago in range(last, last + every * count, every))
    return tuple(sorted(found))


def shown(facts: PodcastStatistics, columns: int = 76) -> str:
    return plain(activity(facts, columns, UNICODE, TODAY, tinted=False, framed=False, roomy=False).lines)


def test_a_weekly_show_has_one_day_a_week_in_its_calendar_under_names_of_months() -> None:
    lines = shown(PodcastStatistics(PODCAST, released=days(7))).split("\n")
    assert lines[0] == "Released in the last year"
    assert "Jan" in lines[1]
    assert "Oct" in lines[1]
    assert lines[6].removeprefix("Fri ") == "█" * 53
    assert all("█" not in line for line in (*lines[2:6], *lines[7:9]))
    assert lines[-1].endswith("30 min")


def test_a_daily_show_of_one_length_is_no_flat_block() -> None:
    assert shown(PodcastStatistics(PODCAST, released=days(1))).split("\n")[1:] == ["On 365 of 369 days."]


def test_without_lengths_the_number_of_episodes_counts() -> None:
    assert shown(PodcastStatistics(PODCAST, released=days(7, length_ms=0))).endswith("1 episode")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (PodcastStatistics(PODCAST, released=days(30, count=2)), "2 episodes, the latest published Today."),
        (PodcastStatistics(PODCAST, released=days(30, count=2, last=700)),
         "Nothing in the last year. The latest episode was published Fri 20 Dec 2024."),
    ],
)  # fmt: skip
def test_few_episodes_are_words(facts: PodcastStatistics, words: str) -> None:
    assert shown(facts).split("\n")[1:] == [words]


def test_no_episodes_are_nothing() -> None:
    assert shown(PodcastStatistics(PODCAST)) == ""


def test_what_was_heard_comes_before_what_was_released_and_both_fit_a_wide_page() -> None:
    heard = tuple((TODAY - timedelta(ago), 60_000 * (1 + ago % 7)) for ago in range(60, -1, -2))
    facts = PodcastStatistics(PODCAST, released=days(7), heard_days=heard)
    assert shown(facts).startswith("Heard in the last year")
    assert "Released" not in shown(facts)
    wide = shown(facts, 120).split("\n")
    assert "Released in the last year" in wide[0]
    assert "Heard in the last year" in wide[0]
    short = PodcastStatistics(PODCAST, released=days(7), heard_days=heard[-2:])
    assert shown(short).split("\n")[1:] == ["On 2 days, the last one Today."]


def test_a_narrow_page_shows_the_latest_weeks() -> None:
    lines = shown(PodcastStatistics(PODCAST, released=days(7)), 30).split("\n")
    assert lines[6] == "Fri " + "█" * 26

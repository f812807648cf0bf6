"""What rows and headings say in few cells."""

from datetime import UTC, date, datetime, timedelta
from gettext import NullTranslations
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.model.episode import Episode, EpisodeId, LiveState
from player.model.filters import View, ViewName
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import use
from tui.actions.table import ACTIONS, key_for
from tui.drawing import labels

TODAY = date(2026, 11, 20)


def key_of(action_id: str) -> str:
    return key_for(action_id, ACTIONS)


def episode(position_ms: int = 0, duration_ms: int | None = 24 * 60_000, played: bool = False) -> Episode:
    return Episode(
        EpisodeId(1), PodcastId(1), "P", "T", "g", "u", position_ms=position_ms, duration_ms=duration_ms, played=played
    )


@pytest.mark.parametrize(
    ("days", "text"),
    [(0, "today"), (1, "yesterday"), (2, "Wed"), (6, "Sat"), (7, "13 Nov"), (323, "1 Jan"), (324, "Dec 2025")],
)
def test_a_date_is_as_short_as_it_can_be(days: int, text: str) -> None:
    moment = datetime.combine(TODAY - timedelta(days=days), datetime.min.time()).replace(hour=12).astimezone(UTC)
    assert labels.short_date(moment, TODAY) == text


def test_a_year_has_four_digits_and_the_day_stands_before_it_where_there_is_room() -> None:
    moment = datetime(2020, 1, 16, 12, tzinfo=UTC)
    dates = [labels.short_date(moment, TODAY, cells) for cells in (11, 9, 6)]
    assert dates == ["16 Jan 2020", "Jan 2020", "2020"]
    assert labels.short_date(datetime(2026, 11, 19, 12, tzinfo=UTC), TODAY, 6) == "Thu"


class Catalan(NullTranslations):
    """Some words of another language, one of them wider than the column of dates."""

    WORDS: ClassVar = {"today": "avui", "yesterday": "abans-d'ahir", "Thu": "dj.", "Apr": "abr.",
                       "{day} {month}": "{day} d'{month}", "{time} left": "queden {time}"}  # fmt: skip

    def gettext(self, message: str) -> str:
        return self.WORDS.get(message, message)


def test_dates_and_lengths_are_translated_and_keep_to_their_columns() -> None:
    back = use(Catalan())
    try:
        today = datetime(2026, 11, 20, 12, tzinfo=UTC)
        dates = [labels.short_date(today - timedelta(days=days), TODAY) for days in (0, 1)]
        assert dates == ["avui", "dj."]
        assert labels.short_date(datetime(2026, 4, 12, 12, tzinfo=UTC), TODAY) == "12 d'abr."
        assert labels.length(episode(8 * 60_000), "−", cells=10) == "queden 16m"
        assert labels.length(episode(8 * 60_000), "−") == "−16m"
    finally:
        back()


@given(st.datetimes(datetime(1980, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC)), st.integers(0, 10**9))
def test_no_date_and_no_length_is_wider_than_its_column(moment: datetime, position: int) -> None:
    assert len(labels.short_date(moment, TODAY)) <= labels.DATE_CELLS
    for duration in (None, position, 2 * position, 99 * 3_600_000):
        assert (
            len(labels.length(episode(position % (99 * 3_600_000), duration and duration % (99 * 3_600_000)), "−")) <= 8
        )


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (episode(), "24m"),
        (episode(8 * 60_000), "16m left"),
        (episode(8 * 60_000, played=True), "24m"),
        (episode(60_000, 3_600_000 + 360_000), "−1h 05m"),
        (episode(60_000, None), ""),
        (episode(30 * 60_000), "1s left"),
    ],
)
def test_the_length_or_what_is_left(shown: Episode, text: str) -> None:
    assert labels.length(shown, "−") == text


@given(st.floats(0, 1), st.integers(1, 40))
def test_a_bar_is_never_empty_and_never_too_long(part: float, width: int) -> None:
    full, half = labels.bar(part, width)
    assert 0 < full + half <= width


def test_empty_lists_say_what_to_do() -> None:
    waiting = Podcast(PodcastId(1), "u", "P")
    read = Podcast(PodcastId(1), "u", "P", last_refreshed=datetime(2026, 1, 1, tzinfo=UTC))
    query = View.of(ViewName.PODCAST, PodcastId(1))
    assert "Not loaded yet." in labels.empty_words(query, waiting, key_of, any_podcast=True)
    assert labels.empty_words(query, read, key_of, any_podcast=True) == ("No episodes yet\nr  check for new ones")
    for name in (ViewName.ALL, ViewName.IN_PROGRESS, ViewName.STARRED):
        words = labels.empty_words(View.of(name), None, key_of, any_podcast=False)
        assert words.startswith("No podcasts yet\na  find some")
        assert "another app" in words


@pytest.mark.parametrize("any_podcast", [True, False])
def test_a_suggestion_that_was_not_opened_says_so(any_podcast: bool) -> None:
    suggested = Podcast(PodcastId(1), "u", "P", previewed=True, suggested=True)
    words = labels.empty_words(View.of(ViewName.PODCAST, PodcastId(1)), suggested, key_of, any_podcast=any_podcast)
    sentence, *keys = words.split("\n")
    assert sentence == "Suggested by Earmark: the first episode you play subscribes to it"
    assert keys == ["enter  open it", "del  remove it"]
    assert labels.page_words(suggested, key_of, any_podcast=any_podcast)[:2] == ("P", "Suggested by Earmark")


def test_a_podcast_of_which_only_the_first_episodes_are_read_says_so() -> None:
    def facts(episodes: int) -> tuple[str, ...]:
        podcast = Podcast(PodcastId(1), "u", "P", episode_count=episodes)
        return labels.view_facts(View.of(ViewName.PODCAST, podcast.id), episodes, "·", is_cut=bool(podcast.note))

    assert facts(29_999)[0] == "29,999 episodes · newest first"
    assert facts(30_000)[:2] == ("30,000 episodes · its feed may have more", "30,000 episodes · newest first")


def test_feeds_that_failed_stand_together_by_reasons_whatever_their_addresses() -> None:
    def gone(title: str) -> labels.FailedFeed:
        return labels.FailedFeed(title, f"Not found (404): https://{title}.example/feed.", "Not found (404)")

    busy = labels.FailedFeed("Busy", "busy.example has a server problem (503).", "Server problem (503)")
    assert labels.failure_words([busy], 0, 3) == ("Busy", busy.sentence)
    title, words = labels.failure_words([gone("A"), busy, gone("B")], 197, 3)
    assert title == "197 refreshed, 3 failed"
    assert words.splitlines() == [
        "Not found (404): A, B", "Server problem (503): Busy", "Select one marked ! for details.",
    ]  # fmt: skip
    _, words = labels.failure_words([gone(letter) for letter in "ABCDE"] + [busy], 0, 1)
    assert words.splitlines() == [
        "Not found (404): A, B, C and 2 more", "1 more for another reason", "Select one marked ! for details.",
    ]  # fmt: skip


def test_a_list_that_is_only_the_first_of_many_says_so() -> None:
    facts = labels.view_facts(View.of(ViewName.IN_PROGRESS), 5000, "·", more=True)
    assert facts[0] == "5,000+ episodes · last played first"


def test_what_a_refresh_brought() -> None:
    assert labels.refresh_words(0, 0, "·") == "Nothing new"
    assert labels.refresh_words(1, 0, "·") == "1 new episode"
    assert labels.refresh_words(1200, 2, "·") == "1,200 new episodes · 2 feeds failed"


@pytest.mark.parametrize(
    ("state", "when", "cells", "date", "words"),
    [
        (LiveState.LIVE, datetime(2026, 11, 20, 20), 11, "live now", "live now"),
        (LiveState.LIVE, datetime(2026, 11, 20, 20), 6, "live", "live now"),
        (LiveState.PENDING, datetime(2026, 11, 20, 20, 30), 6, "20:30", "live on 20 Nov 2026, 20:30"),
        (LiveState.PENDING, datetime(2026, 11, 24, 20), 9, "Tue 20:00", "live on 24 Nov 2026, 20:00"),
        (LiveState.PENDING, datetime(2026, 11, 24, 20), 6, "Tue", "live on 24 Nov 2026, 20:00"),
        (LiveState.PENDING, datetime(2026, 12, 24, 20), 6, "24 Dec", "live on 24 Dec 2026, 20:00"),
        (LiveState.PENDING, None, 9, "", "live soon"),
        (LiveState.ENDED, datetime(2026, 11, 19, 20), 9, "yesterday", "live on 19 Nov 2026"),
        (LiveState.ENDED, None, 9, "", "was live"),
    ],
)
def test_a_live_show_says_when_it_is_live(
    state: LiveState, when: datetime | None, cells: int, date: str, words: str
) -> None:
    show = replace(episode(), live=state, published=when.astimezone() if when else None)
    assert labels.live_date(show, TODAY, cells) == date
    assert labels.live_words(show) == words


def test_an_ordinary_episode_says_nothing_of_that() -> None:
    assert labels.live_words(episode()) == ""

"""What lists show, in which order, and what the marks do."""

from array import array
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.errors import Ambiguous, NotFound
from player.library import Library
from player.library.database.values import moment, stored
from player.library.lists.ordering import UNDATED, sort_keys
from player.model.episode import Episode, EpisodeId
from player.model.filters import State, View, ViewCounts, ViewName
from player.model.podcast import Podcast
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode

NOBODY = EpisodeId(99_999)


def titles(library: Library, view: View, limit: int | None = None) -> list[str]:
    return [row.title for row in library.episodes.rows(library.episodes.ids(view, limit))]


@pytest.fixture
def other(library: Library) -> Podcast:
    """A second podcast, each of its three episodes half a day older than one of the first."""
    podcast = library.podcasts.add("https://other.example/feed", "Other show")
    items = (
        episode(number, title=f"Other {number}", published=NEWEST - timedelta(days=number, hours=12))
        for number in range(3)
    )
    apply_feed(library, podcast, *items, title="Other show")
    return podcast


def test_a_row_tells_what_a_list_shows(library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]) -> None:
    assert library.episodes.get(ids[1]) == Episode(
        id=ids[1],
        podcast_id=podcast.id,
        podcast="A show",
        title="Episode 1",
        guid="guid-1",
        url="https://example.org/1.mp3",
        media_type="audio/mpeg",
        size=1_000_001,
        link="https://example.org/1",
        published=NEWEST - timedelta(days=1),
        duration_ms=1_800_000,
    )


@pytest.mark.usefixtures("ids", "other")
def test_the_newest_stand_on_top_across_podcasts(library: Library) -> None:
    assert titles(library, View()) == [
        *("Episode 0", "Other 0", "Episode 1", "Other 1", "Episode 2", "Other 2", "Episode 3", "Episode 4"),
    ]


@pytest.mark.usefixtures("ids")
def test_a_podcast_shows_its_own(library: Library, other: Podcast) -> None:
    assert titles(library, View.of(ViewName.PODCAST, other.id)) == ["Other 0", "Other 1", "Other 2"]
    assert titles(library, View.of(ViewName.PODCAST, other.id), 2) == ["Other 0", "Other 1"]


@pytest.mark.usefixtures("other")
def test_played_ones_can_be_left_out(library: Library, podcast: Podcast, ids: tuple[EpisodeId, ...]) -> None:
    library.episodes.set_played(ids[:4], True)
    assert titles(library, View.of(states=[State.UNPLAYED])) == ["Other 0", "Other 1", "Other 2", "Episode 4"]
    assert titles(library, View.of(ViewName.PODCAST, podcast.id, states=[State.UNPLAYED])) == ["Episode 4"]


@pytest.mark.usefixtures("other")
def test_starred_ones_have_a_view(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    library.episodes.set_starred([ids[3], ids[0]], True)
    assert titles(library, View.of(ViewName.STARRED)) == ["Episode 0", "Episode 3"]
    library.episodes.set_starred([ids[0]], False)
    assert titles(library, View.of(ViewName.STARRED)) == ["Episode 3"]
    assert titles(library, View.of(ViewName.STARRED, states=[State.UNPLAYED])) == ["Episode 3"]


def test_in_progress_has_the_last_heard_on_top(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    start = datetime.now(UTC)
    for minute, number in enumerate((2, 0, 4, 1)):
        library.progress.save(ids[number], 1000, None, start + timedelta(minutes=minute))
    library.progress.save(ids[3], 0, None, start)
    library.progress.finish(ids[4])
    assert titles(library, View.of(ViewName.IN_PROGRESS)) == ["Episode 1", "Episode 0", "Episode 2"]
    assert library.episodes.counts() == ViewCounts(all=5, in_progress=3, starred=0, new=1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("CAFÉ", ["Über das Café"]),
        ("cafe uber", ["Über das Café"]),
        ("strasse", ["Straße 5"]),
        ("5", ["Straße 5", "100% of 5_0"]),
        ("%", ["100% of 5_0"]),
        ("_", ["100% of 5_0"]),
        ("no such", []),
        ("  ", ["Über das Café", "Straße 5", "100% of 5_0"]),
    ],
)
def test_a_text_filters_titles_without_case_and_accents(
    library: Library, podcast: Podcast, text: str, found: list[str]
) -> None:
    names = ("Über das Café", "Straße 5", "100% of 5_0")
    apply_feed(library, podcast, *(episode(number, title=name) for number, name in enumerate(names)))
    assert titles(library, View().narrowed(text)) == found
    assert titles(library, View.of(ViewName.PODCAST, podcast.id, title=text)) == found


def test_rows_come_in_the_order_asked_for_without_those_that_are_gone(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    asked = array("q", [ids[3], NOBODY, ids[0], ids[3]])
    assert [row.id for row in library.episodes.rows(asked)] == [ids[3], ids[0], ids[3]]
    assert library.episodes.rows([]) == []


def test_an_episode_that_is_gone_is_not_found(library: Library) -> None:
    for ask in (library.episodes.get, library.episodes.details):
        with pytest.raises(NotFound):
            ask(NOBODY)
    assert library.episodes.notes(NOBODY) == ""
    library.episodes.set_starred([NOBODY], True)
    library.episodes.set_played([NOBODY], True)


def test_an_episode_is_found_by_number_or_title(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    assert library.episodes.find(str(ids[2])).id == ids[2]
    assert library.episodes.find("EPISODE 4").id == ids[4]
    with pytest.raises(Ambiguous):
        library.episodes.find("episode")
    with pytest.raises(NotFound, match="No episode matches “xyz”"):
        library.episodes.find("xyz")


def test_marking_says_which_of_them_it_changed(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    for mark in (library.episodes.set_starred, library.episodes.set_played):
        assert mark([ids[1]], True) == [ids[1]]
        assert mark([ids[2], ids[1], NOBODY, ids[0]], True) == [ids[2], ids[0]]
        assert mark(ids, True) == list(ids[3:])
        assert mark([ids[0]], False) == [ids[0]]
        assert mark([ids[0]], False) == []


def test_unmarking_as_played_brings_the_position_back(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    library.progress.save(ids[0], 61_000, None, datetime.now(UTC))
    library.episodes.set_played([ids[0]], True)
    assert not library.episodes.get(ids[0]).in_progress
    library.episodes.set_played([ids[0]], False)
    assert library.episodes.get(ids[0]).position_ms == 61_000
    assert library.episodes.get(ids[0]).in_progress


# -- the order of episodes without a date ---------------------------------------------------------------------


def test_undated_episodes_keep_their_place_in_the_feed(library: Library, podcast: Podcast) -> None:
    items = [episode(0, published=None), episode(1), episode(2, published=None), episode(3, published=None), episode(4)]
    apply_feed(library, podcast, *items)
    assert titles(library, View()) == [item.title for item in items]
    assert library.episodes.find("Episode 2").published is None


@pytest.mark.usefixtures("ids")
def test_a_feed_without_dates_keeps_its_order_and_stands_last(library: Library) -> None:
    undated = library.podcasts.add("https://undated.example")
    apply_feed(library, undated, *(episode(number, title=f"U{number}", published=None) for number in (2, 0, 1)))
    assert titles(library, View())[-3:] == ["U2", "U0", "U1"]


def test_what_an_undated_feed_brings_later_is_new(library: Library) -> None:
    undated = library.podcasts.add(URL)
    old = [episode(number, title=f"U{number}", published=None) for number in range(3)]
    apply_feed(library, undated, *old)
    apply_feed(library, undated, *(episode(number, title=f"N{number}", published=None) for number in (11, 12)), *old)
    assert titles(library, View()) == ["N11", "N12", "U0", "U1", "U2"]


@pytest.mark.usefixtures("ids")
def test_a_late_undated_episode_stands_behind_its_neighbour(library: Library, podcast: Podcast) -> None:
    late = episode(50, title="Late", published=None)
    apply_feed(library, podcast, episode(0), episode(1), late, *(episode(number) for number in (2, 3, 4)))
    assert titles(library, View()) == ["Episode 0", "Episode 1", "Late", "Episode 2", "Episode 3", "Episode 4"]


DATES = st.one_of(st.none(), st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))


@given(st.lists(DATES))
def test_a_first_reading_gives_every_dated_item_its_date(dates: list[datetime | None]) -> None:
    keys = sort_keys(dates, [None] * len(dates), None)
    assert all(key == stored(date) for key, date in zip(keys, dates, strict=True) if date)
    if not any(dates):
        assert keys == [UNDATED] * len(dates)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_comes_back_to_the_millisecond(when: datetime) -> None:
    assert timedelta(0) <= when - moment(stored(when)) < timedelta(milliseconds=1)

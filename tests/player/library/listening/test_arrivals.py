"""New episodes go where their podcast's rules say, in the transaction that writes them."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.library import Applied, Library
from player.library.listening.inbox import Arrival, Known, arrivals_to_keep
from player.library.search.title_filter import terms_of, title_passes
from player.model.episode import EpisodeId
from player.model.podcast import Podcast
from player.model.podcast_settings import INTO_THE_INBOX, NewEpisodeRules, NewEpisodes, PodcastSettings
from player.paths import Paths
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode
from tests.quick import examples

DAY = 24 * 60 * 60_000
NOW = 1000 * DAY
ONLY_NEWEST = NewEpisodeRules(only_newest=True)


def arrivals(*days_ago: int) -> list[Arrival]:
    """Episode 1, 2, 3, ..., as old as that."""
    return [Arrival(EpisodeId(at), f"Part {at}", NOW - days * DAY) for at, days in enumerate(days_ago, 1)]


def kept(found: list[Arrival], known: Known | None, rules: NewEpisodeRules = INTO_THE_INBOX) -> list[int]:
    return list(arrivals_to_keep(found, known, rules, NOW))


def since(days: int, *, oldest: int = 900) -> Known:
    """A podcast whose newest episode is as many days old."""
    return Known(NOW - oldest * DAY, NOW - days * DAY)


# -- the decision ---------------------------------------------------------------------------------------------


def test_a_new_subscription_brings_its_newest_episode_alone() -> None:
    assert kept(arrivals(30, 2, 900), None) == [2]
    assert kept(arrivals(5, 5, 5), None) == [1], "of those with one date the first of the feed"
    assert kept([], None) == []


def test_what_arrives_later_is_kept_the_oldest_first() -> None:
    assert kept(arrivals(0, 1, 40), since(41)) == [3, 2, 1]


def test_the_back_catalogue_brings_nothing() -> None:
    assert kept(arrivals(700, 60, 49), since(41)) == []
    assert kept(arrivals(45), since(41)) == [1], "one that comes a little late is new"
    assert kept(arrivals(12), since(10, oldest=11)) == [], "an archive's page is older than all that is known"


def test_a_date_in_the_future_hides_nothing_that_follows() -> None:
    assert kept(arrivals(1), since(-5000)) == [1]


def test_only_the_newest_of_those_that_arrive_together() -> None:
    assert kept(arrivals(3, 1, 2), since(41), ONLY_NEWEST) == [2]


def test_too_old_is_left_out() -> None:
    assert kept(arrivals(3, 8), since(41), NewEpisodeRules(age_limit_days=7)) == [1]
    assert kept(arrivals(8), None, NewEpisodeRules(age_limit_days=7)) == []


def test_the_newest_is_chosen_among_those_whose_title_fits() -> None:
    assert kept(arrivals(1, 2, 3), since(41), replace(ONLY_NEWEST, exclude="1")) == [2]


@pytest.mark.parametrize(
    ("title", "include", "exclude", "passes"),
    [
        ("Anything", "", "", True),
        ("The Café of Things", "cafe", "", True),
        ("A Deep Dive into SQLite", '"deep dive" interview', "", True),
        ("An Interview", '"deep dive" interview', "", True),
        ("Deep thoughts, no dive", '"deep dive"', "", False),
        ("Deep-Dive: pages", '"deep dive"', "", True),
        ("Advent special", "ad", "", False),
        ("Best of 2025 (RERUN)", "", "rerun", False),
        ("Best of 2025", "best", '"of 2025"', False),
        ("Unfinished quote", '"unfinished quo', "", False),
        ("Unfinished quote", '"unfinished quote', "", True),
        ("Only marks", '"" … "—"', "", True),
        ("日本語の番組", "番組", "", True),
        ("Straße der Lieder", "STRASSE", "", True),
    ],
)
def test_titles_are_filtered_by_words_and_phrases(title: str, include: str, exclude: str, passes: bool) -> None:
    assert title_passes(title, include, exclude) is passes


@settings(max_examples=examples(40))
@given(st.text(max_size=60), st.text(max_size=60))
def test_no_filter_is_too_strange(title: str, text: str) -> None:
    assert all(term == " ".join(term.split()) != "" for term in terms_of(text))
    both = title_passes(title, text, text)
    assert both is False or not terms_of(text)


# -- in the library -------------------------------------------------------------------------------------------


class Shelf:
    """A library that reads a feed of numbered episodes: the higher the number, the older."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.podcast: Podcast = library.podcasts.add(URL, "A show")

    def rules(self, rules: NewEpisodeRules) -> None:
        self.library.podcast_settings.set(self.podcast.id, PodcastSettings(new_episodes=rules))

    def read(self, *numbers: int) -> Applied:
        return apply_feed(self.library, self.podcast, *(episode(one) for one in numbers))

    def inbox(self) -> list[str]:
        return self._titles(list(self.library.inbox.ids()))

    def queue(self) -> list[str]:
        return self._titles(list(self.library.queue.ids()))

    def _titles(self, ids: list[int]) -> list[str]:
        return [row.title.removeprefix("Episode ") for row in self.library.episodes.rows([EpisodeId(i) for i in ids])]


@pytest.fixture
def shelf(paths: Paths) -> Iterator[Shelf]:
    library = Library(paths, now=lambda: NEWEST)
    library.open()
    yield Shelf(library)
    library.check()
    library.close()


def test_new_episodes_wait_in_the_inbox(shelf: Shelf) -> None:
    assert shelf.read(5, 6, 7).inbox
    assert shelf.inbox() == ["5"]
    landed = shelf.read(3, 4, 5, 6, 7)
    assert (landed.inbox, landed.queue) == (True, False)
    assert shelf.inbox() == ["3", "4", "5"]
    assert not shelf.read(3, 4, 5, 6, 7, 300).inbox
    assert shelf.inbox() == ["3", "4", "5"]


@pytest.mark.parametrize(("to", "queue"), [(NewEpisodes.QUEUE, ["9", "4", "3"]), (NewEpisodes.NEXT, ["4", "3", "9"])])
def test_they_can_go_to_either_end_of_the_queue(shelf: Shelf, to: NewEpisodes, queue: list[str]) -> None:
    shelf.library.queue.add_last(shelf.read(9).new)
    shelf.rules(NewEpisodeRules(to))
    landed = shelf.read(3, 4, 9)
    assert (landed.inbox, landed.queue) == (False, True)
    assert shelf.queue() == queue
    assert shelf.inbox() == ["9"]


def test_they_can_go_nowhere(shelf: Shelf) -> None:
    shelf.rules(NewEpisodeRules(NewEpisodes.NOWHERE))
    assert shelf.read(3, 4).new
    assert (shelf.inbox(), shelf.queue()) == ([], [])


def test_only_the_newest_takes_the_place_of_the_one_before(shelf: Shelf) -> None:
    other = shelf.library.podcasts.add(f"{URL}/other")
    apply_feed(shelf.library, other, episode(100))
    shelf.rules(ONLY_NEWEST)
    for numbers in ((5, 6), (4, 5, 6), (2, 3, 4, 5, 6)):
        shelf.read(*numbers)
    assert shelf.inbox() == ["2", "100"]


def test_what_grows_too_old_leaves_the_inbox(shelf: Shelf, paths: Paths) -> None:
    shelf.read(5)
    shelf.rules(NewEpisodeRules(age_limit_days=3))
    shelf.read(0, 1, 2, 4, 5)
    assert shelf.inbox() == ["0", "1", "2", "5"]
    later = Library(paths, now=lambda: NEWEST + timedelta(days=2), backs_up=False)
    later.open()
    assert later.inbox.expire()
    assert not later.inbox.expire()
    later.close()
    assert shelf.inbox() == ["0", "1"]


def test_nothing_goes_into_an_inbox_that_is_off(paths: Paths) -> None:
    library = Library(paths, uses_inbox=lambda: False)
    library.open()
    shelf = Shelf(library)
    shelf.read(5)
    shelf.rules(NewEpisodeRules(NewEpisodes.QUEUE))
    shelf.read(4, 5)
    assert (shelf.inbox(), shelf.queue()) == ([], ["4"])
    library.close()


def test_an_undated_episode_on_top_of_its_feed_is_new(shelf: Shelf) -> None:
    shelf.read(5, 6)
    apply_feed(shelf.library, shelf.podcast, episode(0, published=None), episode(5), episode(6))
    assert shelf.inbox() == ["0", "5"]


def test_they_arrive_with_their_episodes_or_not_at_all(shelf: Shelf) -> None:
    shelf.read(5)

    def interrupted() -> None:
        with shelf.library.transaction():
            shelf.read(4, 5)
            assert shelf.inbox() == ["4", "5"]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert shelf.inbox() == ["5"]
    assert shelf.read(4, 5).inbox

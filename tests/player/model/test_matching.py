"""Which episode here is which of another app: guid, then enclosure, then title and day."""

from datetime import UTC, datetime, timedelta
from functools import partial

from player.model.matching import Identity
from player.model.matching import matches as matched

DAY = timedelta(days=1)
NOON = datetime(2024, 10, 4, 12, tzinfo=UTC)
matches = partial(matched, loosely=True)


def test_a_guid_finds_its_episode_whatever_else_has_changed() -> None:
    here = [
        Identity("a", "https://x.example/1.mp3", "One", NOON),
        Identity("b", "https://x.example/2.mp3", "Two", NOON),
    ]
    assert matches(here, [Identity("b", "https://x.example/1.mp3", "One", NOON)]) == {0: 1}


def test_all_guids_come_before_any_enclosure() -> None:
    here = [Identity("a", "https://x.example/1.mp3", "One", NOON)]
    there = [Identity("other", "https://x.example/1.mp3", "", None), Identity("a", "", "", None)]
    assert matches(here, there) == {1: 0}


def test_an_enclosure_finds_it_with_another_scheme() -> None:
    here = [Identity("a", "https://x.example/1.mp3", "One", NOON)]
    assert matches(here, [Identity("", "http://x.example/1.mp3", "", None)]) == {0: 0}


def test_a_title_finds_it_on_its_day_and_on_those_beside_it() -> None:
    here = [Identity("a", "", "The Été", NOON), Identity("b", "", "The Été", NOON + 5 * DAY)]
    assert matches(here, [Identity("z", "", "the ete", NOON - DAY)]) == {0: 0}
    assert matches(here, [Identity("z", "", "the ete", NOON + 4 * DAY)]) == {0: 1}
    assert matches(here, [Identity("z", "", "the ete", NOON + 2 * DAY)]) == {}
    assert matches(here, [Identity("z", "", "the ete", None)]) == {}


def test_of_two_with_one_title_the_nearer_day_is_taken() -> None:
    here = [Identity("a", "", "News", NOON - DAY), Identity("b", "", "News", NOON)]
    assert matches(here, [Identity("", "", "News", NOON)]) == {0: 1}


def test_no_episode_belongs_to_two() -> None:
    here = [Identity("a", "https://x.example/1.mp3", "One", NOON)]
    assert matches(here, [Identity("a", "", "", None), Identity("a", "", "", None)]) == {0: 0}


def test_nothing_is_found_by_nothing() -> None:
    assert matches([Identity("", "", "", None)], [Identity("", "", "", None)]) == {}

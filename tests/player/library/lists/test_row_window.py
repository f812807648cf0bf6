"""The rows of a list around where somebody looks: what is here, what has to be read, and which of two is newer."""

from array import array
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from player.library import RowWindow, WholeList, read_rows
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId

LONG = 20_000


class Disk:
    """Has rows for the ids 1 to LONG, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.rows = {
            EpisodeId(one): Episode(EpisodeId(one), PodcastId(1), "A show", f"Episode {one}", f"{one}", "")
            for one in range(1, LONG + 1)
        }
        self.asked: list[int] = []

    def fetch(self, ids: Sequence[EpisodeId]) -> list[Episode]:
        self.asked += ids
        return [self.rows[one] for one in ids if one in self.rows]


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def window() -> RowWindow:
    return RowWindow(WholeList(array("q", range(1, LONG + 1))))


def read(window: RowWindow, disk: Disk, start: int, end: int) -> None:
    window.take(window.reading(start, end, disk.fetch)())


def titles(window: RowWindow, start: int, end: int) -> list[str]:
    return [row.title if (row := window.row_at(index)) else "" for index in range(start, end)]


def test_what_is_not_read_yet_is_lacking_and_then_it_is_here(window: RowWindow, disk: Disk) -> None:
    assert window.lacks(0, 10)
    assert not window.is_read(0)
    read(window, disk, 0, 10)
    assert not window.lacks(0, 10)
    assert window.lacks(0, 11)
    assert titles(window, 0, 11) == [*(f"Episode {one}" for one in range(1, 11)), ""]


def test_rows_that_are_here_are_not_fetched_again(window: RowWindow, disk: Disk) -> None:
    read(window, disk, 0, 10)
    disk.asked.clear()
    read(window, disk, 5, 15)
    assert disk.asked == [11, 12, 13, 14, 15]
    assert not window.lacks(0, 15)


def test_there_is_nothing_to_read_before_the_first_and_after_the_last(window: RowWindow, disk: Disk) -> None:
    read(window, disk, -50, 3)
    assert not window.lacks(-50, 3)
    read(window, disk, LONG - 3, LONG + 50)
    assert not window.lacks(LONG - 3, LONG + 50)
    assert not RowWindow().lacks(0, 40)


def test_an_outdated_row_is_shown_until_it_is_read_again(window: RowWindow, disk: Disk) -> None:
    read(window, disk, 0, 10)
    disk.rows[EpisodeId(3)] = replace(disk.rows[EpisodeId(3)], title="Renamed")
    disk.asked.clear()
    window.outdate([EpisodeId(3), EpisodeId(999)])
    assert titles(window, 2, 3) == ["Episode 3"]
    assert window.lacks(0, 10)
    assert not window.lacks(5, 10)
    read(window, disk, 0, 10)
    assert titles(window, 2, 3) == ["Renamed"]
    assert disk.asked == [3]
    assert not window.lacks(0, 10)


def test_what_somebody_put_is_newer_than_what_was_being_read_meanwhile(window: RowWindow, disk: Disk) -> None:
    read(window, disk, 0, 10)
    window.outdate([EpisodeId(3)])
    came = window.reading(0, 10, disk.fetch)()
    window.put(replace(disk.rows[EpisodeId(3)], starred=True))
    window.take(came)
    row = window.row_at(2)
    assert row is not None
    assert row.starred


def test_a_row_that_changed_while_it_was_read_is_read_once_more(window: RowWindow, disk: Disk) -> None:
    read(window, disk, 0, 10)
    window.outdate([EpisodeId(3)])
    came = window.reading(0, 10, disk.fetch)()
    disk.rows[EpisodeId(3)] = replace(disk.rows[EpisodeId(3)], title="Renamed")
    window.outdate([EpisodeId(3)])
    window.take(came)
    assert window.lacks(0, 10)
    read(window, disk, 0, 10)
    assert titles(window, 2, 3) == ["Renamed"]


def test_a_row_that_has_gone_is_not_asked_for_for_ever(window: RowWindow, disk: Disk) -> None:
    del disk.rows[EpisodeId(4)]
    read(window, disk, 0, 10)
    assert not window.lacks(0, 10)
    assert window.row_at(3) is None
    assert window.is_read(3)


def test_somewhere_else_in_the_list_is_read_without_what_lies_between(window: RowWindow, disk: Disk) -> None:
    read(window, disk, 0, 10)
    read(window, disk, 5000, 5010)
    assert len(disk.asked) == 20
    assert window.lacks(0, 5010)
    assert titles(window, 0, 1) == ["Episode 1"]


def test_very_many_rows_are_not_kept(window: RowWindow, disk: Disk) -> None:
    for start in range(0, LONG, 200):
        read(window, disk, start, start + 200)
        assert not window.lacks(start, start + 200)
    assert sum(window.row_at(index) is not None for index in range(LONG)) < 5000
    assert len(disk.asked) == LONG


def test_rows_come_from_a_list_in_its_order(disk: Disk) -> None:
    found = read_rows(WholeList(array("q", [5, 1, 9])), disk.fetch, 1, 40, {EpisodeId(9)})
    assert (found.start, found.end, found.ids.tolist()) == (1, 3, [1, 9])
    assert [row.title for row in found.rows] == ["Episode 1"]

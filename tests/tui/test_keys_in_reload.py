"""Keys pressed while a list is read again: each moves by one row of what is shown, and the new list keeps that."""

import itertools
import random
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from player.model.episode import EpisodeId
from player.model.podcast import Podcast
from tests.player.library.helpers import apply_feed, episode
from tests.quick import mostly_long
from tests.tui.reads import before_each_read
from tests.tui.stage import Stage, opened, player_of_many
from tui.widgets.episode_list import EpisodeList

MANY = 400
READER = "earmark-read"
"""The thread that reads lists; the rows of one that is shown are read by another."""


class Turnstile:
    """Stops the thread that reads lists at each look into the library, and lets it through when a test says so."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._shut = False
        self._stopped = False
        self._tickets = 0

    def shut(self) -> None:
        with self._changed:
            self._shut, self._tickets = True, 0

    def open(self) -> None:
        with self._changed:
            self._shut = False
            self._changed.notify_all()

    @property
    def is_somebody_there(self) -> bool:
        """Whether the thread stands before it."""
        return self._stopped and not self._tickets

    def let_one_through(self) -> None:
        with self._changed:
            self._tickets += 1
            self._changed.notify_all()

    def pass_through(self) -> None:
        if not threading.current_thread().name.startswith(READER):
            return
        with self._changed:
            self._stopped = True
            assert self._changed.wait_for(lambda: not self._shut or self._tickets, 60)
            self._tickets = max(0, self._tickets - 1)
            self._stopped = False


@pytest.fixture
def turnstile(monkeypatch: pytest.MonkeyPatch) -> Iterator[Turnstile]:
    turnstile = Turnstile()
    before_each_read(monkeypatch, turnstile.pass_through)
    yield turnstile
    turnstile.open()


class Room:
    """The app at a list, whose reading goes on only when asked to."""

    def __init__(self, stage: Stage, turnstile: Turnstile, podcast: Podcast) -> None:
        self.stage = stage
        self._turnstile = turnstile
        self._podcast = podcast
        self._numbers = itertools.count(1)

    @property
    def under(self) -> EpisodeId | None:
        return self.stage.screen.episode_id

    @property
    def shown(self) -> list[EpisodeId | None]:
        """The episodes of all lines, as far as they have been read."""
        rows = self.stage.episodes._rows
        return [rows.id_at(index) for index in range(len(rows))]

    @property
    def under_way(self) -> bool:
        return any(worker.group in ("list", "shelves") and not worker.is_finished for worker in self.stage.app.workers)

    def arrive(self, some: int) -> None:
        """Newer episodes than all the others."""
        library = self.stage.library
        apply_feed(library, self._podcast, *(episode(-next(self._numbers)) for _ in range(some)))

    async def read_again(self) -> None:
        self.stage.screen.parts.lists.load()
        await self.stage.until(lambda: self._turnstile.is_somebody_there, "a look at the list")

    async def go_on(self) -> None:
        """One look at the library further."""
        self._turnstile.let_one_through()
        await self.stage.until(lambda: self._turnstile.is_somebody_there or not self.under_way, "another look")

    async def finish(self) -> None:
        while self.under_way:
            await self.go_on()

    async def press(self, key: str) -> None:
        """Moves, by one row of what is shown; raises AssertionError where it moved otherwise, or not at all."""
        rows, window, at = self.stage.episodes, self.stage.episodes._rows, self.stage.episodes.cursor
        expected = max(0, min(at + {"j": 1, "k": -1}[key], len(window) - 1))
        should_be = window.id_at(expected)
        await self.stage.pilot.press(key)
        assert rows._rows is window, "another list came between"
        assert rows.cursor == expected
        assert should_be in (None, self.under)


@asynccontextmanager
async def room(turnstile: Turnstile) -> AsyncIterator[Room]:
    player = player_of_many(MANY)
    async with opened(player, drawn=True) as stage:
        turnstile.shut()
        yield Room(stage, turnstile, player.library.podcasts.find("A show"))
        turnstile.open()


async def test_a_key_between_any_two_looks_at_the_library_moves_by_one_row(turnstile: Turnstile) -> None:
    async with room(turnstile) as it:
        for _ in range(5):
            await it.press("j")
        it.arrive(7)
        await it.read_again()
        for _ in range(30):
            if not it.under_way:
                break
            await it.press("j")
            under = it.under
            await it.go_on()
            assert it.under == under
        await it.finish()
        assert it.under == under
        assert len(it.shown) == MANY + 7


async def test_a_list_that_grows_between_its_count_and_its_rows_keeps_the_episode_under_the_cursor(
    turnstile: Turnstile,
) -> None:
    async with room(turnstile) as it:
        for _ in range(5):
            await it.press("j")
        under = it.under
        await it.read_again()
        while it.under_way:
            it.arrive(3)
            await it.go_on()
            assert it.under == under
        assert it.stage.title == "Episode 5"


@pytest.mark.long
async def test_the_first_and_the_last_episode_keep_the_cursor_when_others_arrive(
    turnstile: Turnstile,
) -> None:
    async with room(turnstile) as it:
        await it.press("k")
        it.arrive(2)
        await it.read_again()
        await it.press("k")
        await it.finish()
        assert (it.stage.title, it.stage.episodes.cursor) == ("Episode 0", 2)
        await it.press("k")
        assert it.stage.title == "Episode -1"
        await it.stage.press("G")
        it.arrive(2)
        await it.read_again()
        await it.press("j")
        await it.finish()
        assert (it.stage.title, it.stage.episodes.cursor) == (f"Episode {MANY - 1}", MANY + 3)


async def test_the_cursor_stays_at_the_end_whose_row_is_still_being_read(
    turnstile: Turnstile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.widgets.episode_list._AT_REST_S", 3600)
    async with room(turnstile) as it:
        monkeypatch.setattr(EpisodeList, "_begin", lambda _rows: None)
        await it.press("j")
        await it.stage.pilot.press("G")
        assert it.under is None
        it.arrive(2)
        await it.read_again()
        await it.press("k")
        await it.finish()
        assert it.stage.title == f"Episode {MANY - 2}"


@pytest.mark.long
async def test_a_cursor_that_jumps_while_a_list_is_read_is_read_for_again(turnstile: Turnstile) -> None:
    async with room(turnstile) as it:
        it.arrive(2)
        await it.read_again()
        await it.stage.pilot.press("G")
        await it.stage.until(lambda: it.under, "the end")
        await it.go_on()
        await it.press("k")
        under = it.under
        await it.finish()
        assert it.under == under
        assert it.stage.title == f"Episode {MANY - 2}"


@pytest.mark.long
async def test_a_selection_that_begins_while_a_list_is_read_is_kept(turnstile: Turnstile) -> None:
    async with room(turnstile) as it:
        await it.press("j")
        it.arrive(2)
        await it.read_again()
        await it.go_on()
        await it.stage.pilot.press("V")
        await it.press("j")
        await it.finish()
        assert list(it.stage.episodes.selected) == [3, 4]


@pytest.mark.parametrize(("seed", "times"), mostly_long([(0, 60), *((seed, 120) for seed in range(8))]))
async def test_whatever_is_pressed_and_arrives_in_whatever_order_no_key_is_lost_or_doubled(
    turnstile: Turnstile, seed: int, times: int
) -> None:
    chance = random.Random(seed)
    async with room(turnstile) as it:
        for _ in range(times):
            under = it.under
            match chance.choices("jkaro", (6, 4, 2, 2, 6))[0]:
                case "j" | "k" as key:
                    await it.press(key)
                    continue
                case "a":
                    it.arrive(chance.choice((1, 5, 60)))
                case "r" if not it.under_way:
                    await it.read_again()
                case "o" if it.under_way:
                    await it.go_on()
            assert it.under == under

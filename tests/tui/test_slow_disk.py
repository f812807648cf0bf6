"""A disk that takes its time: keys are answered meanwhile, rows come when they come, and nobody sees them flicker."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from textual import events
from textual.screen import Screen

from player.player import Player
from tests.player.playback.support import wait_until
from tests.tui.reads import before_each_read
from tests.tui.stage import Stage, opened, player_of_many
from tui.app import EarmarkApp
from tui.dialogs.palette import Palette
from tui.widgets.episode_list import EpisodeList

MANY = 2_500


@pytest.fixture
def player() -> Player:
    """Left at a podcast with more episodes than are read at once."""
    return player_of_many(MANY)


class Disk:
    """Answers at once, or when it is let go; the screen's thread must not wait for it."""

    def __init__(self) -> None:
        self._answers = threading.Event()
        self._answers.set()
        self.asked = 0
        self.screen_waited = 0

    def hang(self) -> None:
        self._answers.clear()

    def let_go(self) -> None:
        self._answers.set()

    def wait(self) -> None:
        self.asked += 1
        if not self._answers.is_set() and threading.current_thread() is threading.main_thread():
            self.screen_waited += 1
        else:
            self._answers.wait(60)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk()
    before_each_read(monkeypatch, disk.wait)
    monkeypatch.setattr("tui.widgets.episode_list._AT_REST_S", 3600)
    yield disk
    disk.let_go()


def rows_in_sight(stage: Stage) -> list[str]:
    """Titles of the list, "" for a row that isn't here."""
    rows = stage.episodes
    found = (rows._rows.row_at(rows.scroll_offset.y + y) for y in range(rows.size.height))
    return [row.title if row else "" for row in found]


async def test_keys_are_answered_while_the_rows_are_still_to_come(player: Player, disk: Disk) -> None:
    async with opened(player, drawn=True) as stage:
        disk.hang()
        await stage.pilot.press("G")
        assert stage.episodes.cursor == MANY - 1
        await stage.until(lambda: "".join(rows_in_sight(stage)) == "", "the end of the list")
        assert stage.shows("▌")
        await stage.pilot.press("k", "k")
        assert stage.episodes.cursor == MANY - 3
        await stage.pilot.press("question_mark")
        await stage.until(lambda: isinstance(stage.app.screen, Palette), "the help")
        await stage.pilot.press("escape")
        disk.let_go()
        await stage.until(lambda: stage.shows("Episode 2499") and all(rows_in_sight(stage)), "the rows")
        assert stage.title == "Episode 2497"
        assert disk.screen_waited == 0


async def test_quitting_does_not_wait_for_the_rows(player: Player, disk: Disk) -> None:
    async with opened(player, drawn=True) as stage:
        disk.hang()
        await stage.pilot.press("G", "q")
        await stage.until(lambda: not stage.app.is_running, "the end")
        assert disk.screen_waited == 0
        disk.let_go()


@pytest.mark.parametrize(("key", "waits_for"), [("q", "the end"), ("question_mark", "the help")])
async def test_a_list_that_is_still_to_come_holds_up_neither_the_end_nor_the_help(
    player: Player, disk: Disk, key: str, waits_for: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.framework.typing_ahead._LONGEST_S", 3600)
    async with opened(player, drawn=True) as stage:
        disk.hang()
        await stage.pilot.press("h", "k", "l", key)
        await stage.until(
            lambda: not stage.app.is_running if key == "q" else isinstance(stage.app.screen, Palette), waits_for
        )
        assert disk.screen_waited == 0
        disk.let_go()


async def test_a_key_about_a_row_waits_a_moment_for_it(
    player: Player, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.framework.typing_ahead._LONGEST_FOR_ROW_S", 30.0)
    async with opened(player, drawn=True) as stage:
        disk.hang()
        await stage.pilot.press("G")
        stage.app.post_message(events.Key("s", "s"))
        await stage.pilot.pause()
        assert stage.news == ""
        disk.let_go()
        await stage.until(lambda: stage.news == "Star added", "the star")
        assert stage.title == "Episode 2499"


@pytest.mark.long
async def test_a_key_about_a_row_that_does_not_come_does_nothing_to_another(
    player: Player, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.framework.typing_ahead._LONGEST_FOR_ROW_S", 0.01)
    async with opened(player, drawn=True) as stage:
        disk.hang()
        await stage.pilot.press("G", "s")
        await stage.until(lambda: stage.news == "This row is still being read", "the words")
        disk.let_go()
        await stage.until(lambda: all(rows_in_sight(stage)), "the rows")
        assert stage.library.episodes.counts().starred == 0


async def test_a_key_that_is_held_shows_no_row_that_is_blank(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    blank: list[int] = []
    display = EarmarkApp._display

    def watched(app: EarmarkApp, screen: Screen[Any], drawn: Any) -> None:
        display(app, screen, drawn)
        if drawn is not None and not app._batch_count:
            blank.append(rows_in_sight(stage).count(""))

    async with opened(player, drawn=True) as stage:
        monkeypatch.setattr(EarmarkApp, "_display", watched)
        for _ in range(10):
            for _ in range(20):
                stage.app.post_message(events.Key("down", None))
            await stage.pilot.pause()
            await stage.until(lambda: not (stage.episodes._reading or stage.episodes._soon), "what lies ahead")
        assert stage.episodes.cursor == 200
    assert len(blank) >= 10
    assert sum(blank) == 0


async def test_the_end_of_a_list_that_was_looked_at_for_a_moment_is_here_before_the_key_that_leads_there(
    player: Player, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.widgets.episode_list._AT_REST_S", 0.01)
    async with opened(player, drawn=True) as stage:
        await stage.until(lambda: stage.episodes._rows.row_at(MANY - 1), "the end")
        await stage.settle()
        disk.hang()
        await stage.pilot.press("G")
        assert all(rows_in_sight(stage))
        assert stage.title == "Episode 2499"
        await stage.pilot.press("g")
        assert all(rows_in_sight(stage))
        disk.let_go()


async def test_a_row_that_changed_stays_in_sight_until_it_is_read_again(player: Player, disk: Disk) -> None:
    async with opened(player, drawn=True) as stage:
        below = stage.episodes._rows.id_at(3)
        assert below is not None
        before = rows_in_sight(stage)
        disk.hang()
        stage.library.episodes.set_starred([below], True)
        stage.episodes.forget([below])
        await stage.pilot.pause()
        assert rows_in_sight(stage) == before
        disk.let_go()
        await stage.until(lambda: (row := stage.episodes._rows.row_at(3)) is not None and row.starred, "the star")


async def test_a_list_that_is_read_anew_follows_a_cursor_that_moved_meanwhile(player: Player, disk: Disk) -> None:
    async with opened(player, drawn=True) as stage:
        await stage.press("j", "j")
        disk.hang()
        asked = disk.asked
        stage.screen.parts.lists.load()
        await stage.until(lambda: disk.asked > asked, "another look at the list")
        await stage.pilot.press("j", "j", "j")
        under = stage.screen.episode_id
        disk.let_go()
        await stage.settle()
        assert (stage.episodes.cursor, stage.screen.episode_id) == (5, under)


async def test_the_widget_is_let_go_with_its_thread(player: Player) -> None:
    async with opened(player, drawn=True) as stage:
        await stage.press("G")
        rows = stage.episodes
        assert isinstance(rows, EpisodeList)
        reader = rows._reader
    wait_until(lambda: not reader._busy, "the end of its reads")
    with pytest.raises(RuntimeError):
        reader.submit(int)

"""A library that can't be read in the middle: a sentence where its rows would be, and an app that goes on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Never

import pytest

from player.errors import LibraryError
from player.library.database.connections import Connections
from player.player import Player
from tests.quick import mostly_long
from tests.tui.stage import Stage, opened, player_of_many
from tests.tui.test_slow_disk import MANY
from tui.actions.table import ACTIONS
from tui.framework.screen import start_worker
from tui.framework.typing_ahead import AT_ONCE


@pytest.fixture
def player() -> Player:
    return player_of_many(MANY)


@contextmanager
def unreadable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def fail(*_what: object, **_more: object) -> Never:
        raise LibraryError("The library can't be read: disk I/O error", "Look at the disk.")

    with monkeypatch.context() as patch:
        patch.setattr(Connections, "reading", fail)
        patch.setattr(Connections, "writing", fail)
        yield


def alive(stage: Stage) -> bool:
    return stage.app.bug is None and stage.app._exit is False


async def test_rows_that_cannot_be_read_are_a_sentence_and_come_when_they_can(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.widgets.episode_list._AGAIN_S", 0.05)
    monkeypatch.setattr("tui.widgets.episode_list._AT_REST_S", 3600)
    async with opened(player, drawn=True) as stage:
        with unreadable(monkeypatch):
            await stage.pilot.press("G")
            await stage.until(lambda: stage.shows("disk I/O error"), "the sentence")
            await stage.pilot.press("k", "ctrl+u", "space", "s", "enter")
            assert alive(stage)
        await stage.until(lambda: stage.shows(f"Episode {MANY - 1}"), "the rows")
        assert not stage.shows("disk I/O error")


async def test_rows_that_were_seen_stay_when_the_library_goes(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(player, drawn=True) as stage:
        title, rows = stage.title, [line for line in stage.lines() if "Episode 1" in line]
        with unreadable(monkeypatch):
            below = stage.episodes._rows.id_at(5)
            assert below is not None
            stage.episodes.forget([below])  # it has to be read again
            await stage.until(lambda: stage.episodes._trouble, "the failure")
            assert stage.title == title
            assert [line for line in stage.lines() if "Episode 1" in line][:5] == rows[:5]
            assert alive(stage)


@pytest.mark.long
@pytest.mark.parametrize("of_each", mostly_long([1, 9]))
async def test_no_key_ends_the_app_while_the_library_cannot_be_read(
    player: Player, monkeypatch: pytest.MonkeyPatch, of_each: int
) -> None:
    """So many keys of each action; more than one does the same."""
    keys = [key for action in ACTIONS if action.id != "quit" for key in action.keys[:of_each] if key not in AT_ONCE]
    async with opened(player, drawn=True) as stage:
        main = stage.screen
        with unreadable(monkeypatch):
            for key in keys:
                await stage.pilot.press(key)
                for _ in range(3):
                    if stage.app.screen is not main:
                        await stage.pilot.press("escape")
                assert alive(stage), key
        assert stage.app.screen is main
    assert len(keys) > 40


async def test_what_a_timer_or_a_worker_meets_is_told_and_the_app_goes_on(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(player, drawn=True) as stage:

        async def read() -> None:
            player.library.podcasts.all()

        with unreadable(monkeypatch):
            start_worker(stage.screen, read)
            stage.app.set_timer(0.01, player.library.podcasts.all)
            stage.screen.set_timer(0.01, player.library.podcasts.all)
            stage.screen.call_later(player.library.podcasts.all)
            await stage.until(lambda: len(stage.app._notifications) >= 4, "the sentences")
            assert alive(stage)
        await stage.press("j")
        assert stage.episodes.cursor == 1


async def test_a_bug_still_ends_the_app(player: Player) -> None:
    async def meet_it() -> None:
        async with opened(player, drawn=True) as stage:
            stage.screen.call_later(lambda: 1 // 0)
            await stage.pilot.pause()

    with pytest.raises(ZeroDivisionError):
        await meet_it()


async def test_what_the_app_remembers_is_written_beside_it(player: Player) -> None:
    """Here another write takes its time; keys answer meanwhile."""
    started, over = threading.Event(), threading.Event()

    def write() -> None:
        with player.library.transaction():
            started.set()
            over.wait(30)

    async with opened(player, drawn=True) as stage:
        threading.Thread(target=write, daemon=True).start()
        assert started.wait(10)
        await stage.app.run_action("switch_theme")
        await stage.press("v")
        await stage.run("narrower")
        assert stage.shows("Text width: ")
        assert stage.app.theme == "paper"
        assert not over.is_set()
        over.set()
        await stage.until(lambda: player.library.state.get("theme") == "paper over auto", "the write")
        await stage.until(lambda: player.library.state.get("reading_width"), "the other one")

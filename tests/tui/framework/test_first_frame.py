"""The first frame: drawn once, with its rows, and never waited for in vain."""

from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from textual.screen import Screen

from player.player import Player
from tests.tui.alone import screen_text, until
from tests.tui.stage import stocked_player
from tui.app import EarmarkApp

ROW = "Compiler collectives"


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each frame of an app showed."""
    shown: list[str] = []
    display = EarmarkApp._display

    def watched(app: EarmarkApp, screen: Screen[Any], drawn: Any) -> None:
        display(app, screen, drawn)
        if drawn is not None and not app._batch_count:
            shown.append(screen_text(app))

    monkeypatch.setattr(EarmarkApp, "_display", watched)
    return shown


@pytest.fixture
def player() -> Iterator[Player]:
    made = stocked_player()
    yield made
    made.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen waits for its rows however long a busy machine takes to read them."""
    monkeypatch.setattr("tui.framework.first_frame._PATIENCE_S", 60)


@pytest.fixture
def held(player: Player, monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """The library answers when it is set; the screen has no patience."""
    monkeypatch.setattr("tui.framework.first_frame._PATIENCE_S", 0.01)
    read, answers = player.library.podcasts.all, Event()
    monkeypatch.setattr(player.library.podcasts, "all", lambda: (answers.wait(10), read())[1])
    yield answers
    answers.set()


@pytest.mark.usefixtures("patient")
async def test_the_first_frame_has_its_rows_its_keys_and_the_last_episode_at_its_place(
    frames: list[str], player: Player
) -> None:
    async with EarmarkApp(player).run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: frames)
        assert ROW in frames[0]
        assert "◐ Inductor - Post-grad" not in frames[0]
        assert "▌⏸ Inductor - Post-grad" in frames[0]
        assert "8:12" in frames[0]
        assert "space resume" in frames[0]


async def test_a_library_that_takes_its_time_leaves_no_empty_terminal(
    frames: list[str], player: Player, held: Event
) -> None:
    async with EarmarkApp(player).run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: frames)
        assert ROW not in frames[0]
        held.set()
        await until(pilot, lambda: ROW in frames[-1])


async def test_what_a_key_opens_before_the_first_frame_keeps_nothing_from_starting(player: Player, held: Event) -> None:
    app = EarmarkApp(player)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: player.status.episode)
        held.set()
        await pilot.press("escape")
        await until(pilot, lambda: ROW in screen_text(app))

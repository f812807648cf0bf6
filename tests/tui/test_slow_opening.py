"""A library that takes its time to open: the app is there meanwhile, answers keys, and can be quit."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from player.errors import DamagedLibrary, LibraryError
from player.library import Library
from player.library.app_state import AppState
from player.paths import Paths
from player.player import Player
from player.processes.threads import DaemonThreads
from tests.tui.alone import screen_text, until
from tests.tui.stage import QUIET
from tui.app import EarmarkApp
from tui.dialogs.damaged import DamagedScreen
from tui.run import run_app
from tui.screens.main import MainScreen

WAITING = "Opening your library"


class SlowPlayer(Player):
    """Opens when it is let go, or fails then."""

    def __init__(self, paths: Paths) -> None:
        super().__init__(paths, QUIET)
        self.let_go = threading.Event()
        self.fails_with: Exception | None = None

    def open(self) -> None:
        self.let_go.wait(60)
        if self.fails_with is not None:
            raise self.fails_with
        super().open()

    def opening(self) -> Future[None]:
        return DaemonThreads(1, "test-open").submit(self.open)


@pytest.fixture
def player(paths: Paths) -> Iterator[SlowPlayer]:
    player = SlowPlayer(paths)
    yield player
    player.let_go.set()
    player.close()


async def test_a_key_that_quits_is_answered_before_the_library_is_open(player: SlowPlayer) -> None:
    app = EarmarkApp(player, opening=player.opening())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: WAITING in screen_text(app))
        await pilot.press("q")
        await until(pilot, lambda: not app.is_running)
    assert app.return_value == 0
    assert not player.let_go.is_set()


async def test_the_app_goes_on_when_the_library_is_open(player: SlowPlayer) -> None:
    app = EarmarkApp(player, opening=player.opening())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: WAITING in screen_text(app))
        await pilot.press("j", "enter", "space")  # what is meant for the list does no harm
        player.let_go.set()
        await until(pilot, lambda: "1. Press play" in screen_text(app))
        assert isinstance(app.screen, MainScreen)
        assert WAITING not in screen_text(app)


async def test_a_library_that_turns_out_to_be_damaged_is_asked_about(player: SlowPlayer) -> None:
    player.fails_with = DamagedLibrary("The library is damaged", "Nothing was changed in it.")
    app = EarmarkApp(player, opening=player.opening())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: WAITING in screen_text(app))
        player.let_go.set()
        await until(pilot, lambda: isinstance(app.screen, DamagedScreen))


async def test_a_library_that_cannot_be_opened_after_all_ends_the_app_with_its_sentence(player: SlowPlayer) -> None:
    player.fails_with = LibraryError("No space is left", "Make room.")
    app = EarmarkApp(player, opening=player.opening())
    async with app.run_test(size=(100, 30)) as pilot:
        player.let_go.set()
        await until(pilot, lambda: not app.is_running)
    assert app.return_value == 1
    assert app.refused is player.fails_with


def test_an_app_that_waits_no_longer_for_its_library_ends_in_time(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = threading.Event()
    monkeypatch.setattr(Library, "open", lambda _library: let_go.wait(60))
    monkeypatch.setattr(EarmarkApp, "run", lambda app, mouse: 0 if app._opening is not None else 1)
    before = time.monotonic()
    assert run_app(paths, QUIET) == 0
    assert time.monotonic() - before < 20
    let_go.set()


def test_what_a_key_needs_is_built_without_reading_the_library(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(paths, QUIET)
    player.open()
    read: list[str] = []

    def noted(_state: AppState, key: str) -> None:
        read.append(key)

    monkeypatch.setattr(AppState, "get", noted)
    assert player.session is not None
    assert read == []
    player.close()

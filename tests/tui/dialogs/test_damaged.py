"""A damaged library: what is offered, and that a slow disk holds up neither the dialog nor its keys."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from player import regular_file
from player.errors import DamagedLibrary, LibraryError
from player.library import Library, Repair
from player.library.database.backups import Backups
from player.library.search.index import SearchIndex
from player.paths import Paths
from player.player import Player
from tests.player.library.helpers import URL
from tests.tui.alone import Alone, until, words_of
from tests.tui.stage import QUIET
from tui.app import EarmarkApp
from tui.dialogs.damaged import DamagedScreen
from tui.screens.main import MainScreen
from tui.widgets.choices import ChoiceLabel

DAY = datetime(2026, 11, 19, 12, 4, tzinfo=UTC)
NOISE = b"this is no database " * 1000
BACKED_UP = "b restore the backup of 19 Nov 2026"
TITLE = "A podcast of the backup"


@pytest.fixture
def damaged(paths: Paths) -> Paths:
    """A library that can't be read, and a backup of it with one podcast more than a fresh one."""
    library = Library(paths, backs_up=False)
    library.open()
    library.podcasts.add(URL, TITLE)
    library.close()
    Backups(paths.library, paths.backups, 1000).make(DAY)
    paths.library.write_bytes(NOISE)
    return paths


class SlowDisk:
    """The functions that are held wait until they are let go; it is noted where the screen's thread calls one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.let_go = threading.Event()
        self.started = threading.Event()
        self.screen_called: list[str] = []

    def hold(self, owner: Any, name: str, fails_with: Exception | None = None) -> None:
        at_once = getattr(owner, name)

        def held(*how: Any, **more: Any) -> Any:
            if threading.current_thread() is threading.main_thread():
                self.screen_called.append(name)
            else:
                self.started.set()
                self.let_go.wait(60)
            if fails_with is not None:
                raise fails_with
            return at_once(*how, **more)

        self._monkeypatch.setattr(owner, name, held)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowDisk]:
    disk = SlowDisk(monkeypatch)
    yield disk
    disk.let_go.set()
    assert disk.screen_called == []


@asynccontextmanager
async def asked(paths: Paths, size: tuple[int, int] = (100, 30)) -> AsyncIterator[tuple[EarmarkApp, Pilot[int]]]:
    """Earmark itself, with the dialog on the screen."""
    player = Player(paths, QUIET)
    with pytest.raises(DamagedLibrary) as found:
        player.open()
    app = EarmarkApp(player, damaged=found.value)
    try:
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: isinstance(app.screen, DamagedScreen))
            yield app, pilot
    finally:
        player.close()


def shown(app: App[Any]) -> str:
    """All that is on the screen, without its line breaks."""
    return words_of(app)


def shows(app: App[Any], words: str) -> Callable[[], bool]:
    return lambda: words in shown(app)


def set_aside(paths: Paths) -> list[Path]:
    return sorted(paths.data.glob("library.damaged-*"))


async def test_it_says_what_is_wrong_where_the_file_will_be_kept_and_what_can_be_done(damaged: Paths) -> None:
    async with asked(damaged, (200, 40)) as (app, pilot):
        await until(pilot, shows(app, BACKED_UP))
        assert "Your library is damaged" in shown(app)
        assert f"Thelibrary{damaged.library}isdamaged.Thedamagedfilewillbekeptin{damaged.data}." in shown(app).replace(
            " ", ""
        )
        assert "f start with a fresh library" in shown(app)
        assert "q quit, and change nothing" in shown(app)
        assert "Looking for backups" not in shown(app)


@pytest.mark.parametrize("key", ["b", "enter"])
async def test_a_backup_is_restored_and_opens(damaged: Paths, key: str) -> None:
    async with asked(damaged) as (app, pilot):
        await until(pilot, shows(app, BACKED_UP))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert app.player.library.podcasts.find(TITLE)
    assert [path.read_bytes() for path in set_aside(damaged)] == [NOISE]


async def test_every_good_backup_can_be_chosen_with_what_it_has_in_sight(damaged: Paths) -> None:
    fresh = Library(damaged, backs_up=False)
    fresh.set_aside()
    fresh.open()
    fresh.close()
    Backups(damaged.library, damaged.backups, 1000).make(DAY.replace(year=2040))
    damaged.library.write_bytes(NOISE)
    async with asked(damaged, (200, 40)) as (app, pilot):
        await until(pilot, shows(app, "2 restore the backup of 19 Nov 2040"))
        assert f"{BACKED_UP}, 12:04: 3 podcasts, 0 episodes, 0 stars, 0 bookmarks, 0 positions" in shown(app)
        await pilot.press("3")
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert all(podcast.title != TITLE for podcast in app.player.library.podcasts.all())


async def test_a_fresh_library_opens_at_its_welcome(damaged: Paths) -> None:
    async with asked(damaged) as (app, pilot):
        await pilot.press("f")
        await until(pilot, shows(app, "1. Press play"))
        assert all(podcast.title != TITLE for podcast in app.player.library.podcasts.all())
    assert [path.read_bytes() for path in set_aside(damaged)] == [NOISE]


@pytest.mark.parametrize("key", ["q", "escape", "ctrl+c"])
async def test_quitting_changes_nothing(damaged: Paths, key: str) -> None:
    async with asked(damaged) as (app, pilot):
        await pilot.press(key)
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0
    assert damaged.library.read_bytes() == NOISE
    assert set_aside(damaged) == []


async def test_without_a_good_backup_none_is_offered(damaged: Paths) -> None:
    for path in damaged.backups.iterdir():
        path.write_bytes(NOISE)
    async with asked(damaged) as (app, pilot):
        await until(pilot, shows(app, "There is no usable backup."))
        await pilot.press("b", "enter")
        assert "restore" not in shown(app).lower()
        assert damaged.library.read_bytes() == NOISE
        await pilot.click(next(iter(app.screen.query(ChoiceLabel))))
        await until(pilot, lambda: isinstance(app.screen, MainScreen))


async def test_on_the_smallest_terminal_every_choice_is_in_sight(damaged: Paths) -> None:
    async with Alone().run_test(size=(40, 12)) as pilot:
        damage = DamagedLibrary("The library ~/.local/share/earmark/library.db is damaged")
        repair = Repair(Library(damaged), lambda: None)
        pilot.app.push_screen(DamagedScreen(damage, Path("~/.local/share/earmark"), repair))
        await until(pilot, shows(pilot.app, BACKED_UP))
        assert "q quit" in shown(pilot.app)


# -- a slow disk ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_it_can_be_quit_while_backups_are_looked_for(damaged: Paths, disk: SlowDisk, key: str) -> None:
    disk.hold(Backups, "good")
    async with asked(damaged) as (app, pilot):
        await until(pilot, shows(app, "Looking for backups…"))
        assert "f start with a fresh library" in shown(app)
        await pilot.press("b", "enter")  # not offered yet
        assert "Looking for backups…" in shown(app)
        await pilot.press(key)
        await until(pilot, lambda: not app.is_running)
        assert not disk.let_go.is_set()
    assert damaged.library.read_bytes() == NOISE


async def test_a_backup_is_offered_as_soon_as_it_is_found(damaged: Paths, disk: SlowDisk) -> None:
    disk.hold(Backups, "good")
    async with asked(damaged) as (app, pilot):
        await until(pilot, shows(app, "Looking for backups…"))
        assert BACKED_UP not in shown(app)
        disk.let_go.set()
        await until(pilot, shows(app, BACKED_UP))
        assert "Looking" not in shown(app)


async def test_a_fresh_library_does_not_wait_for_the_backups(damaged: Paths, disk: SlowDisk) -> None:
    disk.hold(Backups, "good")
    async with asked(damaged) as (app, pilot):
        await until(pilot, shows(app, "Looking for backups…"))
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert not disk.let_go.is_set()


async def test_restoring_is_announced_and_done_once(damaged: Paths, disk: SlowDisk) -> None:
    disk.hold(regular_file, "pieces")
    async with asked(damaged) as (app, pilot):
        await until(pilot, shows(app, BACKED_UP))
        await pilot.press("b")
        await until(pilot, shows(app, "Restoring…"))
        await pilot.press("b", "enter", "f")
        assert "fresh" not in shown(app)
        disk.let_go.set()
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert app.player.library.podcasts.find(TITLE)
    assert len(set_aside(damaged)) == 1


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_quitting_while_it_is_restored_leaves_the_damaged_library_where_it_is(
    damaged: Paths, disk: SlowDisk, key: str
) -> None:
    disk.hold(regular_file, "pieces")
    async with asked(damaged) as (app, pilot):
        await until(pilot, shows(app, BACKED_UP))
        await pilot.press("b")
        await until(pilot, shows(app, "Restoring…"))
        assert isinstance(app.screen, DamagedScreen)
        threads = app.screen._repair._threads
        await pilot.press(key)
        await until(pilot, lambda: not app.is_running)
        assert not disk.let_go.is_set()
    disk.let_go.set()
    threads.shutdown()
    assert not any(thread.is_alive() for thread in threads._running)
    assert not (damaged.data / "library.restoring").exists()
    assert damaged.library.read_bytes() == NOISE
    assert set_aside(damaged) == []


@pytest.mark.parametrize(("key", "words"), [("b", "Restoring…"), ("f", "Starting a fresh library…")])
async def test_opening_may_take_long_too(
    damaged: Paths, disk: SlowDisk, monkeypatch: pytest.MonkeyPatch, key: str, words: str
) -> None:
    async with asked(damaged) as (app, pilot):
        disk.hold(Library, "_open")
        disk.hold(SearchIndex, "throw_away")
        await until(pilot, shows(app, BACKED_UP))
        await pilot.press(key)
        await until(pilot, shows(app, words))
        await until(pilot, disk.started.is_set)
        disk.let_go.set()
        await until(pilot, lambda: isinstance(app.screen, MainScreen))


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        (LibraryError("No space left", "Make room."), "No space left. Make room."),
        (OSError(5, "input/output"), "(input/output)"),
        (ZeroDivisionError(), "Something went wrong inside Earmark. See the log."),
    ],
)
async def test_a_search_for_backups_that_fails_says_so_and_a_fresh_start_is_left(
    damaged: Paths, disk: SlowDisk, failure: Exception, sentence: str
) -> None:
    disk.hold(Backups, "good", fails_with=failure)
    async with asked(damaged) as (app, pilot):
        disk.let_go.set()
        await until(pilot, shows(app, sentence))
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))


async def test_a_backup_that_can_not_be_restored_says_why_and_can_be_tried_again(
    damaged: Paths, disk: SlowDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asked(damaged) as (app, pilot):
        await until(pilot, shows(app, BACKED_UP))
        with monkeypatch.context() as full:
            disk = SlowDisk(full)
            disk.let_go.set()
            disk.hold(regular_file, "pieces", fails_with=OSError(28, "no space"))
            await pilot.press("b")
            await until(pilot, shows(app, "No space left for the library"))
        assert BACKED_UP in shown(app)
        assert damaged.library.read_bytes() == NOISE
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, MainScreen))
        assert app.player.library.podcasts.find(TITLE)

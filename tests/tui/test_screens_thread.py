"""The screen's thread leaves the library and its files to others, whatever is pressed."""

import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import tui
from player.background.launching import Launched
from player.library.database.connections import Connections
from player.paths import Paths
from tests.tui.stage import Stage, opened, stocked_player
from tui.actions.table import ACTIONS
from tui.framework.typing_ahead import AT_ONCE
from tui.screens.main import MainScreen

_TUI = Path(tui.__file__).parent


class Watch:
    """Keeps what the screen's thread did with the library, or with a file of Earmark's, while it is `on`."""

    def __init__(self, home: Path) -> None:
        self.home = str(home)
        self.on = False
        self.found: set[str] = set()

    def note(self, what: str) -> None:
        if self.on and threading.current_thread() is threading.main_thread():
            stack = traceback.extract_stack(limit=40)
            ours = [f"{Path(one.filename).name}:{one.name}" for one in stack if _TUI in Path(one.filename).parents]
            self.found.add(f"{what} in {' > '.join(ours)}")

    def audited(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(self.home):
            self.note(f"open {Path(arguments[0]).name}")


_watches: list[Watch] = []
_hooked = False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    for watch in _watches:
        watch.audited(event, arguments)


@pytest.fixture
def watch(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    global _hooked
    watch = Watch(paths.data.parent)
    for name in ("reading", "writing", "watched"):
        _note(watch, name, monkeypatch)
    if not _hooked:
        sys.addaudithook(_audit)  # never to be taken off again
        _hooked = True
    _watches.append(watch)
    yield watch
    _watches.remove(watch)


def _note(watch: Watch, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    used = getattr(Connections, name)

    @contextmanager
    def noted(connections: Connections, *how: Any, **more: Any) -> Iterator[Any]:
        watch.note("SQL")
        with used(connections, *how, **more) as connection:
            yield connection

    monkeypatch.setattr(Connections, name, noted)


ALL = tuple(
    action.keys[0] for action in ACTIONS if action.id != "quit" and action.keys and action.keys[0] not in AT_ONCE
)
OF_EPISODE = ("enter", "o", "y", "Y", "J", "K", "'", "4", "p")
WIDE, NARROW = (120, 24), (50, 24)


@pytest.mark.parametrize(
    ("size", "way", "keys"),
    [
        pytest.param(WIDE, (), ALL, id="in the list"),
        pytest.param(NARROW, (), ("j", "v", "o", "Y"), id="in the list alone", marks=pytest.mark.long),
        pytest.param(NARROW, ("h",), ("j", "enter", "y", "i", "'"), id="in the sidebar", marks=pytest.mark.long),
        pytest.param(WIDE, ("l",), ("4", *OF_EPISODE), id="on the page", marks=pytest.mark.long),
        pytest.param(NARROW, ("v",), OF_EPISODE, id="in the reading view", marks=pytest.mark.long),
        pytest.param(WIDE, ("i",), ("enter", "'", "y"), id="on a podcast's page", marks=pytest.mark.long),
        pytest.param(WIDE, ("ctrl+f", "q"), ("down", "enter"), id="in the search"),
    ],
)
async def test_whatever_is_pressed_the_screens_thread_neither_reads_nor_writes(
    paths: Paths,
    watch: Watch,
    size: tuple[int, int],
    way: tuple[str, ...],
    keys: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Takes its seconds: each key is pressed where it does something, and all that it brings about is waited for."""
    launched = Launched("No player starts in the background here.")
    monkeypatch.setattr("player.background.launching.launch", lambda *_how: launched)
    async with opened(stocked_player(), size) as stage:
        watch.on = True
        for key in keys:
            await stage.press(*way, key)
            stage.lines()
            await home(stage)
        watch.on = False
    assert watch.found == set()


async def home(stage: Stage) -> None:
    """Back to the list."""
    while not isinstance(stage.app.screen, MainScreen):
        await stage.press("escape")
    while stage.focus != "episodes":
        await stage.press("l" if stage.focus == "sidebar" else "escape")


async def test_that_would_be_noticed(paths: Paths, watch: Watch) -> None:
    player = stocked_player()
    async with opened(player):
        watch.on = True
        player.library.state.get("theme")
        paths.log.parent.mkdir(parents=True, exist_ok=True)
        paths.log.write_text("")
        watch.on = False
    assert {what.partition(" in ")[0] for what in watch.found} == {"SQL", f"open {paths.log.name}"}

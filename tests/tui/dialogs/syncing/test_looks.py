"""What the dialogs about syncing look like, at a usual size and at a small one."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Input

from player.sync.ways import Typed, ways
from tests.quick import mostly_long
from tests.tui.alone import Alone, until, words_of
from tests.tui.dialogs.syncing.states import FAILING, NOW, PLAN, FixedSync, browser_login, refusing
from tests.tui.looks import layers, styles_on, words_on
from tui.dialogs.dialog import Dialog
from tui.dialogs.syncing import FirstMergeScreen, SyncScreen, TypedScreen, WaysScreen

STATES: dict[str, Callable[[], Dialog[Any]]] = {
    "standing": lambda: SyncScreen(FixedSync(FAILING), lambda: NOW),
    "merge": lambda: FirstMergeScreen(PLAN, list, FixedSync(FAILING).follow, "U"),
    "browser": browser_login,
    "ways": lambda: WaysScreen(ways()),
    "server": lambda: TypedScreen(Typed("gpodder", "example.org", "laptop", "ann", "secret"), refusing),
}
COMES = {"server": "Correct them.", "browser": "Opening in the browser"}
"""Words that come later than the others."""


@pytest.fixture(autouse=True)
def _same_everywhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in (("TZ", "UTC"), ("BROWSER", "true")):
        monkeypatch.setenv(name, value)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def shows(app: Alone, words: str) -> bool:
    return words in words_of(app)


@pytest.mark.parametrize(("size", "theme"), mostly_long([((80, 24), "ink"), ((50, 15), "paper")]))
async def test_dialogs(size: tuple[int, int], theme: str, snapshot: SnapshotAssertion) -> None:
    app = Alone(theme=theme)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        for state, made in STATES.items():
            await app.push_screen(made())
            for field in app.screen.query(Input):
                field.cursor_blink = False
            if state == "server":
                await pilot.press("enter")
            await until(pilot, partial(shows, app, COMES.get(state, "")))
            await pilot.pause()
            assert words_on(app) == snapshot(name=state)
            assert layers(styles_on(app)) == snapshot(name=f"{state} styles")
            app.pop_screen()

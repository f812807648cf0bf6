"""What the dialogs about syncing look like, at a usual size and at a small one."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from textual.pilot import Pilot

from player.sync.ways import Typed, ways
from tests.quick import mostly_long
from tests.tui.alone import Alone
from tests.tui.dialogs.syncing.states import FAILING, NOW, PLAN, FixedSync, browser_login, refusing
from tui.dialogs.dialog import Dialog
from tui.dialogs.syncing.first_merge import FirstMergeScreen
from tui.dialogs.syncing.signing_in import TypedScreen
from tui.dialogs.syncing.standing import SyncScreen
from tui.dialogs.syncing.ways import WaysScreen

STATES: dict[str, Callable[[], Dialog[Any]]] = {
    "standing": lambda: SyncScreen(FixedSync(FAILING), lambda: NOW),
    "merge": lambda: FirstMergeScreen(PLAN, list, FixedSync(FAILING).follow, "U"),
    "browser": browser_login,
    "ways": lambda: WaysScreen(ways()),
    "server": lambda: TypedScreen(Typed("gpodder", "example.org", "laptop", "ann", "secret"), refusing),
}
SHOTS = [
    *(((80, 24), "ink", name) for name in STATES),
    *(((50, 15), "paper", name) for name in STATES),
]


@pytest.fixture(autouse=True)
def _same_everywhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in (("TZ", "UTC"), ("COLORTERM", "truecolor"), ("TERM", "xterm-256color"), ("BROWSER", "true")):
        monkeypatch.setenv(name, value)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("size", "theme", "state"), mostly_long(SHOTS, quick=3))
def test_dialogs(snap_compare: Callable[..., bool], size: tuple[int, int], theme: str, state: str) -> None:
    app = Alone(theme=theme)
    app.animation_level = "none"

    async def prepare(pilot: Pilot[None]) -> None:
        await pilot.app.push_screen(STATES[state]())
        if state == "server":
            await pilot.press("enter")
        for _round in range(5):
            await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=prepare)

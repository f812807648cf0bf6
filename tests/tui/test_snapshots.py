"""What Earmark looks like, at the sizes and in the themes it was drawn for.

A difference is shown in snapshot_report.html; look at it before taking it with `--snapshot-update`.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.shelf import TODAY
from tests.tui.stage import Stage, stocked_player
from tui.app import EarmarkApp
from tui.screens.main import MainScreen
from tui.widgets.player_bar import PlayerBar

Compare = Callable[..., bool]

SIZES = ((160, 45), (120, 40), (80, 24), (40, 12))
THEMES = ("ink", "paper")


@pytest.fixture
def compare(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    """`compare(size, theme, keys, show)`: opens the app on the fixed library, presses keys, compares."""
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(PlayerBar, "now", staticmethod(lambda: datetime(2026, 3, 1, 18, 30)))

    def run(size: tuple[int, int], theme: str = "ink", keys: str = "", show: str = "PyTorch Developer Podcast") -> bool:
        with _app(theme, show) as (app, prepare):
            return snap_compare(app, terminal_size=size, run_before=lambda pilot: prepare(pilot, keys.split()))

    return run


@contextmanager
def _app(theme: str, show: str) -> Iterator[tuple[EarmarkApp, Callable[[Pilot[Any], list[str]], Awaitable[None]]]]:
    player = stocked_player(show=show, theme=theme)
    app = EarmarkApp(player, today=lambda: TODAY)
    app.animation_level = "none"

    async def prepare(pilot: Pilot[Any], keys: list[str]) -> None:
        stage = Stage(app, pilot, player)
        await stage.until(lambda: stage.ready and stage.screen.status.episode, "the first frame")
        await stage.until(lambda: stage.filled, "the tabs")
        await stage.settle()  # chapters in the bar: under a dialog, they would be drawn when it closes
        await stage.press(*keys)
        await stage.until(lambda: not isinstance(app.screen, MainScreen) or stage.filled, "the tabs")
        await stage.settle()

    try:
        yield app, prepare
    finally:
        player.close()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_main_screen(compare: Callable[..., bool], size: tuple[int, int], theme: str) -> None:
    assert compare(size, theme)


@pytest.mark.parametrize("theme", THEMES)
def test_scripts_and_emoji(compare: Callable[..., bool], theme: str) -> None:
    assert compare((120, 40), theme, show="Signs & scripts")


@pytest.mark.parametrize(
    ("keys", "size"),
    [
        ("h", (80, 24)),
        ("l", (80, 24)),
        ("h g j j j l", (160, 45)),
        ("slash i n d", (120, 40)),
        ("question_mark", (120, 40)),
        ("a", (80, 24)),
        ("h delete", (80, 24)),
        ("l", (40, 12)),
        pytest.param("h", (40, 12), marks=pytest.mark.long),
        ("o j", (80, 24)),
        pytest.param("o", (40, 12), marks=pytest.mark.long),
        ("v", (120, 40)),
        ("v", (40, 12)),
    ],
)
def test_after_keys(compare: Callable[..., bool], keys: str, size: tuple[int, int]) -> None:
    assert compare(size, keys=keys)


def test_a_feed_that_failed(compare: Callable[..., bool]) -> None:
    assert compare((120, 40), show="CoRecursive")


def test_without_colours(compare: Callable[..., bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert compare((120, 40))


def test_in_256_colours(compare: Callable[..., bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "")
    assert compare((80, 24))

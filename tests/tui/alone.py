"""A bare app for one widget or dialog at a time, in Earmark's themes; it keeps the messages that come up."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from player.paths import Paths
from player.player import Player
from tests.tui.stage import QUIET, drawn_when_looked_at
from tui.app import EarmarkApp
from tui.look.glyphs import UNICODE, Glyphs
from tui.look.themes import theme_of
from tui.widgets.choices import Frame
from tui.widgets.page_view import PageView
from tui.widgets.player_bar import PlayerBar

_FRAME = str.maketrans("│╭╮╰╯─", "      ")


class Alone(App[None]):
    CSS = "#_default { background: $background; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *widgets: Widget, theme: str = "ink", glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.hyperlinks = True
        self.heard: list[object] = []
        self._widgets = widgets
        for name in ("ink", "paper"):
            self.register_theme(theme_of(name))
        self.theme = theme

    def compose(self) -> ComposeResult:
        yield from self._widgets

    def on_page_view_followed(self, message: PageView.Followed) -> None:
        self.heard.append(message.href)

    def on_player_bar_seek(self, message: PlayerBar.Seek) -> None:
        self.heard.append(message.position_ms)

    def on_player_bar_toggle(self) -> None:
        self.heard.append("toggle")

    def on_player_bar_go_to_playing(self) -> None:
        self.heard.append("go to playing")

    def on_player_bar_go_to_podcast(self) -> None:
        self.heard.append("go to podcast")

    def on_player_bar_toggle_speed(self) -> None:
        self.heard.append("toggle speed")

    def on_player_bar_toggle_sound(self) -> None:
        self.heard.append("toggle sound")

    def on_player_bar_change_speed(self, message: PlayerBar.ChangeSpeed) -> None:
        self.heard.append(("speed", message.by))

    def on_player_bar_change_volume(self, message: PlayerBar.ChangeVolume) -> None:
        self.heard.append(("volume", message.by))


def text_of(widget: Widget) -> list[str]:
    """The widget's lines as they stand on the screen, without trailing space."""
    return [widget.render_line(row).text.rstrip() for row in range(widget.size.height)]


def screen_text(app: App[Any]) -> str:
    """All that is on the screen."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    assert len(strips) <= height
    assert all(strip.cell_length <= width for strip in strips)
    return "\n".join(strip.text.rstrip() for strip in strips)


def words_of(app: App[Any]) -> str:
    """All that is on the screen, without its line breaks and the frames of dialogs."""
    return " ".join(screen_text(app).translate(_FRAME).split())


async def click_key(pilot: Pilot[Any], answer: str) -> None:
    """Clicks the key in the bottom border of the dialog that leads to that answer."""
    frame = pilot.app.screen.query_one(Frame)
    column = next(column for column, choice in frame.placed if choice.answer == answer)
    assert await pilot.click(frame, offset=(column, frame.outer_size.height - 1))


async def until(pilot: Pilot[Any], condition: Callable[[], object], seconds: float = 30) -> None:
    """Lets the app work until `condition` holds; fails after `seconds`."""
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "it never came"
        await asyncio.sleep(0.01)
        await pilot.pause()


@asynccontextmanager
async def real_app(paths: Paths, size: tuple[int, int] = (120, 36)) -> AsyncIterator[tuple[EarmarkApp, Pilot[int]]]:
    """Earmark itself on a new library, with the silent engine, once the built-in podcast stands on the screen."""
    player = Player(paths, QUIET)
    player.open()
    try:
        app = EarmarkApp(player)
        with drawn_when_looked_at():
            async with app.run_test(size=size) as pilot:
                await until(pilot, lambda: "1. Press play" in screen_text(app))
                yield app, pilot
    finally:
        player.close()

"""The app on a terminal in memory: a real library, the silent engine, no network but loopback."""

import asyncio
import atexit
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import copytree
from typing import cast

import pytest
from msgspec.structs import replace
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import WorkerCancelled

from player.feeds.welcome_podcast import unpack_welcome
from player.library import Library
from player.model.filters import View, ViewName
from player.paths import Paths
from player.player import Player
from player.settings import Feeds, Playback, Settings
from tests.player.library.helpers import URL, apply_feed, episode, refill
from tests.quick import LONG
from tests.tui.shelf import TODAY, stock
from tui.app import EarmarkApp
from tui.chosen import write_view
from tui.framework.screen import OwnScreen
from tui.screens.main import MainScreen
from tui.widgets.episode_list import EpisodeList
from tui.widgets.footer import KeyFooter
from tui.widgets.sidebar import Sidebar

QUIET = Settings(playback=Playback(engine="silent"), feeds=Feeds(refresh_on_start=False, refresh_minutes=0))
"""Nothing is refreshed by itself, but the built-in podcast."""

DEADLINE_S = 30.0


@dataclass
class Stage:
    app: EarmarkApp
    pilot: Pilot[int]
    player: Player
    drawn: dict[Screen[object], list[str]] | None = None
    """What the screen in front shows, until it changes; None where screens are drawn after every change."""
    looked: bool = False
    """Whether what the screen shows since the last key was drawn."""

    @property
    def screen(self) -> MainScreen:
        return cast(MainScreen, self.app.screen)

    @property
    def ready(self) -> bool:
        return isinstance(self.app.screen, MainScreen) and self.screen.episode is not None

    @property
    def filled(self) -> bool:
        """Whether the page shows all that the episode under the cursor has, if it is in sight."""
        page, episode = self.screen.page, self.screen.episode
        if not page.display or episode is None:
            return True
        return page.filled and page.shown is not None and page.shown[0].id == episode.id

    @property
    def library(self) -> Library:
        return self.player.library

    @property
    def episodes(self) -> EpisodeList:
        return self.screen.query_one("#episodes", EpisodeList)

    @property
    def sidebar(self) -> Sidebar:
        return self.screen.query_one("#sidebar", Sidebar)

    @property
    def focus(self) -> str:
        """The id of what has the focus."""
        return (self.app.focused and self.app.focused.id) or ""

    @property
    def title(self) -> str:
        """Of the episode under the cursor; "" while a dialog is in front."""
        episode = getattr(self.screen, "episode", None)
        return episode.title if episode else ""

    @property
    def news(self) -> str:
        return self.screen.query_one(KeyFooter).news

    @property
    def panes(self) -> list[str]:
        """The panes that are shown, from left to right."""
        shown = [pane.id or "" for pane in self.screen.query("#body > *") if pane.display]
        return [name.removesuffix("-pane") for name in shown]

    def way_to(self, name: ViewName) -> list[str]:
        """The keys that go to a view in the sidebar, from any pane of a wide screen."""
        views = [entry.view for entry in self.sidebar._entries if entry.view is not None]
        return ["h", "h", "g", *("j" * views.index(View.of(name)))]

    def lines(self) -> list[str]:
        """What the terminal shows."""
        self.looked = True
        screen = self.app.screen
        if self.drawn is None or _is_to_change(screen) or screen not in self.drawn:
            lines = [strip.text for strip in screen._compositor.render_strips()]
            if self.drawn is None:
                return lines
            self.drawn[screen] = lines
        return self.drawn[screen]

    def lines_of(self, widget: Widget) -> list[str]:
        """What the terminal shows where a widget is."""
        where = widget.region
        return [line[where.x : where.right] for line in self.lines()[where.y : where.bottom]]

    def shows(self, text: str) -> bool:
        return any(text in line for line in self.lines())

    async def press(self, *keys: str) -> None:
        """Each key when all that the one before it began is on the screen."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def run(self, *action_ids: str) -> None:
        """As by the list of commands: what may have no key."""
        for action_id in action_ids:
            self.screen.act(action_id)
            await self.settle()

    async def do(self, *steps: str) -> None:
        """Presses each key; a step with `@` before it is the id of an action."""
        for step in steps:
            await (self.run(step[1:]) if step.startswith("@") else self.press(step))

    async def write(self, text: str) -> None:
        """All of it at once into the field that has the focus."""
        self.app.post_message(events.Paste(text))
        await self.settle()

    async def settle(self) -> None:
        """Waits for what is being written to the library, for reads of it, and for the frame after them."""
        self.looked = False
        await self.pilot.pause()
        with suppress(RuntimeError):  # it has been closed
            await asyncio.wrap_future(self.player._writes.submit(lambda: None))
        await self.pilot.pause()
        while working := [worker for worker in self.app.workers if not worker.is_finished]:
            for worker in working:
                with suppress(WorkerCancelled):  # another took its place
                    await worker.wait()
            await self.pilot.pause()

    async def until(self, condition: Callable[[], object], what: str = "it") -> None:
        """Waits for what a thread brings about; fails after a deadline."""
        end = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < end, f"{what} didn't happen; the screen shows:\n" + "\n".join(self.lines())
            await asyncio.sleep(0.005)
        await self.pilot.pause()

    async def resize(self, width: int, height: int) -> None:
        await self.pilot.resize_terminal(width, height)
        await self.settle()


@asynccontextmanager
async def opened(player: Player, size: tuple[int, int] = (120, 40), *, drawn: bool = False) -> AsyncIterator[Stage]:
    """The app with a player that is open; ready when its rows are there.

    Unless `drawn`, a screen is drawn when a test looks at it, and with `make test-long` at the end, not after every
    key: drawing is a third of the time that an app takes here.
    """
    app = EarmarkApp(player, today=lambda: TODAY)
    app.animation_level = "none"
    try:
        with nullcontext() if drawn else drawn_when_looked_at() as lines:
            async with app.run_test(size=size, notifications=True) as pilot:
                stage = Stage(app, pilot, player, lines)
                await stage.until(lambda: stage.ready, "the first frame")
                await stage.settle()
                yield stage
                if LONG and not stage.looked and app.is_running and app.screen_stack:
                    stage.lines()
    finally:
        player.close()


@contextmanager
def drawn_when_looked_at() -> Iterator[dict[Screen[object], list[str]]]:
    """Screens only forget what would have to be drawn again; `Stage.lines` draws all of one, and keeps it until any
    screen changes."""
    drawn: dict[Screen[object], list[str]] = {}

    def forget(screen: OwnScreen[object]) -> None:
        screen._compositor._dirty_regions.clear()
        screen._dirty_widgets.clear()
        drawn.clear()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(OwnScreen, "_compositor_refresh", forget)
        yield drawn


def _is_to_change(screen: Screen[object]) -> bool:
    """Whether something was changed that hasn't come to `_compositor_refresh` yet."""
    due = screen._layout_required or screen._scroll_required or screen._dirty_widgets or screen.message_queue_size
    return bool(due) or any(widget._repaint_required for widget in screen._compositor.visible_widgets)


def stocked_player(
    *, show: str = "PyTorch Developer Podcast", settings: Settings = QUIET, theme: str = "ink"
) -> Player:
    """A player with the library of `shelf`, left at a podcast, the cursor on the last episode."""
    copytree(_stock(show), Paths.of().data, dirs_exist_ok=True)
    player = Player(Paths.of(), replace(settings, appearance=replace(settings.appearance, theme=theme)))
    player.open()
    return player


@cache
def _stock(show: str) -> Path:
    """The data of `stocked_player`, made once for each process of the tests."""
    home = tempfile.TemporaryDirectory(prefix="earmark-stock-")
    atexit.register(home.cleanup)
    paths = Paths.of({"EARMARK_HOME": home.name})
    before = Player(paths, QUIET)
    before.open()
    podcasts = stock(before.library)
    view = View.of(ViewName.PODCAST, podcasts[show])
    before.library.state.set("screen", write_view(view, before.library.progress.last()))
    before.library.search.catch_up()  # each app would have another process do that
    before.close()
    return paths.data


@asynccontextmanager
async def stocked(
    size: tuple[int, int] = (120, 40),
    *,
    show: str = "PyTorch Developer Podcast",
    settings: Settings = QUIET,
    drawn: bool = False,
) -> AsyncIterator[Stage]:
    """The app with a `stocked_player`."""
    async with opened(stocked_player(show=show, settings=settings), size, drawn=drawn) as stage:
        yield stage


def player_of_many(count: int) -> Player:
    """A player left at “A show”, with so many episodes: filled once for each process of the tests."""
    library = Library(Paths.of())
    library.open()
    refill(library, _filled_with(count))
    library.close()
    player = Player(Paths.of(), QUIET)
    player.open()
    return player


@cache
def _filled_with(count: int) -> Callable[[Library], None]:
    def fill(library: Library) -> None:
        unpack_welcome(library)
        podcast = library.podcasts.add(URL, "A show")
        apply_feed(library, podcast, *(episode(number) for number in range(count)))
        library.state.set("screen", write_view(View.of(ViewName.PODCAST, podcast.id), None))

    return fill

"""Every screen at every size: what it shows, that nothing is cut off, and that its words can be read in every theme."""

import pkgutil
import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from syrupy.assertion import SnapshotAssertion
from textual.geometry import Region
from textual.screen import Screen

import tui.dialogs
import tui.screens
from player.library.database.values import stored
from player.player import Player
from player.text.sentences import mark, translate
from tests.tui.dialogs.gallery import gallery
from tests.tui.looks import layers, styles_on, words_on
from tests.tui.stage import Stage, opened, stocked_player
from tui import manual
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.damaged import DamagedScreen
from tui.dialogs.dialog import Dialog
from tui.dialogs.find_in_page import FindInPage
from tui.dialogs.link_chooser import LinksScreen
from tui.dialogs.output_chooser import OutputScreen
from tui.dialogs.palette import Palette
from tui.dialogs.podcast_names import TagsScreen
from tui.dialogs.podcast_settings import PodcastSettingsScreen
from tui.dialogs.settings import SettingsScreen
from tui.dialogs.sleep import SleepScreen
from tui.dialogs.transcribing import TranscribingScreen
from tui.framework.screen import OwnScreen
from tui.look.built_in import BUILT_IN
from tui.screens.about import AboutScreen
from tui.screens.find import FindScreen
from tui.screens.main import MainScreen
from tui.screens.now_playing import NowPlayingScreen
from tui.screens.preview import PreviewScreen
from tui.screens.reading import ReadingScreen
from tui.screens.search import SearchScreen
from tui.screens.statistics import StatisticsScreen

THEMES = ("ink", "paper", "high-contrast-dark", "ansi")
SIZES = ("300x100", "160x45", "80x24", "40x12", "30x8")
ONE_QUICK = [pytest.param(size, marks=() if size == "80x24" else pytest.mark.long) for size in SIZES]
SCREENS: dict[str, tuple[type[OwnScreen[Any]], str]] = {
    "main": (MainScreen, ""),
    "sidebar": (MainScreen, "h h"),
    "notes": (MainScreen, "l"),
    "search": (SearchScreen, "ctrl+f"),
    "reading": (ReadingScreen, "v"),
    "finding words": (FindInPage, "v slash p a s s"),
    "podcast": (AboutScreen, "i"),
    "now playing": (NowPlayingScreen, "w"),
    "statistics": (StatisticsScreen, "@statistics"),
    "commands": (Palette, "question_mark"),
    "palette": (Palette, "question_mark t h e m e"),
    "find": (FindScreen, "a"),
    "preview": (PreviewScreen, "a down down enter"),
    "links": (LinksScreen, "o"),
    "sleep timer": (SleepScreen, "t"),
    "podcast settings": (PodcastSettingsScreen, "c"),
    "settings": (SettingsScreen, "C"),
    "unsubscribe": (ConfirmScreen, "h delete"),
    "tags": (TagsScreen, "h @tags"),
    "filter": (MainScreen, "slash i n d"),
    "starred": (MainScreen, "h g j j j l"),
}
"""The keys, or with `@` the actions, that lead to each from the main screen, where an episode is paused; the last two
move the cursor there."""
COMES = {"preview": mark("{again} tries again, {back} goes back.")}
"""What a screen says later than the rest: that nothing can be fetched here."""
LEAST_CONTRAST = 3.0
"""As in WCAG 2.2: of headings and words that matter less; which of the others have 4.5 is tested with the themes."""


def every_screen() -> set[type[Screen[Any]]]:
    """But for those that others are made from."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if ".dialogs" in module.name or ".screens" in module.name:
            import_module(module.name)

    def below(kind: type[Screen[Any]]) -> Iterator[type[Screen[Any]]]:
        for one in kind.__subclasses__():
            if one.__module__.startswith("tui."):
                kinds = {*below(one)}
                yield from kinds or {one}

    return {*below(Screen)}


async def each_screen(stage: Stage, names: Iterable[str] = SCREENS) -> AsyncIterator[str]:
    """Opens one of SCREENS after the other; their names."""
    for name in names:
        kind, keys = SCREENS[name]
        await stage.do(*keys.split())
        assert type(stage.app.screen) is kind, name
        comes = translate(COMES[name]).split()[-1] if name in COMES else ""
        await stage.until(partial(stage.shows, comes), "the end of what is fetched")
        yield name
        while len(stage.app.screen_stack) > 2:
            await stage.press("escape")
        await stage.press("escape", "escape", "l")


@pytest.fixture(autouse=True)
def no_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of commands finds its pages too, and what they say changes without a change of the screens."""
    monkeypatch.setattr(manual, "passages", lambda _wanted: [])


@pytest.mark.parametrize("size", ONE_QUICK)
async def test_what_every_screen_shows(size: str, snapshot: SnapshotAssertion) -> None:
    async with opened(player_of_a_day(), cells(size)) as stage:
        async for name in each_screen(stage):
            assert words_on(stage.app) == snapshot(name=name)
            assert layers(styles_on(stage.app)) == snapshot(name=f"{name} styles")
            assert pale(stage) == {}, name


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
async def test_how_every_screen_looks_in_other_themes(size: str, snapshot: SnapshotAssertion) -> None:
    async with opened(player_of_a_day(), cells(size)) as stage:
        async for name in each_screen(stage):
            assert await styles_in(stage, THEMES[1:]) == snapshot(name=name)


async def test_what_the_main_screen_shows_at_every_size(snapshot: SnapshotAssertion) -> None:
    async with opened(player_of_a_day(), (160, 45)) as stage:
        for size in ("160x45", "120x40", "80x24", "40x12"):
            await stage.resize(*cells(size))
            await stage.until(lambda: stage.filled, "the tabs")
            assert words_on(stage.app) == snapshot(name=size)
            assert await styles_in(stage, THEMES[:2]) == snapshot(name=f"{size} styles")


@pytest.mark.parametrize("show", ["Signs & scripts", "CoRecursive"])
async def test_scripts_emoji_and_a_feed_that_failed(show: str, snapshot: SnapshotAssertion) -> None:
    async with opened(stocked_player(show=show), (120, 40)) as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        assert words_on(stage.app) == snapshot
        assert await styles_in(stage, THEMES[:2]) == snapshot(name="styles")


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("COLORTERM", "")])
async def test_with_fewer_colours(
    variable: str, value: str, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    async with opened(player_of_a_day(), (80, 24)) as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        assert words_on(stage.app) == snapshot
        assert layers(styles_on(stage.app)) == snapshot(name="styles")


def cells(size: str) -> tuple[int, int]:
    columns, rows = map(int, size.split("x"))
    return columns, rows


def player_of_a_day() -> Player:
    """Its podcasts were refreshed on the day before TODAY."""
    player = stocked_player()
    with sqlite3.connect(player.paths.library) as connection:
        at = stored(datetime(2026, 11, 19, 20, tzinfo=UTC))
        connection.execute("UPDATE podcasts SET last_refreshed = ? WHERE last_refreshed IS NOT NULL", (at,))
    connection.close()
    return player


WAITS = {DamagedScreen, OutputScreen, TranscribingScreen}
"""What they show comes later, and isn't the same everywhere: a backup, sound outputs, and what makes transcripts. They
have their own tests."""
OTHERS = sorted(
    {one for one in every_screen() if issubclass(one, Dialog)} - {kind for kind, _ in SCREENS.values()} - WAITS,
    key=lambda one: one.__name__,
)
"""Dialogs that no keys above lead to."""


@pytest.mark.long
@pytest.mark.parametrize("kind", OTHERS, ids=lambda one: one.__name__)
async def test_what_every_other_dialog_shows(kind: type[Dialog[Any]], snapshot: SnapshotAssertion) -> None:
    async with opened(stocked_player(), (120, 40)) as stage:
        stage.app.push_screen(gallery(stage.player)[kind]())
        for size in SIZES[1:]:
            await stage.resize(*cells(size))
            assert words_on(stage.app) == snapshot(name=size)
            assert await styles_in(stage, THEMES) == snapshot(name=f"{size} styles")


def test_every_screen_is_in_the_gallery() -> None:
    """A new one needs a line in SCREENS, or, if it is a dialog, in `tests/tui/dialogs/gallery.py`."""
    assert every_screen() - {kind for kind, _ in SCREENS.values()} - {*OTHERS} - WAITS == set()


@pytest.mark.long
@pytest.mark.parametrize("theme", BUILT_IN)
async def test_every_word_can_be_read(theme: str) -> None:
    async with opened(stocked_player(theme=theme), (120, 40)) as stage:
        async for name in each_screen(stage):
            assert pale(stage) == {}, f"{name} in {theme}"


async def styles_in(stage: Stage, themes: Sequence[str]) -> str:
    """The styles of the cells in each of those; the words stay the same."""
    words, made = words_on(stage.app), []
    for theme in themes:
        stage.app._dressing.themes.look_at(theme)
        await stage.settle()
        await stage.until(lambda: words_on(stage.app) == words, "the same text")
        made.append(styles_on(stage.app))
    stage.app._dressing.themes.look_away()
    return layers(*made)


def pale(stage: Stage) -> dict[str, float]:
    """The words on the screen that can't be read, with their contrast."""
    return {words: ratio for words, ratio in contrasts(stage) if ratio < LEAST_CONTRAST}


def contrasts(stage: Stage) -> Iterator[tuple[str, float]]:
    """The words on the screen, each with its contrast to its ground; with a dialog, only the dialog's."""
    screen = stage.app.screen
    own = Region.from_union([widget.region for widget in screen.children if widget.region]) if screen.is_modal else None
    for y, strip in enumerate(screen._compositor.render_strips()):
        x = 0
        for segment in strip:
            if (own is None or own.contains(x, y)) and any(map(str.isalnum, segment.text)) and segment.style:
                yield segment.text.strip(), contrast(segment.style)
            x += cell_len(segment.text)


def contrast(style: Style) -> float:
    if style.color is None or style.bgcolor is None or style.color.is_default or style.bgcolor.is_default:
        return 21.0
    light, dark = sorted((luminance(style.color), luminance(style.bgcolor)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: Color) -> float:
    parts = [part / 255 for part in color.get_truecolor()]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

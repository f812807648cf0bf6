"""Every screen at every size: what it shows, that nothing is cut off, and that its words can be read in every theme."""

import pkgutil
import re
import sqlite3
import string
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from itertools import groupby
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
from tests.quick import mostly_long
from tests.tui.dialogs.gallery import gallery
from tests.tui.stage import Stage, opened, stocked_player
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.damaged import DamagedScreen
from tui.dialogs.dialog import Dialog
from tui.dialogs.find_in_page import FindInPage
from tui.dialogs.link_chooser import LinksScreen
from tui.dialogs.output_chooser import OutputScreen
from tui.dialogs.palette import Palette
from tui.dialogs.podcast_names import TagsScreen
from tui.dialogs.podcast_settings import PodcastSettingsScreen
from tui.dialogs.sleep import SleepScreen
from tui.framework.screen import OwnScreen
from tui.look.built_in import BUILT_IN
from tui.screens.about import AboutScreen
from tui.screens.find import FindScreen
from tui.screens.help import HelpScreen
from tui.screens.main import MainScreen
from tui.screens.now_playing import NowPlayingScreen
from tui.screens.preview import PreviewScreen
from tui.screens.reading import ReadingScreen
from tui.screens.search import SearchScreen
from tui.screens.statistics import StatisticsScreen

THEMES = ("ink", "paper", "high-contrast-dark", "ansi")
SIZES = ("300x100", "160x45", "80x24", "40x12", "30x8")
SCREENS: dict[str, tuple[type[OwnScreen[Any]], str]] = {
    "main": (MainScreen, ""),
    "sidebar": (MainScreen, "h h"),
    "notes": (MainScreen, "l"),
    "filter": (MainScreen, "slash i n d"),
    "search": (SearchScreen, "ctrl+f"),
    "reading": (ReadingScreen, "v"),
    "finding words": (FindInPage, "v slash p a s s"),
    "podcast": (AboutScreen, "i"),
    "now playing": (NowPlayingScreen, "w"),
    "statistics": (StatisticsScreen, "S"),
    "help": (HelpScreen, "question_mark"),
    "palette": (Palette, "ctrl+p t h e m e"),
    "find": (FindScreen, "a"),
    "preview": (PreviewScreen, "a down down enter"),
    "links": (LinksScreen, "o"),
    "sleep timer": (SleepScreen, "t"),
    "podcast settings": (PodcastSettingsScreen, "c"),
    "unsubscribe": (ConfirmScreen, "h delete"),
    "tags": (TagsScreen, "h number_sign"),
}
"""The keys that lead to each from the main screen, where an episode is paused."""
COMES = {"preview": "esc goes"}
"""Words that a screen shows later than the others: that nothing can be fetched here."""
CLOCK = re.compile(r"(?<=ends )\d\d:\d\d|(?<=yesterday )\d\d:\d\d")
"""What depends on the time of day."""
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


@pytest.mark.parametrize(("size", "name"), mostly_long(((size, name) for size in SIZES for name in SCREENS), quick=0))
async def test_what_every_screen_shows(size: str, name: str, snapshot: SnapshotAssertion) -> None:
    columns, rows = map(int, size.split("x"))
    kind, keys = SCREENS[name]
    async with opened(player_of_a_day(), (columns, rows)) as stage:
        await stage.press(*keys.split())
        assert type(stage.app.screen) is kind
        await stage.until(lambda: stage.shows(COMES.get(name, "")), "the end of what is fetched")
        text, styles = await shown(stage)
        assert text == snapshot
        assert styles == snapshot(name="styles")


def player_of_a_day() -> Player:
    """Its podcasts were refreshed on the day before TODAY."""
    player = stocked_player()
    with sqlite3.connect(player.paths.library) as connection:
        at = stored(datetime(2026, 11, 19, 20, tzinfo=UTC))
        connection.execute("UPDATE podcasts SET last_refreshed = ? WHERE last_refreshed IS NOT NULL", (at,))
    connection.close()
    return player


WAITS = {DamagedScreen, OutputScreen}
"""What they show comes later, and isn't the same everywhere: a backup, and sound outputs. Both have their own tests."""
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
            await stage.resize(*map(int, size.split("x")))
            text, styles = await shown(stage)
            assert text == snapshot(name=size)
            assert styles == snapshot(name=f"{size} styles")


async def test_every_screen_is_in_the_gallery() -> None:
    """A new one needs a line in SCREENS, or, if it is a dialog, in `tests/tui/dialogs/gallery.py`."""
    assert every_screen() - {kind for kind, _ in SCREENS.values()} - {*OTHERS} - WAITS == set()
    async with opened(stocked_player()) as stage:
        assert {*OTHERS} - gallery(stage.player).keys() == set()


@pytest.mark.parametrize("theme", [*mostly_long(BUILT_IN, quick=1)])
async def test_every_word_can_be_read(theme: str) -> None:
    async with opened(stocked_player(theme=theme), (120, 40)) as stage:
        for name, (_, keys) in SCREENS.items():
            await stage.press(*keys.split())
            pale = {words: ratio for words, ratio in contrasts(stage) if ratio < LEAST_CONTRAST}
            assert pale == {}, f"{name} in {theme}"
            await leave(stage)


async def shown(stage: Stage) -> tuple[str, str]:
    """The text on the screen, and the styles of its cells in each of THEMES."""
    lines = stage.lines()
    columns, rows = stage.app.size
    assert [line for line in lines if cell_len(line) != columns] == []
    assert len(lines) == rows
    made = []
    for theme in THEMES:
        stage.app._dressing.themes.look_at(theme)
        await stage.settle()
        await stage.until(
            lambda: CLOCK.sub("", "".join(stage.lines())) == CLOCK.sub("", "".join(lines)), "the same text"
        )
        made.append(styles_of_cells(stage))
    stage.app._dressing.themes.look_away()
    return timeless(lines), layer(made)


def timeless(lines: list[str]) -> str:
    return CLOCK.sub("00:00", "\n".join(line.rstrip() for line in lines))


def styles_of_cells(stage: Stage) -> list[list[str]]:
    return [
        [words(segment.style) for segment in strip for _ in range(cell_len(segment.text))]
        for strip in stage.app.screen._compositor.render_strips()
    ]


def words(style: Style | None) -> str:
    """Like `#d5dbe6 on #10131a bold`, without what a cell links to."""
    plain = Style() if style is None else style
    colour, ground = (one.name if one is not None else "default" for one in (plain.color, plain.bgcolor))
    names = ("bold", "dim", "italic", "underline", "reverse", "strike")
    return " ".join([colour, "on", ground, *(name for name in names if getattr(plain, name))])


def layer(themes: list[list[list[str]]]) -> str:
    """Each row of cells as runs of letters with their lengths, and what the letters mean in each theme."""
    letters: dict[tuple[str, ...], str] = {}
    rows = []
    for cells in zip(*themes, strict=True):
        runs = [(style, len(list(run))) for style, run in groupby(zip(*cells, strict=True))]
        rows.append(" ".join(f"{letters.setdefault(style, letter(len(letters)))}{count}" for style, count in runs))
    lines, at = [], 1
    for row, same in groupby(rows):
        count = len(list(same))
        lines.append(f"{at if count == 1 else f'{at}-{at + count - 1}'}: {row}")
        at += count
    return "\n".join([*lines, "", *(f"{name}: {' | '.join(style)}" for style, name in letters.items())])


def letter(number: int) -> str:
    alphabet = string.ascii_letters
    return (
        alphabet[number]
        if number < len(alphabet)
        else letter(number // len(alphabet) - 1) + alphabet[number % len(alphabet)]
    )


async def leave(stage: Stage) -> None:
    """Back to the main screen, whatever is open."""
    while len(stage.app.screen_stack) > 2:
        await stage.press("escape")
    await stage.press("escape", "escape", "l")


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

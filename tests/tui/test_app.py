"""The way in and the way out: the first frame, what a damaged or foreign library says, signals, colours."""

from pathlib import Path

import pytest
from rich.color import Color, ColorSystem

from player.errors import AlreadyRunning, DamagedLibrary
from player.library import Library
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.paths import Paths
from player.player import Player
from player.settings import Appearance, Settings
from tests.player.library.damaging import damage
from tests.tui.stage import QUIET, stocked
from tui.app import EarmarkApp
from tui.chosen import read_view, write_view
from tui.look.themes import theme_of
from tui.run import run_app


async def test_what_the_screen_shows_is_noted_for_a_start_after_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.app._KEEP_S", 0.02)
    async with stocked() as stage:
        await stage.press(*stage.way_to(ViewName.ALL), "l", "j", "j")
        shown = stage.screen.view, stage.screen.episode_id
        assert shown[0].name is ViewName.ALL

        def noted() -> bool:
            return read_view(stage.library.state.get("screen") or "") == shown

        await stage.until(noted, "the note")


def test_a_second_earmark_is_told_that_one_is_running(paths: Paths) -> None:
    first = Player(paths, QUIET)
    first.open()
    with pytest.raises(AlreadyRunning, match="running"):
        run_app(paths, QUIET)
    first.close()


@pytest.mark.parametrize("behind_it", [True, False])
def test_an_app_that_ended_over_a_damaged_library_begins_anew_and_asks_what_to_do(
    paths: Paths, monkeypatch: pytest.MonkeyPatch, behind_it: bool
) -> None:
    library = Library(paths)
    library.open()
    library.close()
    asked: list[DamagedLibrary | None] = []

    def run(app: EarmarkApp, mouse: bool) -> int:
        asked.append(app._damaged)
        if app._damaged is None:
            if behind_it:
                damage(paths, "UPDATE podcasts SET title = x'41'")
            app.bug = TypeError("bytes instead of a text")
        return 0

    monkeypatch.setattr(EarmarkApp, "run", run)
    if behind_it:
        assert run_app(paths, QUIET) == 0
        assert [one is not None for one in asked] == [False, True]
    else:
        with pytest.raises(TypeError):
            run_app(paths, QUIET)


async def test_a_bug_ends_the_app_and_is_handed_on() -> None:
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with stocked() as stage:
            stage.app.call_later(lambda: 1 / 0)
            await stage.until(lambda: stage.app.bug, "the bug")
    assert isinstance(stage.app.bug, ZeroDivisionError)


async def test_without_colours_the_cursor_is_in_reverse_video(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with stocked() as stage:
        y = stage.episodes.region.y + stage.episodes.cursor
        styles = [style for strip in _strips(stage.app) for _, style, _ in strip if style is not None]
        assert all(colour is None or colour.is_default for style in styles for colour in (style.color, style.bgcolor))
        segments = [(text, style) for text, style, _ in _strips(stage.app)[y] if style is not None]
        assert any(style.reverse and "Inductor" in text for text, style in segments)
        await stage.press("h")
        segments = [(text, style) for text, style, _ in _strips(stage.app)[y] if style is not None]
        assert not any(style.reverse and "Inductor" in text for text, style in segments)


@pytest.mark.parametrize("theme", ["ink", "paper"])
def test_grounds_and_text_are_told_apart_in_256_colours_too(theme: str) -> None:
    made = theme_of(theme, "256")
    roles = (
        made.background,
        made.surface,
        made.panel,
        *(made.variables[name] for name in ("line", "faint", "muted", "text")),
    )
    numbers = [Color.parse(str(role)).downgrade(ColorSystem.EIGHT_BIT).number for role in roles]
    assert len(set(numbers)) == len(numbers)


def _strips(app: EarmarkApp) -> list[list]:  # type: ignore[type-arg]
    """The lines as they are written to the terminal, colours taken away where there are to be none."""
    strips = app.screen._compositor.render_strips()
    for line_filter in app.get_line_filters():
        strips = [strip.apply_filter(line_filter, app.screen.background_colors[1]) for strip in strips]
    return [list(strip) for strip in strips]


async def test_plain_letters_on_request() -> None:
    settings = Settings(playback=QUIET.playback, feeds=QUIET.feeds, appearance=Appearance(ascii=True))
    async with stocked(settings=settings) as stage:
        text = "".join(stage.lines())
        for sign in "●◐✓★▌▶⏸━╾…←→○◌":
            assert sign not in text, sign


def test_where_the_screen_was_is_written_and_read() -> None:
    view = View.of(ViewName.PODCAST, PodcastId(3))
    for one in (view, View.of_tag("two words")):
        assert read_view(write_view(one, None)) == (one, None)
    for nonsense in ("", "x", "podcast 3", "podcast x 1", "nothing 0 0"):
        assert read_view(nonsense) == (View(), None)


def test_style_sheets_name_no_colour() -> None:
    import tui

    folder = Path(tui.__file__).parent
    for sheet in folder.rglob("styles/*.tcss"):
        assert "#" not in "".join(part for part in sheet.read_text().split() if _is_hex(part)), sheet


def _is_hex(word: str) -> bool:
    digits = word.strip("#;,")
    return word.startswith("#") and len(digits) in (3, 6) and all(sign in "0123456789abcdefABCDEF" for sign in digits)

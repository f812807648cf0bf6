"""Choosing a theme: the whole screen wears what is under the cursor."""

from player.paths import Paths
from tests.tui.stage import Stage, opened, stocked_player
from tui.dialogs.theme_chooser import ThemeChooser, ThemeOffer, row
from tui.look.built_in import built_in
from tui.look.glyphs import UNICODE


async def choosing(stage: Stage) -> ThemeChooser:
    stage.app.screen.act("theme")  # type: ignore[attr-defined]
    await stage.until(lambda: isinstance(stage.app.screen, ThemeChooser), "the dialog")
    await stage.settle()
    chooser = stage.app.screen
    assert isinstance(chooser, ThemeChooser)
    return chooser


async def test_the_screen_wears_each_theme_until_escape_brings_the_first_back() -> None:
    async with opened(stocked_player(theme="ink")) as stage:
        chooser = await choosing(stage)
        assert chooser.selected is not None
        assert chooser.selected.name == "ink"
        main = stage.app.screen_stack[0]
        before = main.styles.background
        await stage.press(*"dracula")
        await stage.until(lambda: stage.app.theme == "dracula", "the theme")
        await stage.until(lambda: main.styles.background != before, "the screen below in its colours")
        assert stage.shows("Dracula")
        await stage.press("escape")
        assert stage.app.theme == "ink"
        assert stage.player.remembered("theme") == ""


async def test_enter_keeps_it_for_the_next_start_and_says_what_config_says(paths: Paths) -> None:
    async with opened(stocked_player(theme="nord")) as stage:
        await choosing(stage)
        await stage.press("down")
        await stage.until(lambda: stage.app.theme == "rose-pine", "the theme")
        await stage.press("enter")
        assert stage.app.theme == "rose-pine"
        await stage.until(lambda: stage.shows("config.toml says “nord”"), "the warning")
        assert stage.player.remembered("theme") == "rose-pine over nord"


async def test_own_themes_are_there_and_broken_ones_are_not(paths: Paths) -> None:
    paths.themes.mkdir(parents=True)
    (paths.themes / "sea.toml").write_text('accent = "#00ffcc"', encoding="utf-8")
    (paths.themes / "bad.toml").write_text("accent = 1", encoding="utf-8")
    async with opened(stocked_player(theme="auto")) as stage:
        chooser = await choosing(stage)
        await stage.press(*"yours")
        assert [one.name for one in chooser._found] == ["sea"]
        await stage.until(lambda: stage.app.theme == "sea", "the theme")
        await stage.press("enter")
        assert stage.app.theme_variables["accent"] == "#00FFCC"
        (paths.themes / "sea.toml").write_text('accent = "#ff00ff"', encoding="utf-8")
        stage.app._dressing._file_state = ("sea", 0, 0)
        stage.app._dressing.ask_again()
        await stage.until(lambda: stage.app.theme_variables["accent"] == "#FF00FF", "the new colour")


async def test_on_small_terminals_no_column_is_cut_and_a_theme_is_seen_before_it_is_chosen() -> None:
    async with opened(stocked_player(theme="ink"), (60, 20)) as stage:
        chooser = await choosing(stage)
        await stage.press(*"xyzzy", "enter")
        assert stage.app.screen is chooser
        assert stage.shows("No theme of that name.")
        await stage.press("escape")

        await stage.resize(46, 15)
        chooser = await choosing(stage)

        def shown(of: str) -> bool:
            words = [line.strip("▌│ ▁▂▃▄▅▆▇█") for line in stage.lines_of(chooser.list)]
            return any(of in line for line in words) and not any(line.endswith("…") for line in words)

        await stage.until(lambda: shown("High contrast light    light"), "both columns")
        await stage.resize(40, 24)
        await stage.until(lambda: shown("Paper                  light"), "both columns of fewer")
        await stage.resize(32, 10)
        await stage.until(lambda: shown("Catppuccin Macchiato"), "the titles alone")
        await stage.press("escape")

        for size in ((30, 8), (50, 15)):
            await stage.resize(*size)
            await stage.press("ctrl+p", *"theme nord", "enter")
            await stage.until(lambda: isinstance(stage.app.screen, ThemeChooser), "the dialog")
            await stage.until(lambda: stage.app.theme == "nord", "the theme under the cursor")
            assert stage.shows("Nord")
            await stage.press("escape")
            assert (stage.app.theme, stage.player.remembered("theme")) == ("ink", "")


def test_without_swatches_a_row_has_no_colour_of_a_theme_that_isnt_worn() -> None:
    offer = ThemeOffer("nord", "Nord", "dark", built_in("nord"))
    assert [str(span.style) for span in row(offer, 20, UNICODE, swatch=False).spans] == ["$muted"]
    assert built_in("nord").accent in str(row(offer, 20, UNICODE).spans)

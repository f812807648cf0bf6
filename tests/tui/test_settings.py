"""config.toml and what is chosen in the app."""

import pytest
from msgspec.structs import replace

from player.paths import Paths
from player.player import Player
from player.settings import Settings
from player.settings_file import load_settings
from tests.pty.terminal import Terminal
from tests.quick import mostly_long
from tests.tui.stage import QUIET, Stage, opened
from tui.screens.reading import reading_width


def opened_player(paths: Paths, **more: object) -> Player:
    player = Player(paths, replace(QUIET, **more))
    player.open()
    return player


def with_theme(paths: Paths, theme: str) -> Player:
    return opened_player(paths, appearance=replace(QUIET.appearance, theme=theme))


async def theme_at_start(player: Player) -> str:
    async with opened(player) as stage:
        return stage.app.theme


async def switch(stage: Stage) -> str:
    await stage.app.run_action("switch_theme")
    return stage.app.theme


@pytest.mark.long
async def test_what_was_switched_to_holds_until_the_file_says_something_else(paths: Paths) -> None:
    async with opened(with_theme(paths, "ink")) as stage:
        assert await switch(stage) == "paper"
    assert await theme_at_start(with_theme(paths, "ink")) == "paper"
    assert await theme_at_start(with_theme(paths, "paper")) == "paper"
    async with opened(with_theme(paths, "paper")) as stage:
        assert await switch(stage) == "ink"
    assert await theme_at_start(with_theme(paths, "paper")) == "ink"
    assert await theme_at_start(with_theme(paths, "ink")) == "ink"


async def test_the_width_of_the_page_goes_by_the_same_rule(paths: Paths) -> None:
    async with opened(opened_player(paths)) as stage:
        await stage.press("v")
        await stage.run("narrower")
        assert stage.shows("Text width: 72")
    for width, expected in ((76, 72), (60, 60)):
        player = opened_player(paths, reading=replace(Settings().reading, width=width))
        assert reading_width(player) == expected
        player.close()


@pytest.mark.parametrize(
    "remembered", mostly_long(["", "blue over ink", "paper", " over ink", "paper over paper"], quick=2)
)
async def test_what_is_remembered_and_makes_no_sense_is_passed_over(paths: Paths, remembered: str) -> None:
    player = with_theme(paths, "ink")
    player.library.state.set("theme", remembered)
    assert await theme_at_start(player) == "ink"


@pytest.mark.long
def test_mistakes_in_the_file_are_told_in_the_app_and_cost_nothing_else(paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    paths.settings.write_text(
        '[appearance]\ntheme = "solarized"\nascii = true\n[feeds]\nrefresh_on_start = false\n[keys]\npaus = "x"\n',
        encoding="utf-8",
    )
    assert load_settings(paths.settings).settings.appearance.ascii
    with Terminal() as terminal:
        terminal.wait_for(r"There is no theme “solarized”\. Did you mean")
        terminal.wait_for("“solarized-dark”")
        terminal.wait_for("Did you mean “pause”?")
        terminal.press("q")
        terminal.wait_exit()

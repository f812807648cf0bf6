"""Which theme is worn: by config.toml, by choice, by the terminal's background."""

from msgspec.structs import replace
from textual.theme import Theme

from player.paths import Paths
from player.player import Player
from tests.tui.stage import QUIET
from tui.controllers.appearance import ThemesController


def controller(paths: Paths, colours: str = "truecolor", **more: str) -> tuple[ThemesController, list[Theme], Player]:
    player = Player(paths, replace(QUIET, appearance=replace(QUIET.appearance, **more)))
    player.open()
    worn: list[Theme] = []
    themes = ThemesController(player, colours, worn.append)
    themes.begin()
    return themes, worn, player


def test_auto_goes_with_the_terminal_and_the_next_start_begins_there(paths: Paths) -> None:
    themes, worn, player = controller(paths, dark="nord", light="catppuccin-latte")
    assert [one.name for one in worn] == ["nord"]
    themes.ground_is(light=True)
    themes.ground_is(light=True)
    assert [one.name for one in worn] == ["nord", "catppuccin-latte"]
    player.close()
    themes, worn, player = controller(paths, dark="nord", light="catppuccin-latte")
    assert [one.name for one in worn] == ["catppuccin-latte"]
    player.close()


def test_a_theme_that_was_asked_for_stays_whatever_the_terminal_says(paths: Paths) -> None:
    themes, worn, player = controller(paths, theme="ink")
    assert not themes.follows_ground
    themes.ground_is(light=True)
    assert [one.name for one in worn] == ["ink"]
    player.close()


def test_while_themes_are_looked_at_the_terminal_changes_nothing(paths: Paths) -> None:
    themes, worn, player = controller(paths)
    themes.look_at("dracula")
    themes.ground_is(light=True)
    assert worn[-1].name == "dracula"
    themes.look_away()
    assert worn[-1].name == "paper"
    player.close()


def test_with_16_colours_there_are_the_terminals_own_for_its_background(paths: Paths) -> None:
    themes, worn, player = controller(paths, "standard", theme="nord")
    assert worn[-1].ansi
    assert worn[-1].accent == "ansi_yellow"
    themes.ground_is(light=True)
    assert worn[-1].accent == "ansi_magenta"
    player.close()


def test_a_theme_that_isnt_there_is_named_and_auto_is_worn(paths: Paths) -> None:
    themes, worn, player = controller(paths, theme="nrod")
    assert themes.problem == "There is no theme “nrod”. Did you mean “nord”?"
    assert worn[-1].name == "ink"
    player.close()

"""What keeps the screen's code easy to find one's way in: flat screens, and an action for every key."""

import inspect
import pkgutil
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import pytest
from textual.dom import DOMNode

import tui
from tests.tui.stage import stocked
from tui import dialogs, screens
from tui.actions.action import Action, Runs
from tui.actions.table import ACTIONS, functions
from tui.app import EarmarkApp
from tui.framework.screen import OwnScreen
from tui.screens import base
from tui.screens.main import MainScreen


def classes_of(package: object) -> list[type]:
    """All classes that are written in a package."""
    modules = [import_module(one.name) for one in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]  # type: ignore[attr-defined]
    return [
        found
        for module in modules
        for _, found in inspect.getmembers(module, inspect.isclass)
        if found.__module__ == module.__name__
    ]


def is_ours(one: type) -> bool:
    return one.__module__.startswith("tui.")


@pytest.mark.parametrize("one", classes_of(screens) + classes_of(dialogs), ids=lambda one: one.__name__)
def test_no_class_of_a_screen_or_dialog_inherits_from_more_than_one_class_of_ours(one: type) -> None:
    assert len([base for base in one.__bases__ if is_ours(base)]) <= 1


def bound(screen: OwnScreen[Any]) -> set[str]:
    """The actions of the table that have a key on that screen."""
    bindings = [one for some in screen._bindings.key_to_bindings.values() for one in some]
    return {binding.id for binding in bindings if binding.id is not None}


async def test_every_action_of_the_table_runs_on_the_main_screen() -> None:
    async with stocked() as stage:
        assert set(stage.screen.runs) == bound(stage.screen) | {one.id for one in ACTIONS if not one.keys}
        assert set(stage.screen.runs) == {action.id for action in ACTIONS}


async def test_every_key_of_another_screen_runs_something() -> None:
    async with stocked() as stage:
        for key in ("v", "i", "w", "o"):
            await stage.press(key)
            screen = stage.app.screen
            assert isinstance(screen, OwnScreen), key
            assert not isinstance(screen, MainScreen), key
            assert len(bound(screen)) > 8, key
            assert sorted(bound(screen) - set(screen.runs)) == [], key
            await stage.press("escape")


async def test_every_function_of_a_screen_is_run_by_an_action_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    known: set[str] = set()

    def noted(actions: Iterable[Action], *runs: Runs) -> Runs:
        known.update(*runs)
        return functions(actions, *runs)

    monkeypatch.setattr(base, "functions", noted)
    async with stocked() as stage:
        for key in ("v", "i", "w", "@statistics"):
            await stage.do(key)
            assert not isinstance(stage.app.screen, MainScreen), key
            await stage.press("escape")
    assert known == {action.id for action in ACTIONS}


def as_asked(app: EarmarkApp) -> base.AppUi:
    """The types are what mypy looks at."""
    return app


def test_the_app_has_what_screens_ask_of_it() -> None:
    asked = {name for name in vars(base.AppUi) if not name.startswith("_")}
    assert len(asked) > 4
    assert sorted(name for name in asked if not callable(getattr(EarmarkApp, name, None))) == []


def test_no_two_widgets_or_screens_share_a_name() -> None:
    """Textual's style sheets go by a class's name alone: one would wear the other's."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    names = [one.__name__ for one in subclasses(DOMNode) if is_ours(one)]
    assert len(names) > 60
    assert sorted({name for name in names if names.count(name) > 1}) == []


def subclasses(base: type[Any]) -> set[type[Any]]:
    below: list[type[Any]] = base.__subclasses__()
    return {found for one in below for found in (one, *subclasses(one))}

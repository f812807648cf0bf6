"""For all tests of the screen."""

from collections.abc import Iterator
from typing import Any

import pytest
from textual import app, pilot, strip
from textual._styles_cache import StylesCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from tests.tui.rest import rest, wait_for_screen
from tui.controllers import page


@pytest.fixture(autouse=True)
def _the_cursor_rests_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_REST_S", 0.0)


@pytest.fixture(autouse=True)
def _a_second_press_may_come_late(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does on a busy machine."""
    if request.path.name != "test_steps.py":
        monkeypatch.setattr("tui.actions.keys._AGAIN_S", 60.0)


@pytest.fixture(autouse=True)
def _keys_take_no_longer_than_what_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "wait_for_idle", rest)
    monkeypatch.setattr(pilot, "wait_for_idle", rest)
    monkeypatch.setattr(pilot.Pilot, "_wait_for_screen", wait_for_screen)


class _Forgets:
    """A cache in which nothing stays."""

    def get(self, key: object, default: object = None) -> object:
        return default

    def __setitem__(self, key: object, value: object) -> None:
        pass


_NO_CACHE = _Forgets()


@pytest.fixture(autouse=True)
def _lines_are_made_without_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual makes seven for each piece of a line; a test draws too seldom to find anything in them."""
    monkeypatch.setattr(strip, "FIFOCache", lambda size: _NO_CACHE)


_parse = Stylesheet._parse_rules
_parsed: dict[object, list[RuleSet]] = {}


@pytest.fixture(autouse=True)
def _style_sheets_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each app. Rules are only read once they are parsed."""

    def parsed(self: Stylesheet, *what: Any, **named: Any) -> list[RuleSet]:
        key = (what, *named.items(), *self._variables.items())
        if (rules := _parsed.get(key)) is None:
            rules = _parsed[key] = _parse(self, *what, **named)
        return rules

    monkeypatch.setattr(Stylesheet, "_parse_rules", parsed)


@pytest.fixture(autouse=True)
def _closed_screens_are_let_go() -> Iterator[None]:
    """Textual's cache of styles has the widgets' drawn lines among its keys: about 1 MB a test."""
    yield
    StylesCache.get_inner_outer.cache_clear()

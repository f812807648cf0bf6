"""For all tests of the screen."""

from collections.abc import Iterator

import pytest
from textual import app, pilot
from textual._styles_cache import StylesCache

from tests.tui.rest import rest
from tui.controllers.page import notes


@pytest.fixture(autouse=True)
def _the_cursor_rests_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "_REST_S", 0.0)


@pytest.fixture(autouse=True)
def _keys_take_no_longer_than_what_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "wait_for_idle", rest)
    monkeypatch.setattr(pilot, "wait_for_idle", rest)


@pytest.fixture(autouse=True)
def _closed_screens_are_let_go() -> Iterator[None]:
    """Textual's cache of styles has the widgets' drawn lines among its keys: about 1 MB a test."""
    yield
    StylesCache.get_inner_outer.cache_clear()

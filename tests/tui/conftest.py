"""For all tests of the screen."""

import pytest

from tui.screens import main


@pytest.fixture(autouse=True)
def _the_cursor_rests_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "_REST_S", 0.0)

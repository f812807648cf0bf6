"""What is typed into: never so long that drawing it holds up the app."""

import pytest
from textual import events
from textual.widgets import Input

from tests.quick import mostly_long
from tests.tui.stage import stocked
from tui.framework.screen import MOST_LETTERS


@pytest.mark.parametrize(
    "keys", mostly_long([["slash"], ["ctrl+p"], ["ctrl+f"], ["a"], ["o", "slash"], ["3", "slash"]])
)
async def test_a_pasted_book_is_refused_and_a_long_address_taken(keys: list[str]) -> None:
    async with stocked(drawn=True) as stage:
        await stage.press(*keys)
        await stage.until(lambda: isinstance(stage.app.focused, Input), "a field")
        field = stage.app.focused
        assert isinstance(field, Input)
        stage.app.post_message(events.Paste("z\u0301" * 500_000))
        stage.app.post_message(events.Paste("https://example.org/" + "x" * 1_900))
        await stage.until(lambda: field.value != "", "what was pasted")
        assert 1_900 < len(field.value) <= MOST_LETTERS

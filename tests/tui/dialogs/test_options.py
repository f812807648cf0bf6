"""Dialogs with a list of options go by the listener's own keys."""

import pytest
from textual.widgets import OptionList

from tests.tui.alone import Alone
from tui.actions.table import keymap, remapped
from tui.dialogs.output_chooser import OutputScreen
from tui.dialogs.podcast_settings import PodcastSettingsScreen
from tui.dialogs.queue_order import QueueOrderScreen
from tui.dialogs.sleep import SleepScreen


async def test_remapped_keys_move_in_it_and_those_that_they_replace_do_not() -> None:
    app = Alone()
    app.actions, _problems = remapped({"down": "N", "last": "f12"})  # type: ignore[attr-defined]
    app.set_keymap(keymap(app.actions))  # type: ignore[attr-defined]
    async with app.run_test() as pilot:
        app.push_screen(QueueOrderScreen())
        await pilot.pause()
        options = app.screen.query_one(OptionList)
        seen = []
        for key in ("g", "N", "N", "k", "j", "f12", "g", "G"):
            await pilot.press(key)
            seen.append(options.highlighted)
        last = options.option_count - 1
        assert seen == [0, 1, 2, 1, 1, last, 0, 0]


@pytest.mark.parametrize("dialog", [SleepScreen, OutputScreen, PodcastSettingsScreen])
def test_they_move_in_all_of_them(dialog: type) -> None:
    ids = {one.id for _key, one in dialog._merged_bindings}  # type: ignore[attr-defined]
    assert {"up", "down", "first", "last"} <= ids

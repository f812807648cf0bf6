"""Every dialog has a frame, a title and keys that do what they say, and fits the smallest terminal."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

import tui
from tests.tui.alone import Alone, screen_text
from tests.tui.dialogs.gallery import gallery
from tests.tui.stage import stocked_player
from tui.dialogs.dialog import Dialog
from tui.look.glyphs import ASCII

for _module in pkgutil.walk_packages(tui.__path__, "tui."):
    if not _module.name.endswith("__main__") and (".dialogs" in _module.name or ".screens" in _module.name):
        import_module(_module.name)


def _last_ones(kind: type[Dialog[Any]]) -> Iterator[type[Dialog[Any]]]:
    """Those that no other dialog is made from."""
    for one in kind.__subclasses__():
        yield from _last_ones(one) if one.__subclasses__() else (one,)


DIALOGS = sorted((one for one in _last_ones(Dialog) if one.__module__.startswith("tui.")), key=lambda one: one.__name__)
SIZES = ((40, 12), (30, 8))
ENDS_EARMARK = {"OpeningScreen"}
"""Without a library there is nothing to go back to: here esc quits."""


async def test_every_dialog_has_a_frame_a_title_and_keys_and_fits_small_terminals() -> None:
    player = stocked_player()
    async with Alone().run_test(size=(80, 24)) as pilot:
        made = gallery(player)
        for kind in DIALOGS:
            await pilot.resize_terminal(80, 24)
            dialog, answers = made[kind](), list[Any]()
            pilot.app.push_screen(dialog, answers.append)
            await pilot.pause()
            await pilot.pause()
            for width, height in SIZES:
                await pilot.resize_terminal(width, height)
                await pilot.pause()
                case = (kind, width, height)
                region = dialog.frame.region
                assert pilot.app.screen.region.contains_region(region), case
                lines = [line[region.x : region.right] for line in screen_text(pilot.app).splitlines()]
                top, bottom = lines[region.y], lines[region.bottom - 1]
                assert (top[:2], bottom[:2]) == ("╭─", "╰─"), case
                assert len(top.strip("╭─╮ ")) > 3, ("the title", case)
                assert dialog.frame.placed, ("the keys", case)
                assert dialog.frame.placed[0][1].key in bottom, case
                for _, choice in dialog.frame.placed:
                    assert hasattr(dialog, f"action_{choice.answer.partition('(')[0]}"), ("what a click runs", case)
                assert any(choice.key in ("esc", "q") for _, choice in dialog.frame.placed), ("how to leave it", case)
                focused = pilot.app.focused
                assert focused is None or region.overlaps(focused.region), ("what has the focus is in sight", case)
            if kind.__name__ in ENDS_EARMARK:
                pilot.app.pop_screen()
            else:
                await pilot.press("escape")
                assert len(answers) == 1, kind
            assert len(pilot.app.screen_stack) == 1, kind
    player.close()


@pytest.mark.parametrize("colours", ["", "1"])
async def test_the_frame_is_there_in_ascii_and_without_colours(colours: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tui.dialogs.queue_order import QueueOrderScreen

    if colours:
        monkeypatch.setenv("NO_COLOR", colours)
    async with Alone(glyphs=ASCII).run_test(size=(60, 20)) as pilot:
        await pilot.app.push_screen(QueueOrderScreen())
        await pilot.pause()
        page = screen_text(pilot.app)
        assert "+- Sort or clear the queue -" in page
        assert "+- enter do it   esc close -" in page
        assert "| " in page

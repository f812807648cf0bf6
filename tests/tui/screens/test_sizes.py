"""Every screen and dialog at every size from 30x8 to 300x100: it opens, each line fits, and it closes again."""

import pytest
from rich.cells import cell_len

from tests.quick import mostly_long
from tests.tui.stage import stocked
from tui.screens.main import MainScreen

SIZES = [(30, 8), (40, 12), (80, 24), (120, 40), (200, 60), (300, 100)]
SCREENS = {
    "reading view": (("v",), ()),
    "chapters": (("l", "2"), ("h",)),
    "about": (("i",), ()),
    "statistics": (("@statistics",), ()),
    "search": (("ctrl+f",), ()),
    "commands": (("question_mark",), ()),
    "add": (("a",), ()),
    "links": (("l", "o"), ("h",)),
    "sleep": (("t",), ()),
    "settings of a podcast": (("c",), ()),
    "tags": (("@tags",), ()),
    "rename": (("@rename",), ()),
    "playlist": (("p",), ()),
    "a note": (("B",), ()),
    "filter": (("slash",), ("escape",)),
    "focus mode": (("@focus_mode",), ("@focus_mode",)),
    "mini mode": (("@mini_mode",), ("@mini_mode",)),
}
"""The keys, or with `@` the actions, that open each, and those that lead back to where it began on the main screen."""


@pytest.mark.parametrize("size", mostly_long([(size,) for size in SIZES]))
async def test_every_screen_opens_at_every_size(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        for screen, (keys, back) in SCREENS.items():
            await stage.do(*keys)
            lines = stage.lines()
            assert len(lines) == size[1], screen
            assert all(cell_len(line) == size[0] for line in lines), screen
            assert any(line.strip() for line in lines), screen
            for _ in range(4):
                if not isinstance(stage.app.screen, MainScreen):
                    await stage.press("escape")
            assert isinstance(stage.app.screen, MainScreen), screen
            await stage.do(*back)
            assert stage.focus == "episodes", screen

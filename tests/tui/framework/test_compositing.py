"""An update of a few lines asks widgets for those lines only, and shows what Textual would show."""

import pytest
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Static

from tui.framework.rendering import RowCompositor, runs
from tui.framework.screen import OwnScreen


class Shown(OwnScreen[None]):
    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static("left\n" * 9, id="left")
            with VerticalScroll(id="scrolled"):
                yield Static("\n".join(map(str, range(60))), id="long")
        with Vertical():
            yield Static("one\ntwo", id="low")


class Showing(App[None]):
    CSS = """
    Horizontal { height: 12; }
    #left { width: 10; }
    #scrolled { padding: 1; border: solid red; }
    """

    def get_default_screen(self) -> Shown:
        return Shown()


def test_rows_as_ranges() -> None:
    assert runs([]) == []
    assert runs([3]) == [(3, 4)]
    assert runs([0, 1, 4, 5, 9]) == [(0, 2), (4, 6), (9, 10)]


async def test_a_few_lines_look_as_they_do_on_the_whole_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Showing().run_test(size=(40, 20)) as pilot:
        pilot.app.query_one("#scrolled", VerticalScroll).scroll_to(y=7, animate=False)
        await pilot.pause()
        compositor = pilot.app.screen._compositor
        assert isinstance(compositor, RowCompositor)
        rows = {2, 3, 10, 13}
        crop = Region(0, 2, 40, 12)
        whole = Compositor._render_chops(compositor, Region(0, 0, 40, 20), lambda _y: True)
        asked: list[Region] = []
        low = pilot.app.query_one("#low", Static)
        render_lines = low.render_lines

        def counting(part: Region) -> list[Strip]:
            asked.append(part)
            return render_lines(part)

        monkeypatch.setattr(low, "render_lines", counting)
        drawn = compositor._render_chops(crop, rows.__contains__)
        for y in rows:
            assert Strip.join(drawn[y].values()).text == Strip.join(whole[y].values()).text, y
        assert asked == [Region(0, 1, 40, 1)], "its second line, 13 of the screen"

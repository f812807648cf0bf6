"""A picture is drawn once and left alone, whatever is drawn around it; and it is gone when it has to be."""

import re
from concurrent.futures import Future

import pytest
from textual._compositor import CompositorUpdate
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from player.artwork.picture import CoverArt, Form, Picture, Shape
from player.model.podcast import PodcastId
from tests.tui.alone import until
from tui.framework.rendering import DrawsOver
from tui.look.glyphs import UNICODE
from tui.pictures.covers import Covers
from tui.pictures.layer import PictureLayer
from tui.terminal.pixel_pictures import CoverMode
from tui.widgets.cover import Cover

ART = CoverArt(PodcastId(1), "The Rust Show", "https://rust.example/feed", ("https://rust.example/a.png",))
OTHER = CoverArt(PodcastId(1), "Another", "https://other.example/feed", ("https://other.example/a.png",))


class AtOnce:
    """A picture for each address, at once."""

    def ask(self, art: CoverArt, shape: Shape) -> "Future[Picture | None]":
        future: Future[Picture | None] = Future()
        sixels = tuple(f"\x1bPq{art.title[0]}{row}\x1b\\" for row in range(shape.rows))
        pixels = bytes((len(art.title), 20, 30)) * (4 * shape.columns * shape.rows)
        future.set_result(Picture(shape, pixels, sixels if shape.form is Form.SIXEL else (), b"png"))
        return future

    def hopeful(self, art: CoverArt) -> bool:
        return bool(art.images)

    def network_is_back(self) -> None: ...


class Stage(DrawsOver[None]):
    CSS = "Cover { margin: 1; } #below { height: 30; } #beside { dock: bottom; height: 1; }"

    def __init__(self, mode: CoverMode) -> None:
        super().__init__()
        self.covers = Covers(mode, UNICODE, AtOnce())
        self.layer = PictureLayer(self.covers.faces)
        self.written: list[str] = []
        self.complete = self.layer.complete

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Cover(6, 3)
            yield Static("text", id="below")
        yield Static("beside", id="beside")

    def _display(self, screen: Screen[object], renderable: object) -> None:
        if isinstance(renderable, CompositorUpdate):
            update = self.complete(screen, renderable)
            assert update is not None
            self.written.append(update.render_segments(self.console))

    async def shows(self, art: CoverArt, pilot: "Pilot[None]") -> None:
        """Gives the cover that, and waits for its picture."""
        cover = self.query_one(Cover)
        cover.show(art)
        await until(pilot, lambda: cover._face.picture is not None)
        await pilot.pause()

    def pictures(self) -> list[str]:
        """What was drawn since the last call."""
        text, self.written = "".join(self.written), []
        blocks = self.covers.mode is CoverMode.BLOCKS
        return re.findall(r"48;2;\d+;20;30m" if blocks else r"\x1bPq..\x1b|\x1b_Ga=[^;\x1b]*", text)


@pytest.fixture(params=[CoverMode.SIXEL, CoverMode.KITTY, CoverMode.BLOCKS])
def stage(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setattr("tui.widgets.cover._REST_S", 0.001)
    return Stage(request.param)


async def test_it_is_drawn_once_and_not_again_for_what_changes_around_it(stage: Stage) -> None:
    async with stage.run_test(size=(30, 12)) as pilot:
        cover = stage.query_one(Cover)
        await stage.shows(ART, pilot)
        assert stage.pictures()
        for words in ("changed", "again"):
            stage.query_one("#beside", Static).update(words)
            cover.refresh()
            stage.query_one(VerticalScroll).refresh()
            await pilot.pause()
            assert stage.pictures() == []


async def test_another_one_takes_its_place(stage: Stage) -> None:
    async with stage.run_test(size=(30, 12)) as pilot:
        await stage.shows(ART, pilot)
        stage.pictures()
        await stage.shows(OTHER, pilot)
        drawn = stage.pictures()
        assert drawn
        if stage.covers.mode is CoverMode.SIXEL:
            assert all("qA" in one for one in drawn)


async def test_all_of_it_is_drawn_again_after_everything_was(stage: Stage) -> None:
    async with stage.run_test(size=(30, 12)) as pilot:
        await stage.shows(ART, pilot)
        stage.pictures()
        stage.screen.refresh()
        await pilot.pause()
        assert stage.pictures()


async def test_under_a_dialog_there_are_no_pixels_and_after_it_they_are_back(stage: Stage) -> None:
    if stage.covers.mode is CoverMode.BLOCKS:
        pytest.skip("blocks are text")
    async with stage.run_test(size=(30, 12)) as pilot:
        await stage.shows(ART, pilot)
        stage.pictures()
        stage.push_screen(ModalScreen[None]())
        await pilot.pause()
        assert all("a=d" in one for one in stage.pictures())
        stage.pop_screen()
        await pilot.pause()
        assert stage.pictures()


async def test_what_is_scrolled_away_isnt_drawn(stage: Stage) -> None:
    async with stage.run_test(size=(30, 12)) as pilot:
        await stage.shows(ART, pilot)
        stage.pictures()
        stage.query_one(VerticalScroll).scroll_to(y=2, animate=False)
        await pilot.pause()
        drawn = stage.pictures()
        if stage.covers.mode is CoverMode.SIXEL:
            assert [one[-2] for one in drawn] == ["1", "2"]
        elif stage.covers.mode is CoverMode.KITTY:
            assert any("y=20,w=60,h=40," in one and "r=2," in one for one in drawn)
        stage.query_one(VerticalScroll).scroll_to(y=20, animate=False)
        await pilot.pause()
        assert all("a=d" in one for one in stage.pictures())


def test_at_the_end_kitty_forgets_all_pictures() -> None:
    covers = Covers(CoverMode.KITTY, UNICODE)
    layer = PictureLayer(covers.faces)
    assert layer.farewell() == ""
    layer._sent[1] = Picture(Shape(1, 1), b""), 77
    assert layer.farewell() == "\x1b_Ga=d,d=I,i=77,q=2\x1b\\"

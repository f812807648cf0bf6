"""Covers beside the title of an episode, and by themselves."""

import pytest
from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.color import Color

from player.artwork.picture import CoverArt, art_of
from player.model.podcast import PodcastId
from player.settings import Appearance
from tests.tui.stage import QUIET, Stage, stocked
from tui.look.colours import hue_of
from tui.look.glyphs import UNICODE
from tui.pictures.covers import Covers
from tui.terminal.pixel_pictures import CoverMode, cover_mode
from tui.widgets.cover import Cover

ART = CoverArt(PodcastId(1), "The Rust Show", "https://rust.example/feed")


@pytest.fixture(autouse=True)
def _in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")


def head(stage: Stage) -> list[str]:
    """The rows of the page around its title, from the page's first column on."""
    left = stage.screen.page.region.x
    return [line[left:].rstrip() for line in stage.lines()[:8]]


async def test_the_initials_of_the_podcast_stand_beside_the_title_of_its_episode() -> None:
    async with stocked((160, 45)) as stage:
        rows = head(stage)
        assert rows[3].startswith("       PD  ")
        assert rows[1].startswith(" " * 16 + stage.title)
        style = next(iter(stage.screen.page._face.strip(0))).style
        assert style is not None
        assert style.color is not None
        assert stage.screen.episode is not None
        hue = Color.parse(stage.app.theme_variables[f"hue-{hue_of(stage.screen.episode.podcast_id)}"])
        shown = Color.from_rich_color(style.color)
        assert all(abs(one - other) < 16 for one, other in zip(shown.rgb, hue.rgb, strict=True)), "or nearly"


async def test_a_narrow_page_has_a_small_cover_and_a_low_one_none() -> None:
    async with stocked((120, 40)) as stage:
        assert head(stage)[2].startswith("     PD     ")
        await stage.resize(120, 18)
        assert not any("PD" in row for row in head(stage))


async def test_where_covers_are_switched_off_the_title_begins_at_the_margin() -> None:
    settings = replace(QUIET, appearance=Appearance(art="off"))
    async with stocked((160, 45), settings=settings) as stage:
        assert head(stage)[1].startswith(f"  {stage.title}")


class OneCover(App[None]):
    covers = Covers(CoverMode.PLAIN, UNICODE)

    def compose(self) -> ComposeResult:
        yield Cover(6, 3)


async def test_a_cover_by_itself_keeps_its_size() -> None:
    app = OneCover()
    async with app.run_test(size=(20, 5)) as pilot:
        cover = app.query_one(Cover)
        cover.show(ART)
        await pilot.pause()
        assert cover.size == (6, 3)
        assert [cover.render_line(y).text for y in range(3)] == ["╭────╮", "│ RS │", "╰────╯"]
        cover.show(None)
        assert cover.render_line(1).text == "      "


def test_there_are_no_pictures_without_colours_or_characters_for_them() -> None:
    def mode(wish: str, colours: str | None, ascii_only: bool = False, no_color: bool = False) -> CoverMode:
        return cover_mode(wish, colours, ascii_only=ascii_only, no_color=no_color)

    assert mode("auto", "truecolor") is CoverMode.BLOCKS
    assert mode("auto", "256") is CoverMode.BLOCKS
    assert mode("auto", "standard") is CoverMode.PLAIN
    assert mode("kitty", "truecolor", ascii_only=True) is CoverMode.PLAIN
    assert mode("blocks", "truecolor", no_color=True) is CoverMode.PLAIN
    assert mode("off", "truecolor") is CoverMode.OFF


def test_an_image_that_is_named_twice_is_one() -> None:
    assert art_of(PodcastId(1), "A", "b", "", "x", "x", "y").images == ("x", "y")

"""What is not worth a frame is not drawn: after each frame the next one, a key's too, waits for a while."""

import asyncio
import subprocess
import sys

import pytest
from textual.geometry import Region
from textual.strip import Strip

from player.events import LibraryChanged, RefreshProgress
from tests.tui.stage import Stage, stocked
from tui.drawing.labels import progress_words
from tui.look.glyphs import UNICODE
from tui.widgets.episode_list import EpisodeList
from tui.widgets.footer import KeyFooter


async def test_a_refresh_of_hundreds_of_feeds_draws_its_progress_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stocked(drawn=True) as stage:
        shown: list[str] = []
        monkeypatch.setattr(stage.screen.query_one(KeyFooter), "show_progress", shown.append)
        for done in range(200):
            stage.player.bus.publish(RefreshProgress(done, 200))
            await asyncio.sleep(0)
        await stage.until(
            lambda: progress_words(199, 200, UNICODE, stage.screen.key_of) in shown, "the latest progress"
        )
        assert len(shown) < 20
        stage.player.bus.publish(RefreshProgress(200, 200, new=3))
        await stage.until(lambda: "3 new episodes" in stage.news, "the end of it")


async def test_what_is_read_again_and_the_same_is_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stocked(drawn=True) as stage:
        lines: list[int] = []
        drawn = EpisodeList.render_line

        def draw(rows: EpisodeList, y: int) -> Strip:
            lines.append(y)
            return drawn(rows, y)

        monkeypatch.setattr(EpisodeList, "render_line", draw)
        read = watched_reads(stage, monkeypatch)
        stage.player.bus.publish(LibraryChanged())
        await stage.until(lambda: read, "another look at the library")
        await stage.settle()
        assert lines == []

        changed = stage.episodes._rows.id_at(stage.episodes.cursor + 2)
        assert changed is not None
        stage.library.episodes.set_starred([changed], True)
        read.clear()
        stage.player.bus.publish(LibraryChanged())
        await stage.until(lambda: read, "another look at the library")
        await stage.settle()
        assert lines == [stage.episodes.cursor + 2 - stage.episodes.scroll_offset.y]


def watched_reads(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Grows with each list that is shown."""
    read: list[object] = []
    show = stage.episodes.show

    def shown(*given: object, **options: object) -> None:
        show(*given, **options)  # type: ignore[arg-type]
        read.append(given)

    monkeypatch.setattr(stage.episodes, "show", shown)
    return read


def test_a_key_after_another_frame_waits_for_a_quarter_of_what_textual_has_it() -> None:
    started = """
import sys, types
from tui.cli import main as cli

def run_app(*_, **__):
    from textual.screen import UPDATE_PERIOD
    print(UPDATE_PERIOD)
    return 0

cli.is_terminal = lambda stream: True
sys.modules["tui.run"] = types.SimpleNamespace(run_app=run_app)
cli.run([], cli.Paths.of())
"""
    done = subprocess.run([sys.executable, "-c", started], capture_output=True, text=True, check=True)
    assert float(done.stdout) == 1 / 240


async def test_a_page_comes_with_all_its_tabs_in_one_frame() -> None:
    async with stocked(drawn=True) as stage:
        seen: list[tuple[int | None, list[str]]] = []
        page = stage.screen.page
        drawn = page.render_lines

        def draw(crop: Region) -> list[Strip]:
            seen.append((page.shown[0].id if page.shown else None, page.tabs()))
            return drawn(crop)

        page.render_lines = draw  # type: ignore[method-assign]
        await stage.press("j", "k")
        assert page.shown is not None
        assert len(page.tabs()) > 1
        assert all(tabs == page.tabs() for shown, tabs in seen if shown == page.shown[0].id)

"""Lists of podcasts from and to files, in the app."""

import os
from pathlib import Path

import pytest

from tests.tui.stage import stocked
from tui.dialogs.export import FileScreen


async def test_the_podcasts_are_exported(tmp_path: Path) -> None:
    path = tmp_path / "out.opml"
    async with stocked() as stage:
        stage.screen.act("export_podcasts")
        await stage.settle()
        assert isinstance(stage.app.screen, FileScreen)
        await stage.press("ctrl+u")
        await stage.write(str(path))
        await stage.press("enter")
        await stage.until(path.exists, "the file")
        await stage.until(lambda: stage.ready and "podcasts exported to" in stage.news, "the news")
        assert "PyTorch Developer Podcast" in path.read_text()


async def test_everything_and_a_document_are_exported_too(tmp_path: Path) -> None:
    async with stocked() as stage:
        for downs, name, start in ((1, "all.json", "{"), (2, "read.md", "<!-- earmark export -->")):
            stage.screen.act("export_podcasts")
            await stage.settle()
            assert isinstance(stage.app.screen, FileScreen)
            for _down in range(downs):
                await stage.press("down")
            await stage.until(lambda: stage.shows("~/earmark.json") or stage.shows("~/podcasts.md"), "another path")
            await stage.press("ctrl+u")
            await stage.write(str(tmp_path / name))
            await stage.press("enter")
            await stage.until((tmp_path / name).exists, "the file")
            await stage.until(lambda: stage.ready, "the main screen")
            assert (tmp_path / name).read_text().startswith(start)


async def test_a_path_that_was_typed_stays_while_the_kind_changes() -> None:
    async with stocked() as stage:
        stage.screen.act("export_podcasts")
        await stage.settle()
        await stage.press("up")
        await stage.until(lambda: stage.shows("~/podcasts.md"), "the document's path")
        await stage.write("x")
        await stage.press("down")
        await stage.until(lambda: stage.shows("~/podcasts.mdx") and stage.shows("Save as OPML"), "the typed path")


async def test_what_went_wrong_stands_there_until_the_path_is_changed() -> None:
    async with stocked() as stage:
        stage.screen.act("export_podcasts")
        await stage.settle()
        await stage.press("ctrl+u")
        await stage.write("~nobody-here/x")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("No such file") and not stage.shows("Save as OPML"), "the mistake")
        await stage.write("y")
        await stage.until(lambda: stage.shows("Save as OPML") and not stage.shows("No such file"), "what it is for")


@pytest.mark.long
async def test_a_path_that_nothing_can_be_written_to_is_told_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    async with stocked() as stage:
        for typed, words in (
            ("~nobody-here/x", "No such file"),
            (f"/tmp/{'x' * 300}", "File name too long"),
            (str(tmp_path / "pipe"), "isn't a file"),
            ("/", "isn't a file"),
            ("/dev/zero", "isn't a file"),
        ):
            for kind in range(3):
                stage.screen.act("export_podcasts")
                await stage.settle()
                await stage.press(*["down"] * kind, "ctrl+u")
                await stage.write(typed)
                await stage.press("enter")
                await stage.until(lambda: words in " ".join(" ".join(stage.lines()).split()), f"{typed}: {words}")  # noqa: B023
                await stage.press("escape")
                await stage.until(lambda: stage.ready, "the main screen")

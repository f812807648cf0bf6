"""Podcasts from a file or another app, in the app."""

import json
import os
from pathlib import Path

from player.events import Notice
from tests.loopback import LoopbackServer
from tests.player.library.foreign import files
from tests.tui.cli.conftest import feed
from tests.tui.stage import Stage, stocked
from tui.dialogs.import_file import ImportScreen


def castero(server: LoopbackServer, path: Path) -> Path:
    url = server.page("/feed", feed("Loop", "One", "Two"))
    rows: files.Rows = {
        "feed": [{"key": url, "title": "Loop"}],
        "episode": [
            {
                "id": place,
                "feed_key": url,
                "title": title,
                "enclosure": f"http://127.0.0.1:9/audio.mp3?{place}",
                "played": 1,
            }
            for place, title in enumerate(("One", "Two"))
        ],
    }
    return files.write(path, files.CASTERO, rows, 9)


def what_is_said(stage: Stage) -> list[str]:
    """All news from now on: on the screen one takes another's place."""
    said: list[str] = []
    stage.player.bus.subscribe(Notice, lambda notice: said.append(notice.text))
    return said


async def test_a_list_is_shown_first_and_imported_then(server: LoopbackServer, tmp_path: Path) -> None:
    path = tmp_path / "mine.opml"
    url = server.page("/feed", feed("Loop", "One", "Two"))
    path.write_text(f'<opml><outline xmlUrl="{url}" text="x"/><outline xmlUrl="{server.url}/gone" text="Gone"/></opml>')
    async with stocked() as stage:
        said = what_is_said(stage)
        stage.screen.act("import_podcasts")
        await stage.settle()
        assert isinstance(stage.app.screen, ImportScreen)
        await stage.write(str(path))
        await stage.press("enter")
        await stage.until(lambda: stage.shows("2 podcasts found. Press enter to import them."), "the preview")
        assert "Loop" not in {one.title for one in stage.library.podcasts.all()}
        await stage.press("enter")
        await stage.until(lambda: stage.ready, "the main screen")
        await stage.until(lambda: any("2 podcasts added. 1 feed couldn't be read." in one for one in said), "the news")
        assert {"Loop", "Gone"} <= {one.title for one in stage.library.podcasts.all()}


async def test_another_apps_database_is_found_previewed_and_imported(server: LoopbackServer) -> None:
    async with stocked() as stage:
        said = what_is_said(stage)
        castero(server, Path.home() / ".local/share/castero/castero.db")
        stage.screen.act("import_podcasts")
        await stage.settle()
        await stage.until(lambda: stage.shows("castero  ~/.local/share"), "the file that was found")
        await stage.press("down", "enter")
        await stage.until(lambda: stage.shows("castero: 1 podcast; 2 played."), "the preview")
        assert stage.shows("This castero is newer than Earmark knows")
        await stage.press("enter")
        await stage.until(lambda: stage.ready, "the main screen")
        await stage.until(lambda: any("Imported what castero knew of 2 episodes." in one for one in said), "the news")
        assert stage.library.podcasts.find("Loop").unplayed_count == 0


async def test_an_export_of_earmark_is_put_back(server: LoopbackServer, tmp_path: Path) -> None:
    path = tmp_path / "any name"
    url = server.page("/feed", feed("Loop", "One", "Two"))
    path.write_text(
        json.dumps(
            {
                "format": "earmark-export",
                "version": 1,
                "exported_at": "2026-03-02T09:00:00Z",
                "podcasts": [{"url": url, "title": "Loop", "episodes": [{"guid": "Loop-One", "starred": True}]}],
                "lists": [{"title": "Commute"}],
            }
        )
    )
    async with stocked() as stage:
        said = what_is_said(stage)
        stage.screen.act("import_podcasts")
        await stage.settle()
        await stage.write(str(path))
        await stage.press("enter")
        await stage.until(lambda: stage.shows("This is what would change: 1 podcast added."), "the preview")
        assert "Loop" not in {one.title for one in stage.library.podcasts.all()}
        await stage.press("enter")
        await stage.until(lambda: stage.ready, "the main screen")
        await stage.until(lambda: "1 podcast added. 1 episode added. 1 starred. 1 list added." in said, "the news")
        await stage.until(lambda: stage.library.podcasts.find("Loop").episode_count == 2, "the feed")
        await stage.until(lambda: stage.shows("Loop") and stage.shows("Commute"), "the sidebar")


async def test_a_path_that_cannot_be_read_is_told_in_the_dialog_and_another_one_previewed_again(
    server: LoopbackServer, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    path = castero(server, tmp_path / "castero.db")
    async with stocked() as stage:
        before = len(stage.library.podcasts.all())
        stage.screen.act("import_podcasts")
        await stage.settle()
        for typed, words in (
            ("x" * 300, "File name too long"),
            ("~nobody-here/x", "No such file"),
            (str(tmp_path / "pipe"), "isn't a file"),
            ("/dev/zero", "isn't a file"),
            (str(path), "Press enter"),
        ):
            await stage.press("ctrl+u")
            await stage.write(typed)
            await stage.press("enter")
            await stage.until(lambda: words in " ".join(" ".join(stage.lines()).split()), f"{typed}: {words}")  # noqa: B023
        await stage.press("backspace")
        assert not stage.shows("Press enter")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("Can't read"), "the sentence")
        await stage.press("escape")
        assert stage.ready
        assert len(stage.library.podcasts.all()) == before

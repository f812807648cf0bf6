"""A field for a path completes what is on this computer."""

from pathlib import Path

import pytest

from tests.tui.stage import stocked
from tui.dialogs.import_file import ImportScreen
from tui.widgets.path_field import completed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "mine"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (home / "podcasts.opml").touch()
    (home / "podcasts").mkdir()
    (home / "podcasts" / "mine.opml").touch()
    (home / ".hidden").touch()
    (home / "zwei\x1b[31m").touch()
    return home


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("~/pod", "~/podcasts/"),
        ("~/podcasts.", "~/podcasts.opml"),
        ("~/podcasts/", "~/podcasts/mine.opml"),
        ("~/.h", "~/.hidden"),
        ("~/", "~/podcasts/"),
        ("~/z", None),
        ("~/podcasts.opml/x", None),
        ("~/none", None),
        ("~nobody-here/", None),
        ("\0", None),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_first_name_that_begins_so_is_offered(typed: str, whole: str | None) -> None:
    assert completed(typed) == whole


async def test_tab_takes_what_is_offered_and_enter_reads_it(folder: Path) -> None:
    (folder / "podcasts" / "mine.opml").write_text("<opml><body/></opml>")
    async with stocked() as stage:
        stage.screen.act("import_podcasts")
        await stage.settle()
        assert isinstance(stage.app.screen, ImportScreen)
        field = stage.app.screen.field
        for typed, taken in (("~/pod", "~/podcasts/"), ("", "~/podcasts/mine.opml")):
            await stage.write(typed)
            await stage.until(lambda taken=taken: field._suggestion == taken, "the completion")  # type: ignore[misc]
            await stage.press("tab")
            assert field.value == taken
        await stage.press("enter")
        await stage.until(lambda: stage.shows("There are no podcast feeds in"), "what it has")

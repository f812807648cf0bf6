"""Deleting downloads: set aside where the disk has room for that, else for good."""

import shutil
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from player.errors import LibraryError, MediaError
from player.model.episode import EpisodeId
from player.player import Player
from tests.tui.controllers.fake import FakeUi
from tui.controllers import deleting
from tui.controllers.deleting import DownloadDeletion, free_space

ONE, TWO = EpisodeId(1), EpisodeId(2)


class Deleted:
    """What the player was asked for."""

    def __init__(self, *, fails: bool = False) -> None:
        self.aside: list[EpisodeId] = []
        self.for_good: list[EpisodeId] = []
        self.stuck: set[EpisodeId] = set()
        self._fails = fails
        self.services = SimpleNamespace(rules=SimpleNamespace(delete=self._delete))
        self.library = SimpleNamespace(downloads=SimpleNamespace(path=lambda one: Path(f"/nowhere/{one}.mp3")))

    def delete_download(self, one: EpisodeId) -> Future[None]:
        self.for_good.append(one)
        done: Future[None] = Future()
        if one in self.stuck:
            done.set_exception(MediaError("It can't be deleted"))
        else:
            done.set_result(None)
        return done

    def _delete(self, ids: list[EpisodeId]) -> list[EpisodeId]:
        if self._fails:
            raise LibraryError("The library is busy")
        self.aside += ids
        return ids


async def deleted(player: Deleted, *ids: EpisodeId) -> FakeUi:
    ui = FakeUi()
    DownloadDeletion(cast(Player, player), ui).delete(ids)
    await ui.finish()
    return ui


@pytest.mark.parametrize(("ids", "words"), [([ONE], "Download deleted"), ([ONE, TWO], "2 downloads deleted")])
async def test_they_are_set_aside_and_can_be_brought_back(ids: list[EpisodeId], words: str) -> None:
    player = Deleted()
    ui = await deleted(player, *ids)
    assert (player.aside, player.for_good) == (ids, [])
    assert ui.messages[-1].startswith(words)
    assert ui.messages[-1].endswith("<undo> undoes")


async def test_on_a_disk_that_is_nearly_full_they_make_room_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleting, "free_space", lambda _path: 10_000_000)
    player = Deleted()
    ui = await deleted(player, ONE, TWO)
    assert (player.aside, player.for_good) == ([], [ONE, TWO])
    assert ui.messages[-1].endswith("<download> downloads again")


async def test_what_cannot_be_deleted_is_not_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleting, "free_space", lambda _path: 10_000_000)
    player = Deleted()
    player.stuck = {ONE}
    assert (await deleted(player, ONE, TWO)).messages[-1].startswith("Download deleted")
    assert not (await deleted(player, ONE)).messages


async def test_a_library_that_fails_is_a_sentence() -> None:
    player = Deleted(fails=True)
    ui = await deleted(player, ONE)
    assert not ui.messages
    assert ui.panels == [("", "The library is busy.")]


def test_free_space_is_that_of_the_nearest_folder_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others write to the disk meanwhile: its free bytes aren't the same twice."""
    total = shutil.disk_usage(tmp_path).total
    assert 0 < (free_space(tmp_path) or 0) <= total
    sizes = {tmp_path: SimpleNamespace(free=7)}
    monkeypatch.setattr(shutil, "disk_usage", sizes.__getitem__)
    assert free_space(tmp_path / "not" / "yet" / "x.mp3") == 7

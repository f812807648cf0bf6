"""Keys on downloads act on what is under way at that moment, whatever the list has been told."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from msgspec.structs import replace

from player.model.downloads import DownloadEntry, DownloadSnapshot, DownloadState
from player.model.episode import EpisodeId
from tests.tui.controllers.fake import FakePlayer, FakeTargets, FakeUi, episode
from tui.controllers.keeping import DownloadList
from tui.controllers.lists.list import ListController
from tui.controllers.lists.selection import Selection, Targets


class Downloads:
    """The Downloads view with two episodes under its keys; `under_way` is the queue of downloads."""

    def __init__(self) -> None:
        self.ui, self.player, self.targets = FakeUi(), FakePlayer(), cast(Any, FakeTargets())
        self.targets.in_sidebar = self.targets.on_page = False
        self.targets.targets = Targets((EpisodeId(1), EpisodeId(2)), None)
        self.under_way: tuple[DownloadEntry, ...] = ()
        network = SimpleNamespace(downloads=lambda: DownloadSnapshot(self.under_way))
        self.player.network = network  # type: ignore[attr-defined]
        lists = SimpleNamespace(player=self.player, ui=self.ui, rows=None, kinds={}, kind=None)
        self.controller = DownloadList(cast(ListController, lists), cast(Selection, self.targets))


def entry(number: int, state: DownloadState = DownloadState.RUNNING) -> DownloadEntry:
    one = episode(number)
    return DownloadEntry(one.id, one.title, one.podcast, state, "", datetime(2026, 3, 1, tzinfo=UTC))


def test_one_that_has_just_begun_is_paused_and_then_resumed() -> None:
    here = Downloads()
    here.controller.pause()
    assert here.ui.messages == ["Not being downloaded. <download> downloads an episode."]
    here.under_way = (entry(1), entry(2), entry(3))
    here.controller.pause()
    here.under_way = tuple(replace(one, state=DownloadState.PAUSED) for one in here.under_way)
    here.controller.pause()
    assert here.player.made == [("pause", [1, 2]), ("retry", [1, 2])]
    assert here.ui.messages[1:] == ["2 downloads paused", "Downloading 2 episodes again"]


def test_what_is_under_way_is_cancelled_and_what_is_here_deleted() -> None:
    here = Downloads()
    here.under_way = (entry(1), entry(2, DownloadState.DONE))
    assert here.controller.delete()
    assert here.player.made == [("cancel", [1])]
    assert list(here.ui.work) == ["delete downloads 1"]
    here.under_way = (entry(1), entry(2))
    assert here.controller.delete()
    assert here.player.made[1:] == [("cancel", [1, 2])]
    assert here.ui.messages == ["2 downloads cancelled · <download> downloads again"]
    here.targets.in_sidebar = True
    assert not here.controller.delete()

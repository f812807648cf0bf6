"""Stars, played marks and downloads: shown at once, and asked of the player."""

from typing import cast

from player.model.episode import Episode
from player.player import Player
from tests.tui.controllers.fake import FakePlayer, FakeTargets, FakeUi, episode
from tui.controllers.lists.marks import MarksController


class Marks:
    def __init__(self, selected: Episode | None, *, downloading: bool = False) -> None:
        self.player, self.ui = FakePlayer(is_downloading=downloading), FakeUi()
        targets = FakeTargets(*(() if selected is None else (selected,)))
        self.shown = targets.shown
        self.controller = MarksController(cast(Player, self.player), self.ui, targets)


def test_a_mark_is_shown_before_the_library_has_it_and_taken_back_by_the_same_key() -> None:
    marks = Marks(episode())
    marks.controller.star()
    marks.controller.played()
    assert [(one.starred, one.played) for one in marks.shown] == [(True, False), (False, True)]
    assert marks.player.made == [("set_starred", [1], True), ("set_played", [1], True)]
    marked = Marks(episode(starred=True, played=True))
    marked.controller.star()
    marked.controller.played()
    assert marked.player.made == [("set_starred", [1], False), ("set_played", [1], False)]
    assert marked.ui.messages == ["Star removed", "Marked as unplayed"]


def test_download_begins_is_cancelled_and_deletes() -> None:
    marks = Marks(episode())
    marks.controller.download()
    assert marks.player.made[-1] == ("download", 1)
    under_way = Marks(episode(), downloading=True)
    under_way.controller.download()
    assert under_way.player.made[-1] == ("cancel", 1)
    here = Marks(episode(downloaded=True))
    here.controller.download()
    assert [*here.ui.work] == ["delete downloads 1"]

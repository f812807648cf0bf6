"""The ticks of the chapters in the bar."""

from typing import cast

from player.model.chapters import Chapters
from player.player import Player
from tests.tui.controllers.fake import FakePlayer, FakeUi, chapters, episode, playing
from tui.controllers.playback.bar import BarController


class Bar:
    def __init__(self) -> None:
        self.player, self.ui = FakePlayer(playing(), chapters=chapters(0, 60_000)), FakeUi()
        self.shown: list[Chapters] = []
        self.controller = BarController(cast(Player, self.player), self.ui, self.shown.append)


async def test_the_chapters_of_an_episode_are_read_once_and_go_when_another_one_plays() -> None:
    bar = Bar()
    bar.controller.chart(episode(1))
    bar.controller.chart(episode(1))
    await bar.ui.finish()
    assert bar.shown == [chapters(0, 60_000)]
    bar.controller.chart(episode(2))
    assert bar.shown[-1] == Chapters()
    assert len([call for call in bar.player.made if call[0] == "chapters"]) == 1


async def test_chapters_that_come_for_another_episode_meanwhile_are_not_shown() -> None:
    bar = Bar()
    bar.controller.chart(episode(1))
    first = bar.ui.work.pop("chart")
    bar.controller.chart(None)
    await first()
    assert bar.shown == [Chapters()]


async def test_chapters_that_arrive_for_what_plays_are_read_anew() -> None:
    bar = Bar()
    bar.controller.chart(episode(1))
    await bar.ui.finish()
    bar.controller.chapters_arrived(episode(2).id)
    assert bar.ui.work == {}
    bar.controller.chapters_arrived(episode(1).id)
    await bar.ui.finish()
    assert len([call for call in bar.player.made if call[0] == "chapters"]) == 2

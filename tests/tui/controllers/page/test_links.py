"""Where links lead, and which are copied: of a real library's episodes, without a screen."""

from collections.abc import Iterator

import pytest

from player.model.episode import Episode
from player.model.filters import View
from player.player import Player
from tests.tui.controllers.fake import FakePlayer, FakeUi
from tests.tui.stage import stocked_player
from tui.controllers.links import LinksController
from tui.controllers.playback import PlaybackController
from tui.dialogs.link_chooser import LinksScreen


@pytest.fixture
def player() -> Iterator[Player]:
    made = stocked_player()
    yield made
    made.close()


@pytest.fixture
def inductor(player: Player) -> Episode:
    """An episode with three links and three times in its notes."""
    found = player.library.episodes.rows(player.library.episodes.ids(View().narrowed("Post-grad")))
    return found[0]


class Links:
    def __init__(self, player: Player, episode: Episode | None) -> None:
        self.ui, self.asked = FakeUi(), FakePlayer()
        self.ui.episode = episode
        self.ui.playback = PlaybackController(self.asked, self.ui)  # type: ignore[arg-type]
        self.controller = LinksController(player, self.ui)


def test_a_page_opens_in_the_browser_and_a_time_plays_the_episode_from_there(player: Player, inductor: Episode) -> None:
    links = Links(player, inductor)
    links.controller.follow("https://h.example/page")
    assert links.ui.links == [("open", "https://h.example/page")]
    (_, first, *_) = links.controller.links_of(inductor, player.library.episodes.notes(inductor.id)).times
    links.controller.choose()
    assert isinstance(links.ui.dialog, LinksScreen)
    links.ui.answer(first.ms)
    assert links.asked.made == [("play", inductor.id, first.ms)]


async def test_all_links_are_found_aside_and_copied(player: Player, inductor: Episode) -> None:
    links = Links(player, inductor)
    links.controller.copy_all()
    assert links.ui.links == []
    await links.ui.finish()
    ((what, *addresses),) = links.ui.links
    assert what == "copy"
    assert "https://github.com/pytorch/pytorch/pull/130935" in addresses


def test_without_an_episode_there_is_no_link_and_a_word_says_so(player: Player) -> None:
    links = Links(player, None)
    links.controller.choose()
    links.controller.copy()
    links.controller.copy_all()
    assert links.ui.links == []
    assert links.ui.messages == ["Select an episode first"] * 3

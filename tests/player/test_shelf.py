"""Tags, titles and pins as a listener changes them while Earmark runs."""

from collections.abc import Iterator
from queue import Queue

import pytest

from player.errors import NotFound
from player.events import Notice, PlaybackChanged, PodcastsArranged
from player.feeds.opml import Outline
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from player.transfer.load import of_outlines
from tests.player.library.helpers import URL, apply_feed, episode

WELCOME = PodcastId(1)


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    opened = Player(paths, Settings(playback=Playback(engine="silent")))
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def arranged(player: Player) -> list[PodcastsArranged]:
    found: list[PodcastsArranged] = []
    player.bus.subscribe(PodcastsArranged, found.append)
    return found


def test_each_change_is_on_the_disk_and_published(player: Player, arranged: list[PodcastsArranged]) -> None:
    assert player.shelf.set_tags(WELCOME, ["work", "news"]).result(10) == ("news", "work")
    assert player.shelf.rename(WELCOME, "Mine").result(10).title == "Mine"
    assert player.shelf.toggle_pin(WELCOME).result(10)
    podcast = player.library.podcasts.get(WELCOME)
    assert (podcast.title, podcast.pinned, podcast.tags) == ("Mine", True, ("news", "work"))
    assert not player.shelf.toggle_pin(WELCOME).result(10)
    assert arranged == [PodcastsArranged((WELCOME,))] * 4


def test_undoing_is_published_too(player: Player, arranged: list[PodcastsArranged]) -> None:
    player.shelf.rename(WELCOME, "Mine").result(10)
    assert player.acts.undo().result(10)
    assert player.library.podcasts.get(WELCOME).title == "Welcome to Earmark"
    assert player.acts.redo().result(10)
    assert player.library.podcasts.get(WELCOME).title == "Mine"
    assert arranged == [PodcastsArranged((WELCOME,))] * 3


def test_a_podcast_that_is_gone_is_a_notice(player: Player, arranged: list[PodcastsArranged]) -> None:
    notices: list[Notice] = []
    player.bus.subscribe(Notice, notices.append)
    with pytest.raises(NotFound):
        player.shelf.toggle_pin(PodcastId(999)).result(10)
    assert [one.text for one in notices] == ["This podcast is no longer in the library. See `earmark podcasts`."]
    assert arranged == []


def test_tags_that_an_import_brings_for_known_podcasts_are_published(
    player: Player, arranged: list[PodcastsArranged]
) -> None:
    podcast = player.library.podcasts.add(URL)
    apply_feed(player.library, podcast, episode(0))
    for _twice in range(2):
        assert player.bring(of_outlines([Outline(URL, "", ("work",))])).result(20).subscribed.known == 1
    assert player.library.podcasts.get(podcast.id).tags == ("work",)
    assert arranged == [PodcastsArranged((podcast.id,))]


def test_what_plays_is_shown_with_the_new_title_and_with_the_old_one_when_that_is_undone(player: Player) -> None:
    shown: Queue[str] = Queue()
    player.start()
    [episode_id, *_others] = player.library.episodes.ids(View.of(ViewName.PODCAST, WELCOME))
    player.session.play(EpisodeId(episode_id)).result(10)
    player.bus.subscribe(
        PlaybackChanged, lambda event: shown.put(event.status.episode.podcast if event.status.episode else "")
    )
    player.shelf.rename(WELCOME, "Mine")
    while shown.get(timeout=10) != "Mine":
        pass
    player.acts.undo()
    while shown.get(timeout=10) != "Welcome to Earmark":
        pass

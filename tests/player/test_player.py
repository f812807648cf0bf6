"""What a player does for a screen: a podcast that is being added can be called off until the last moment, and the bus
hears once of whatever happened, with its cause."""

import threading
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from player.events import (
    Cause,
    EpisodesMarked,
    InboxChanged,
    Mark,
    PodcastAdded,
    PodcastRemoved,
    PodcastsImported,
)
from player.feeds.opml import Outline
from player.jobs.runner import Cancelled
from player.library import Library
from player.model.playback import PlaybackState
from player.model.podcast import Podcast
from player.model.podcast_settings import NewEpisodeRules, PodcastSettings
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from player.transfer.load import of_outlines
from tests.loopback import LoopbackServer
from tests.player.feeds.parsing.making import item, rss
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.sounds import mp3
from tests.player.playback.support import wait_until


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    made = Player(paths, Settings(playback=Playback(engine="silent")))
    made.open()
    yield made
    made.close()


def test_what_was_written_in_the_moment_of_the_cancelling_is_taken_back(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://example.org/feed"
    written, cancelled = threading.Event(), threading.Event()

    def add(address: str, storing: Callable[[str], None], *, previews: bool) -> Podcast:
        assert not previews
        storing(address)
        player.library.podcasts.add(address, "A show")
        written.set()
        assert cancelled.wait(10)
        raise Cancelled("That was cancelled")

    monkeypatch.setattr(player.services.jobs, "add", add)
    before = player.library.podcasts.all()
    added: list[PodcastAdded] = []
    player.bus.subscribe(PodcastAdded, added.append)
    future = player.add(url)
    assert written.wait(10)
    player.cancel_add(url)
    cancelled.set()
    assert isinstance(future.exception(10), Cancelled)
    assert (player.library.podcasts.all(), added) == (before, [])


def test_what_is_there_already_stays(player: Player, server: LoopbackServer) -> None:
    url = server.page("/feed", rss(item(1)))
    podcast = player.add(url).result(10)
    player.cancel_add(url)
    assert player.library.podcasts.get(podcast.id).title == "A show"


# -- what the bus hears -------------------------------------------------------------------------------------------


@pytest.fixture
def heard(player: Player) -> list[object]:
    """Marks and subscriptions, in the order in which they changed."""
    kinds = (EpisodesMarked, PodcastAdded, PodcastRemoved, PodcastsImported)
    events: list[object] = []
    for kind in kinds:
        player.bus.subscribe(kind, events.append)
    return events


def test_a_mark_is_told_once_for_the_episodes_that_did_not_have_it(player: Player, heard: list[object]) -> None:
    first, *others = apply_feed(
        player.library, player.library.podcasts.add(URL, "A show"), *(episode(number) for number in range(3))
    ).new
    player.acts.set_starred([first], True).result(10)
    player.acts.set_starred([*others, first], True).result(10)
    player.acts.set_starred([first], True).result(10)
    player.acts.set_played([first], True, cause=Cause.RULE).result(10)
    player.acts.set_played([first], False).result(10)
    assert heard == [
        EpisodesMarked((first,), Mark.STARRED, True, Cause.PERSON),
        EpisodesMarked(tuple(others), Mark.STARRED, True, Cause.PERSON),
        EpisodesMarked((first,), Mark.PLAYED, True, Cause.RULE),
        EpisodesMarked((first,), Mark.PLAYED, False, Cause.PERSON),
    ]


def test_an_episode_that_was_heard_to_its_end_is_marked_by_a_rule_and_unmarked_when_it_is_heard_again(
    player: Player, heard: list[object], server: LoopbackServer
) -> None:
    url = server.audio("/a", mp3(1500))
    (one,) = apply_feed(player.library, player.library.podcasts.add(URL, "A show"), episode(1, url=url)).new
    player.start()
    player.session.play(one)
    wait_until(lambda: player.status.state is PlaybackState.PLAYING and player.status.duration_ms, "its length")
    assert player.status.duration_ms is not None
    player.session.seek_to(player.status.duration_ms)
    played = EpisodesMarked((one,), Mark.PLAYED, True, Cause.RULE)
    wait_until(lambda: heard == [played], "the mark")
    player.session.play(one, 1_000)
    player.session.set_speed(3.0)
    wait_until(lambda: heard == [played, replace(played, on=False)], "no mark")


def test_podcasts_that_come_and_go_are_told(player: Player, heard: list[object], server: LoopbackServer) -> None:
    podcast = player.add(server.page("/feed", rss(item(1)))).result(10)
    player.remove(podcast.id).result(10)
    assert heard == [PodcastAdded(podcast.id, Cause.PERSON), PodcastRemoved(podcast.id, Cause.PERSON)]


def test_an_import_is_told_at_once_and_as_a_whole(player: Player, heard: list[object], server: LoopbackServer) -> None:
    outlines = [Outline(server.page(f"/{name}", rss(item(1))), name) for name in ("one", "other")]
    subscribed = player.bring(of_outlines(outlines)).result(20).subscribed
    assert heard == [PodcastsImported(subscribed.added, Cause.PERSON)]
    player.bring(of_outlines(outlines)).result(20)
    assert len(heard) == 1


def test_a_podcasts_own_speed_applies_from_the_moment_it_is_set(player: Player) -> None:
    podcast = player.library.podcasts.add(URL)
    (one,) = apply_feed(player.library, podcast, episode(0)).new
    player.library.progress.start(one)
    player.start()
    changed = player.change_podcast_settings(podcast.id, lambda settings: replace(settings, speed=1.5)).result(10)
    assert changed == PodcastSettings(speed=1.5)
    wait_until(lambda: player.status.speed == 1.5, "the speed")
    player.session.set_speed(1.6)
    assert player.session.save_now()
    assert player.library.podcast_settings.get(podcast.id) == PodcastSettings(speed=1.5)


def test_what_another_process_sets_for_a_podcast_applies_to_what_plays(
    player: Player, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.watching.WATCH_S", 0.02)
    podcast = player.library.podcasts.add(URL)
    (one,) = apply_feed(player.library, podcast, episode(0)).new
    player.library.progress.start(one)
    player.start()
    other = Library(paths, backs_up=False)
    other.open()
    other.podcast_settings.set(podcast.id, PodcastSettings(speed=1.5))
    other.close()
    wait_until(lambda: player.status.speed == 1.5, "the speed")


def test_an_age_limit_applies_to_what_waits_in_the_inbox(player: Player, heard: list[object]) -> None:
    podcast = player.library.podcasts.add(URL)
    apply_feed(player.library, podcast, episode(2000))
    changes: list[InboxChanged] = []
    player.bus.subscribe(InboxChanged, changes.append)
    before = len(player.library.inbox)
    rules = NewEpisodeRules(age_limit_days=1)
    player.change_podcast_settings(podcast.id, lambda settings: replace(settings, new_episodes=rules)).result(10)
    assert changes == [InboxChanged(Cause.RULE)]
    assert len(player.library.inbox) == before - 1

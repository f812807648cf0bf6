"""What a player does with podcasts that aren't subscribed to: opens, plays and forgets them, or subscribes."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from player.directory.directory import FoundEpisode
from player.errors import FeedError, HttpFailure, NotFound
from player.events import Cause, EpisodeStarted, InboxChanged, PodcastAdded, PodcastRefreshed
from player.jobs.runner import Cancelled
from player.library import Library
from player.model.filters import View, ViewName
from player.model.podcast import Podcast
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.making import item, rss
from tests.player.library.helpers import apply_feed, episode
from tests.player.media.sounds import mp3
from tests.player.playback.support import wait_until

URL = "https://example.org/feed"


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    made = Player(paths, Settings(playback=Playback(engine="silent")))
    made.open()
    yield made
    made.close()


def test_a_preview_has_the_episodes_of_its_feed_and_is_no_subscription(server: LoopbackServer, player: Player) -> None:
    before, waiting, added = player.library.podcasts.all(), len(player.library.inbox), list[PodcastAdded]()
    player.bus.subscribe(PodcastAdded, added.append)
    url = server.page("/feed", rss(item(1), item(2)))
    podcast = player.previews.open(url).result(20)
    assert (podcast.previewed, podcast.title, podcast.episode_count) == (True, "A show", 2)
    assert player.library.podcasts.all() == before
    assert len(player.library.inbox) == waiting
    requests = len(server.seen)
    assert player.previews.open(url).result(20) == podcast
    assert len(server.seen) == requests, "a feed that was read a moment ago isn't read again"
    changed: list[InboxChanged] = []
    player.bus.subscribe(InboxChanged, changed.append)
    assert not player.previews.subscribe(podcast.id).result(20).previewed
    wait_until(lambda: bool(added and changed))
    assert len(player.library.listing(View.of(ViewName.NEW))) == waiting + 1
    assert player.previews.open(url).result(20).id == podcast.id, "a subscription is shown as it is"
    assert not player.library.podcasts.get(podcast.id).previewed


def test_an_old_preview_is_read_again_or_shown_as_it_is(
    server: LoopbackServer, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.new_podcasts._READ_LATELY", timedelta())
    url = server.page("/feed", rss(item(1)))
    podcast = player.previews.open(url).result(20)
    server.page("/feed", rss(item(1), item(2)))
    again = player.previews.open(url).result(20)
    assert (again.id, again.previewed, again.episode_count) == (podcast.id, True, 2)
    server.answer("/feed", lambda request: request.reply(b"", "text/plain", status=500))
    assert player.previews.open(url).result(20).episode_count == 2


def test_a_feed_that_cannot_be_read_leaves_nothing(server: LoopbackServer, player: Player) -> None:
    with pytest.raises(HttpFailure):
        player.previews.open(server.url("/nothing")).result(20)
    assert player.library.previews.clear(datetime.now(UTC) + timedelta(days=1)) == []


def test_a_cancelled_preview_leaves_nothing(server: LoopbackServer, player: Player) -> None:
    asked, over = threading.Event(), threading.Event()

    def hold(request: Request) -> None:
        asked.set()
        over.wait(20)
        request.reply(rss(item(1)), "text/xml")

    url = server.answer("/slow", hold)
    opening = player.previews.open(url)
    assert asked.wait(20)
    player.previews.cancel(url)
    over.set()
    with pytest.raises(FeedError):
        opening.result(20)
    assert player.library.previews.by_url(url) is None


@pytest.mark.parametrize("listened", [True, False])
def test_what_was_written_in_the_moment_of_the_cancelling_is_taken_back(
    player: Player, monkeypatch: pytest.MonkeyPatch, listened: bool
) -> None:
    written, cancelled = threading.Event(), threading.Event()

    def add(address: str, storing: Callable[[str], None], *, previews: bool) -> Podcast:
        assert previews
        storing(address)
        preview = player.library.previews.add(address, "A show")
        if listened:
            (heard,) = apply_feed(player.library, preview, episode(1)).new
            player.library.progress.save(heard, 5_000, None, datetime.now(UTC))
        written.set()
        assert cancelled.wait(10)
        raise Cancelled("That was cancelled")

    monkeypatch.setattr(player.services.jobs, "add", add)
    opening = player.previews.open(URL)
    assert written.wait(10)
    player.previews.cancel(URL)
    cancelled.set()
    with pytest.raises(Cancelled):
        opening.result(10)
    assert (player.library.previews.by_url(URL) is not None) is listened


def found(feed_url: str, **more: Any) -> FoundEpisode:
    """An episode as a directory has it."""
    plain = {"podcast": "A show", "url": "https://media.example/1.mp3", "guid": "guid-1", "description": "Of it."}
    return FoundEpisode("Episode 1", feed_url=feed_url, **{**plain, **more})


def test_a_found_episode_is_the_one_in_its_feed(server: LoopbackServer, player: Player) -> None:
    url = server.page("/feed", rss(item(1), item(2)))
    opened = player.previews.open_episode(found(url)).result(20)
    assert (opened.podcast.previewed, opened.podcast.episode_count, opened.problem) == (True, 2, "")
    assert (opened.episode.title, opened.episode.guid) == ("Episode 1", "guid-1")
    moved = found(url, guid="", url="http://media.example/2.mp3", description="")
    assert player.previews.open_episode(moved).result(20).episode.title == "Episode 2", "by its enclosure"


def test_an_episode_that_its_feed_no_longer_lists_is_added_as_described(server: LoopbackServer, player: Player) -> None:
    url = server.page("/feed", rss(item(2)))
    at = datetime(2024, 1, 2, tzinfo=UTC)
    opened = player.previews.open_episode(found(url, published=at, duration_ms=60_000)).result(20)
    assert (opened.episode.published, opened.episode.duration_ms) == (at, 60_000)
    assert player.library.episodes.notes(opened.episode.id) == "Of it."
    listing = player.library.listing(View.of(ViewName.PODCAST, opened.podcast.id))
    assert len(listing) == 2
    assert player.previews.open_episode(found(url)).result(20).episode.id == opened.episode.id, "once"
    with pytest.raises(NotFound, match="isn't in the feed of its podcast"):
        player.previews.open_episode(found(url, guid="else", url="", description="")).result(20)


def test_an_episode_whose_feed_cannot_be_read_is_added_with_the_reason(server: LoopbackServer, player: Player) -> None:
    url = server.url("/nothing")
    opened = player.previews.open_episode(found(url)).result(20)
    assert opened.problem.startswith("Not found (404)")
    assert (opened.podcast.previewed, opened.podcast.title, opened.episode.title) == (True, "A show", "Episode 1")
    with pytest.raises(HttpFailure):
        player.previews.open_episode(found(server.url("/else"), url="")).result(20)
    server.page("/nothing", rss(item(1), item(2)))
    again = player.previews.open_episode(found(url)).result(20)
    assert (again.episode.id, again.problem) == (opened.episode.id, "")


def test_cancelling_leaves_nothing(server: LoopbackServer, player: Player) -> None:
    asked, over = threading.Event(), threading.Event()

    def hold(request: Request) -> None:
        asked.set()
        over.wait(20)
        request.reply(rss(item(1)), "text/xml")

    url = server.answer("/slow", hold)
    opening = player.previews.open_episode(found(url))
    assert asked.wait(20)
    player.previews.cancel(url)
    over.set()
    with pytest.raises(Cancelled):
        opening.result(20)
    assert player.library.previews.by_url(url) is None


def test_an_episode_of_a_subscription_is_found_or_added_there_without_being_new(player: Player) -> None:
    podcast = player.library.podcasts.add(URL, "A show")
    (known,) = apply_feed(player.library, podcast, episode(1)).new
    waiting, told = len(player.library.inbox), list[PodcastRefreshed]()
    player.bus.subscribe(PodcastRefreshed, told.append)
    opened = player.previews.open_episode(found(URL)).result(20)
    assert (opened.podcast.previewed, opened.episode.id) == (False, known)
    older = found(URL, guid="older", url="https://media.example/0.mp3", published=datetime(2020, 1, 1, tzinfo=UTC))
    joined = player.previews.open_episode(replace(older, title="Older")).result(20)
    assert player.library.podcasts.get(podcast.id).episode_count == 2
    assert (joined.episode.new, len(player.library.inbox)) == (False, waiting)
    wait_until(lambda: told)
    assert [one.new for one in told] == [()]


def test_a_start_clears_what_nobody_listened_to(paths: Paths) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=8)
    library = Library(paths, now=lambda: long_ago)
    library.open()
    old = library.previews.add(URL, "Old")
    library.close()
    player = Player(paths, Settings(playback=Playback(engine="silent")))
    player.open()
    try:
        new = player.library.previews.add("https://example.org/new", "New")
        player.start()
        wait_until(lambda: player.library.previews.by_url(old.url) is None)
        assert player.library.previews.by_url(new.url) == new
    finally:
        player.close()


def test_a_feed_that_redirects_to_a_subscription_opens_that(server: LoopbackServer, player: Player) -> None:
    podcast = player.add(server.page("/feed", rss(item(1)))).result(20)
    server.answer("/old", lambda request: request.reply(b"", "text/plain", status=301, headers={"Location": "/feed"}))
    assert player.previews.open(server.url("/old")).result(20).id == podcast.id
    link = f'<html><head><link rel="alternate" type="application/rss+xml" href="{podcast.url}"></head></html>'
    page = server.page("/page", link.encode(), "text/html")
    assert player.previews.open(page).result(20).id == podcast.id
    assert not player.library.podcasts.get(podcast.id).previewed


def test_playing_an_episode_of_a_suggestion_subscribes_to_it(server: LoopbackServer, player: Player) -> None:
    added: list[PodcastAdded] = []
    player.bus.subscribe(PodcastAdded, added.append)
    (suggested,), audio = player.library.previews.suggestions(), server.audio("/audio.mp3", mp3(1500))
    heard, _other = apply_feed(player.library, suggested, *(episode(one, url=f"{audio}?{one}") for one in (1, 2))).new
    player.start()
    player.session.play(heard)
    wait_until(lambda: bool(added))
    assert added == [PodcastAdded(suggested.id)]
    assert not player.library.podcasts.get(suggested.id).previewed
    assert player.library.previews.suggestions() == []


def test_playing_an_episode_of_another_preview_subscribes_to_nothing(player: Player) -> None:
    preview = player.library.previews.add(URL, "A show")
    (heard,) = apply_feed(player.library, preview, episode(1)).new
    player.previews.started(EpisodeStarted(heard, 0, Cause.PERSON))
    player.acts.then(lambda: None).result(10)
    assert player.library.podcasts.get(preview.id).previewed


def test_closing_a_suggestion_while_it_is_read_keeps_it(server: LoopbackServer, player: Player) -> None:
    (suggested,) = player.library.previews.suggestions()
    player.library.podcasts.move(suggested.id, server.url("/slow"))
    asked, over = threading.Event(), threading.Event()

    def hold(request: Request) -> None:
        asked.set()
        over.wait(20)
        request.reply(rss(item(1)), "text/xml")

    opening = player.previews.open(server.answer("/slow", hold))
    assert asked.wait(20)
    player.previews.cancel(server.url("/slow"))
    over.set()
    with pytest.raises(FeedError):
        opening.result(20)
    assert [one.id for one in player.library.previews.suggestions()] == [suggested.id]


def test_a_suggestion_whose_feed_cannot_be_read_says_why_and_stays(server: LoopbackServer, player: Player) -> None:
    (suggested,) = player.library.previews.suggestions()
    player.library.podcasts.move(suggested.id, server.url("/nothing"))
    with pytest.raises(HttpFailure):
        player.previews.open(server.url("/nothing")).result(20)
    assert [one.id for one in player.library.previews.suggestions()] == [suggested.id]

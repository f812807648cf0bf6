"""Podcasts are found by words, opened before anybody subscribes, played, and subscribed to or left alone."""

import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from xml.sax.saxutils import escape

import pytest
from msgspec.structs import replace
from textual.widgets import Input

from player.model.filters import View, ViewName
from player.model.playback import PlaybackState
from player.model.podcast import Podcast
from tests.directories import (
    APPLE,
    CHARTS,
    FYYD,
    GPODDER,
    Directories,
    apple_answer,
    apple_episode,
    apple_podcast,
    asked,
    fyyd_answer,
    fyyd_podcast,
    newer_chart,
)
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.making import item, rss
from tests.player.media.sounds import mp3
from tests.quick import mostly_long
from tests.tui.screens.test_changed_settings import change
from tests.tui.stage import QUIET, Stage, stocked
from tui.screens.find import FindScreen, is_address
from tui.screens.preview import PreviewScreen
from tui.screens.reading import ReadingScreen
from tui.widgets.found_rows import FoundRows

NAMES = ("Rust Weekly", "Rusty Nails", "Rust in Peace")


@pytest.fixture
def world(server: LoopbackServer) -> Directories:
    """Three podcasts with feeds of their own, which Apple knows."""
    world = Directories(server)
    audio = server.audio("/audio.mp3", mp3(1500))
    known = []
    for number, name in enumerate(NAMES):
        items = (item(one, title=f"{name} {one}", url=f"{audio}?{number}-{one}") for one in range(1, 6))
        url = server.page(f"/feed{number}", rss(*items, channel=f"<title>{escape(name)}</title>"))
        known.append(apple_podcast(number, name, url, trackCount=5))
    world.says(f"{APPLE}/search", apple_answer(*known))
    return world


@asynccontextmanager
async def finding(world: Directories, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    """After `a`, when the list for a start is there."""
    async with stocked(size, settings=replace(QUIET, directories=world.settings)) as stage:
        await stage.press("a")
        await stage.until(lambda: isinstance(stage.app.screen, FindScreen), "the search")
        await stage.until(lambda: titles(stage), "what Earmark suggests")
        yield stage


def rows(stage: Stage) -> FoundRows:
    return stage.app.screen.query_one(FoundRows)


def titles(stage: Stage) -> list[str]:
    return [one.title for one in rows(stage)._found]


def chosen(stage: Stage) -> str:
    """The title under the cursor."""
    podcast = rows(stage).podcast
    return podcast.title if podcast else ""


async def ask(stage: Stage, words: str) -> None:
    """And wait until all directories have answered."""
    await stage.write(words)
    await stage.press("enter")
    screen = stage.app.screen
    assert isinstance(screen, FindScreen)
    await stage.until(lambda: screen._shown.source.value == "words" and not screen._shown.busy, "the answers")


async def preview(stage: Stage, name: str) -> PreviewScreen:
    while chosen(stage) != name:
        await stage.press("down")
    await stage.press("enter")
    await stage.until(lambda: isinstance(stage.app.screen, PreviewScreen), "the preview")
    screen = stage.app.screen
    assert isinstance(screen, PreviewScreen)
    await stage.until(lambda: screen.preview.podcast is not None and screen.preview.episode is not None, "its list")
    return screen


def subscriptions(stage: Stage) -> list[Podcast]:
    return stage.library.podcasts.all()


@pytest.mark.parametrize("size", [(120, 40), pytest.param((50, 15), marks=pytest.mark.long)])
async def test_a_podcast_is_found_previewed_played_and_subscribed_to(world: Directories, size: tuple[int, int]) -> None:
    async with finding(world, size) as stage:
        before, counts = subscriptions(stage), stage.library.episodes.counts()
        await ask(stage, "rust")
        assert sorted(titles(stage)) == sorted(NAMES)
        screen = await preview(stage, "Rusty Nails")
        assert stage.shows("preview")
        assert subscriptions(stage) == before
        assert stage.library.episodes.counts() == counts
        await stage.press("j", "enter")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "the sound")
        playing = stage.player.status.episode
        assert playing is not None
        assert playing.podcast == "Rusty Nails"
        await stage.until(lambda: stage.player.status.position_ms > 300, "a position")
        await stage.press("space")
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, FindScreen), "the results")
        assert chosen(stage) == "Rusty Nails", "where it was"
        screen = await preview(stage, "Rusty Nails")
        await stage.press("question_mark")
        await stage.until(lambda: stage.shows("Subscribe to this podcast"), "the help")
        await stage.press("escape")
        await change(stage, replace(QUIET, keys={"add": "f9"}), "keys")
        await stage.until(lambda: stage.shows("f9 subscribe"), "the other key, for the same")
        await stage.press("f9")
        await stage.until(lambda: screen.preview.podcast and not screen.preview.podcast.previewed, "the subscription")
        await stage.until(lambda: stage.shows("subscribed"), "that it says so")
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, FindScreen), "the results again")
        await stage.until(lambda: rows(stage).podcast and rows(stage).podcast.podcast_id is not None, "the mark")  # type: ignore[union-attr]
        (new,) = [one for one in subscriptions(stage) if one not in before]
        assert new.title == "Rusty Nails"
        assert stage.library.episodes.get(playing.id).position_ms > 0
        assert len(stage.library.listing(View.of(ViewName.NEW))) == counts.new + 1
        await stage.press("enter")
        await stage.until(lambda: stage.ready and stage.screen.view.podcast_id == new.id, "its list")


@pytest.fixture
def with_episodes(world: Directories) -> Directories:
    """Apple knows three episodes of the first podcast, and one of a podcast without a feed, besides the podcasts."""
    podcasts = world.server.answers[f"{APPLE}/search"]
    feed, audio = world.server.url("/feed0"), world.server.url("/audio.mp3")
    known = [
        apple_episode(f"Rust Weekly {number}", feed, f"{audio}?0-{number}", episodeGuid=f"guid-{number}")
        for number in (2, 3, 4)
    ]
    known.append(apple_episode("Rust, behind a wall", None, f"{audio}?9", description="Nobody knows its feed."))

    def answer(request: Request) -> None:
        if asked(request).get("entity") == "podcastEpisode":
            request.reply(json.dumps(apple_answer(*known)).encode(), "text/javascript")
        else:
            podcasts(request)

    world.does(f"{APPLE}/search", answer)
    return world


async def found_episodes(stage: Stage, words: str) -> None:
    await stage.write(words)
    await stage.press("tab")
    screen = stage.app.screen
    assert isinstance(screen, FindScreen)
    await stage.until(lambda: screen._shown.source.value == "episodes" and not screen._shown.busy, "the answers")
    assert stage.shows("Find episodes")


async def choose(stage: Stage, title: str) -> None:
    while (one := rows(stage).chosen) is None or one.title != title:
        await stage.press("down")


@pytest.mark.parametrize("size", [(80, 24), pytest.param((40, 12), marks=pytest.mark.long)])
async def test_a_single_episode_is_found_opened_with_its_notes_and_played(
    with_episodes: Directories, size: tuple[int, int]
) -> None:
    async with finding(with_episodes, size) as stage:
        before = subscriptions(stage)
        await found_episodes(stage, "rust")
        assert len(titles(stage)) == 4
        assert titles(stage)[-1] == "Rust, behind a wall"
        assert stage.shows("enter preview")
        assert stage.shows("ctrl+e queue")
        await choose(stage, "Rust Weekly 3")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, PreviewScreen), "the page")
        screen = stage.app.screen
        assert isinstance(screen, PreviewScreen)
        await stage.until(lambda: screen.episode is not None and screen.episode.title == "Rust Weekly 3", "the episode")
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "the sound")
        assert stage.player.status.episode is not None
        assert stage.player.status.episode.title == "Rust Weekly 3"
        assert subscriptions(stage) == before
        await stage.press("space", "escape")
        await stage.until(lambda: isinstance(stage.app.screen, FindScreen), "the results")
        assert stage.shows("Rust Weekly 3")


async def test_a_single_episode_is_queued_and_one_without_a_feed_is_reported(with_episodes: Directories) -> None:
    async with finding(with_episodes, (80, 24)) as stage:
        before = subscriptions(stage)
        await found_episodes(stage, "rust")
        await choose(stage, "Rust Weekly 2")
        await stage.press("ctrl+e")
        await stage.until(lambda: stage.library.episodes.counts().queued == 1, "the queue")
        await choose(stage, "Rust Weekly 4")
        await stage.press("ctrl+t")
        await stage.until(lambda: stage.library.episodes.counts().queued == 2, "the queue")
        queued = stage.library.episodes.rows(stage.library.queue.ids())
        assert [one.title for one in queued] == ["Rust Weekly 4", "Rust Weekly 2"]
        assert subscriptions(stage) == before
        await choose(stage, "Rust, behind a wall")
        for key in ("enter", "ctrl+e"):
            await stage.press(key)
            assert stage.shows("No directory knows the feed of “Rust, behind a wall”. Its web page may.")
        await stage.press("tab")
        await stage.until(lambda: sorted(titles(stage)) == sorted(NAMES), "the podcasts with the same words")
        assert stage.shows("tab episodes")
        await stage.press("ctrl+e")
        assert stage.library.episodes.counts().queued == 2, "a podcast isn't queued"


async def test_an_episode_of_a_subscription_is_shown_in_its_list(with_episodes: Directories) -> None:
    async with finding(with_episodes) as stage:
        podcast = stage.player.add(with_episodes.server.url("/feed0")).result(20)
        await found_episodes(stage, "rust")
        await choose(stage, "Rust Weekly 3")
        assert stage.shows("enter open")
        await stage.press("enter")
        await stage.until(lambda: stage.ready and stage.screen.view.podcast_id == podcast.id, "its list")
        await stage.until(lambda: stage.title == "Rust Weekly 3", "the episode")


async def test_an_episode_whose_feed_is_slow_does_not_open_over_what_is_looked_at_meanwhile(
    with_episodes: Directories,
) -> None:
    go_on = threading.Event()

    def slow(request: Request) -> None:
        go_on.wait(20)
        request.reply(rss(item(1, title="Rust Weekly 3")), "application/rss+xml")

    async with finding(with_episodes, (80, 24)) as stage:
        with_episodes.does("/feed0", slow)
        await found_episodes(stage, "rust")
        await choose(stage, "Rust Weekly 3")
        screen = stage.app.screen
        assert isinstance(screen, FindScreen)
        await stage.press("enter")
        await stage.until(lambda: bool(with_episodes.seen("/feed0")), "the request")
        await stage.press("tab")
        await stage.until(lambda: sorted(titles(stage)) == sorted(NAMES), "the podcasts with the same words")
        go_on.set()
        await stage.until(lambda: not screen._shown.adding, "the episode")
        assert stage.app.screen is screen


@pytest.mark.long
async def test_an_episode_whose_feed_cannot_be_read_is_shown_with_the_reason(with_episodes: Directories) -> None:
    broken = lambda request: request.reply(b"", "text/plain", status=503)  # noqa: E731
    async with finding(with_episodes, (80, 24)) as stage:
        with_episodes.does("/feed0", broken)
        await found_episodes(stage, "rust")
        await choose(stage, "Rust Weekly 3")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, PreviewScreen), "the page")
        await stage.until(lambda: stage.shows("server problem (503)"), "why it has only one")
        screen = stage.app.screen
        assert isinstance(screen, PreviewScreen)
        await stage.until(lambda: screen.episode is not None and screen.episode.title == "Rust Weekly 3", "the episode")
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "the sound")


async def test_a_directory_without_an_answer_is_named_beside_the_episodes(with_episodes: Directories) -> None:
    with_episodes.says(f"{FYYD}/0.2/search/episode", b"<html>Welcome</html>", "text/html")
    async with finding(with_episodes) as stage:
        await found_episodes(stage, "rust")
        assert stage.shows("4 episodes · fyyd sent a response that Earmark can't read")
        for path in (f"{APPLE}/search", "/index/api/1.0/search/byperson"):
            with_episodes.says(path, b"", status=503)
        await stage.write(" again")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("ctrl+r asks again"), "what to press")
        assert stage.shows("Apple Podcasts and Podcast Index") or stage.shows("has a server problem (503)")


@pytest.mark.long
async def test_esc_leaves_nothing_behind(world: Directories) -> None:
    asked, over = threading.Event(), threading.Event()

    def slow(request: Request) -> None:
        asked.set()
        over.wait(20)
        request.reply(rss(item(1)), "application/rss+xml")

    url = world.server.answer("/slow", slow)
    world.says(f"{APPLE}/search", apple_answer(apple_podcast(9, "Slow", url)))
    async with finding(world) as stage:
        before = subscriptions(stage)
        await ask(stage, "slow")
        await stage.press("enter")
        await stage.until(asked.is_set, "the request")
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, FindScreen), "the results")
        await stage.until(lambda: not stage.player.services.jobs.busy, "the end of the job")
        assert stage.library.previews.by_url(url) is None
        asked.clear()
        await stage.press("ctrl+s")
        await stage.until(asked.is_set, "the request for the subscription")
        await stage.press("escape")
        over.set()
        await stage.until(lambda: not stage.player.services.jobs.busy, "the end of the job")
        await stage.until(lambda: stage.ready, "the main screen")
        assert subscriptions(stage) == before
        assert stage.library.previews.by_url(url) is None


async def test_answers_that_come_later_leave_the_cursor_on_its_podcast_and_its_line(world: Directories) -> None:
    over = threading.Event()

    def late(request: Request) -> None:
        over.wait(20)
        podcasts = [fyyd_podcast(f"Rust {number}", world.server.url(f"/r{number}")) for number in range(9)]
        request.reply(json.dumps(fyyd_answer(*podcasts)).encode(), "application/json")

    world.does(f"{FYYD}/0.2/search/podcast", late)
    async with finding(world) as stage:
        await stage.write("rust")
        await stage.press("enter")
        await stage.until(lambda: len(titles(stage)) == 3, "the first answers")
        await stage.press("down")
        name, line = chosen(stage), rows(stage).cursor - rows(stage).scroll_offset.y
        over.set()
        await stage.until(lambda: len(titles(stage)) == 12, "the last answer")
        assert chosen(stage) == name
        assert rows(stage).cursor - rows(stage).scroll_offset.y in (line, rows(stage).cursor)


async def test_a_directory_that_fails_is_named_and_another_search_replaces_the_first(
    world: Directories,
) -> None:
    world.does(f"{GPODDER}/search.json", lambda request: request.reply(b"", "text/plain", status=500))
    async with finding(world) as stage:
        await ask(stage, "rust")
        assert stage.shows("3 podcasts · gpodder.net has a server problem (500)")
        name = chosen(stage)
        await stage.press("ctrl+s")
        await stage.until(lambda: name in [one.title for one in subscriptions(stage)], "the subscription")
        await stage.until(lambda: stage.shows(f"✓ {name}"), "the mark")
        await stage.press("ctrl+s")
        assert stage.shows(f"You are already subscribed to “{name}”")
        world.says(f"{APPLE}/search", apple_answer())
        field = stage.app.screen.query_one(Input)
        field.value = ""
        await stage.until(lambda: stage.shows("Suggested by Earmark"), "the list for a start")
        await ask(stage, "nobody")
        assert stage.shows("Nothing found. Try fewer or other words")


async def test_when_every_directory_fails_it_says_why_and_what_to_press(world: Directories) -> None:
    for path in (f"{APPLE}/search", f"{FYYD}/0.2/search/podcast", f"{GPODDER}/search.json"):
        world.does(path, lambda request: request.reply(b"", "text/plain", status=503))
    world.does("/index/api/1.0/search/byterm", lambda request: request.reply(b"", "text/plain", status=503))
    async with finding(world) as stage:
        await ask(stage, "rust")
        screen = stage.app.screen
        assert isinstance(screen, FindScreen)
        inside = screen.frame.region
        said = " ".join(" ".join(line[inside.x + 1 : inside.right - 1] for line in stage.lines()).split())
        assert "Apple Podcasts has a server problem (503). Try again later. Podcast Index" in said
        assert "ctrl+r asks again; a feed can be added by its URL." in said


async def test_the_list_for_a_start_needs_no_directory_and_tab_leads_to_the_charts(
    world: Directories,
) -> None:
    for country in ("us", "de"):
        for size in (10, 25, 50):
            path = f"{CHARTS}/api/v2/{country}/podcasts/top/{size}/podcasts.json"
            world.says(path, newer_chart(*((1, 2) if country == "us" else (3,))))
    world.looks_up(*((number, world.server.url(f"/feed{number - 1}")) for number in (1, 2, 3)))
    async with finding(world) as stage:
        assert len(titles(stage)) == 30
        assert stage.shows("all topics")
        await stage.press("right", "right")
        assert stage.shows("Suggested by Earmark · Software")
        assert "The Changelog" in titles(stage)
        assert len(titles(stage)) < 30
        await stage.press("left", "left")
        assert len(titles(stage)) == 30
        assert not [one for one in world.server.seen if one.path.startswith((APPLE, FYYD, GPODDER))]

        await stage.press("tab")
        await stage.until(lambda: titles(stage) == ["Show 1", "Show 2"], "the charts")
        assert stage.shows("Charts · US · all topics")
        await stage.press("ctrl+l")
        await stage.until(lambda: stage.shows("Charts of which country?"), "the question")
        await stage.press("d", "e", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, FindScreen) and titles(stage) == ["Show 3"], "Germany's")
        await stage.press("right")
        await stage.until(lambda: stage.shows("Charts · DE · Technology"), "a topic")
        await stage.press("tab")
        await stage.until(lambda: len(titles(stage)) == 30, "the list for a start")


@pytest.mark.long
async def test_a_feed_that_cannot_be_opened_says_so_and_is_tried_again(world: Directories) -> None:
    url = world.server.url("/broken")
    world.says(f"{APPLE}/search", apple_answer(apple_podcast(9, "Broken", url)))
    async with finding(world) as stage:
        await ask(stage, "broken")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("Not found (404)"), "the reason")
        assert stage.shows("r  try again")
        assert stage.shows("r tries again, esc goes back.")
        assert not stage.shows("a subscribe")
        world.server.page("/broken", rss(item(1, title="Mended")))
        await stage.press("r")
        await stage.until(lambda: stage.shows("Mended"), "the episode")


@pytest.mark.long
async def test_a_feed_that_redirects_to_a_subscription_opens_it(world: Directories) -> None:
    moved = {"Location": "/feed0"}
    url = world.server.answer("/old", lambda request: request.reply(b"", "text/plain", status=301, headers=moved))
    world.says(f"{APPLE}/search", apple_answer(apple_podcast(9, "Rust of Old", url)))
    async with finding(world) as stage:
        known = stage.player.add(world.server.url("/feed0")).result(20)
        await ask(stage, "rust")
        await stage.press("ctrl+s")
        await stage.until(lambda: stage.shows("You are already subscribed to “Rust Weekly”"), "that it is here")
        await stage.press("enter")
        await stage.until(lambda: stage.ready and stage.screen.view.podcast_id == known.id, "its list")


@pytest.mark.long
async def test_what_plays_of_a_preview_is_gone_to_from_the_main_screen(world: Directories) -> None:
    async with finding(world) as stage:
        await ask(stage, "rust")
        await preview(stage, "Rust Weekly")
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "the sound")
        await stage.press("escape", "escape")
        await stage.until(lambda: stage.ready, "the main screen")
        await stage.press("'")
        await stage.until(lambda: isinstance(stage.app.screen, PreviewScreen), "the preview")
        await stage.until(lambda: stage.shows("Rust Weekly  preview"), "its list")


@pytest.mark.long
async def test_in_a_preview_titles_are_filtered_and_episodes_queued(world: Directories) -> None:
    async with finding(world) as stage:
        await ask(stage, "rust")
        screen = await preview(stage, "Rust Weekly")
        await stage.press("slash")
        await stage.write("weekly 4")
        await stage.until(lambda: stage.shows("1 match"), "the match")
        await stage.press("enter", "e")
        await stage.until(lambda: stage.library.episodes.counts().queued == 1, "the queue")
        await stage.press("escape")
        await stage.until(lambda: stage.shows("5 episodes"), "all of them")
        await stage.press("l")
        assert screen._on_notes
        await stage.press("escape")
        assert not screen._on_notes


@pytest.mark.parametrize("size", mostly_long([((50, 15),), ((120, 40),)]))
async def test_v_opens_the_notes_of_a_preview_as_a_page_that_turns(world: Directories, size: tuple[int, int]) -> None:
    async with finding(world, size) as stage:
        await ask(stage, "rust")
        screen = await preview(stage, "Rust Weekly")
        first = screen.preview.episode
        assert first is not None
        await stage.press("v")
        await stage.until(lambda: isinstance(stage.app.screen, ReadingScreen), "the page")
        page = stage.app.screen
        assert isinstance(page, ReadingScreen)
        assert page.episode.id == first.id
        await stage.until(lambda: stage.shows(first.title), "its page")
        await stage.press("J")
        await stage.until(lambda: page.episode.id != first.id and stage.shows(page.episode.title), "the next one")
        await stage.press("x")
        await stage.until(lambda: stage.shows("Not in New"), "that there is nothing to dismiss")
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "the sound")
        await stage.press("v")
        assert stage.app.screen is screen
        assert screen.preview.episode is not None
        assert screen.preview.episode.id == page.episode.id, "the list went along"
        await stage.press("l", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, ReadingScreen), "the page, from the notes")
        await stage.press("escape", "escape")
        assert not screen._on_notes


@pytest.mark.long
async def test_what_a_podcast_recommends_opens_from_its_page(world: Directories) -> None:
    other = f"<podcast:remoteItem feedUrl='{world.server.url('/feed2')}' title='In Peace'/>"
    roll = f"<podcast:podroll>{other}</podcast:podroll>"
    person = "<podcast:person>Ada</podcast:person>"
    world.server.page("/feed0", rss(item(1), channel=f"<title>Rust Weekly</title>{roll}{person}"))
    async with finding(world) as stage:
        await ask(stage, "rust")
        await preview(stage, "Rust Weekly")
        await stage.press("i")
        await stage.until(lambda: stage.shows("Recommended by this podcast"), "the page")
        assert stage.shows("In Peace")
        await stage.press("j", "j", "enter")
        await stage.until(lambda: stage.shows("Rust in Peace  preview"), "the preview")
        await stage.press("escape", "k", "enter")
        await stage.until(lambda: stage.shows("Find podcasts with Ada"), "the person")
        found = apple_episode("Ada, elsewhere", world.server.url("/feed2"), world.server.url("/audio.mp3?2-1"))
        world.says(f"{APPLE}/search", apple_answer(found))
        await stage.press("G", "k", "enter")
        await stage.until(lambda: titles(stage) == ["Ada, elsewhere"], "other episodes with that person")
        assert stage.shows("Episodes: “Ada”")
        known = [apple_podcast(number, name, None) for number, name in enumerate(NAMES)]
        world.says(f"{APPLE}/search", apple_answer(*known))
        await stage.press("escape", "G", "enter")
        await stage.until(lambda: isinstance(stage.app.screen, FindScreen) and len(titles(stage)) == 3, "the search")
        assert stage.shows("“Ada”")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com/feed", True), ("example.com/feed", True), ("feed:example.com", True),
        ("/home/me/audio books", True), ("~/audio", True), ("rust", False), ("node.js news", False), ("AT&T", False),
        ("what is love?", False), ("...", False), ("", False),
    ],
)  # fmt: skip
def test_an_address_is_told_from_words(text: str, expected: bool) -> None:
    assert is_address(text) is expected

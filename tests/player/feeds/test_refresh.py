"""Refreshing feeds: all at once, and no failure ends it."""

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from player.events import Bus, Cause, InboxChanged, PodcastRefreshed, QueueChanged, RefreshProgress
from player.feeds.parsing.parse import read_feed
from player.feeds.refresh import Refresher
from player.feeds.refresh_summary import RefreshSummary
from player.feeds.schedule import shows_due
from player.library import Library
from player.model.filters import View, ViewName
from player.model.podcast import WELCOME_URL, PodcastId
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes, PodcastSettings
from player.paths import Paths
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.making import item, page, rss


class Heard:
    """All that the bus has carried."""

    def __init__(self, bus: Bus) -> None:
        self.refreshed: list[PodcastRefreshed] = []
        self.progress: list[RefreshProgress] = []
        bus.subscribe(PodcastRefreshed, self.refreshed.append)
        bus.subscribe(RefreshProgress, self.progress.append)


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def heard(bus: Bus) -> Heard:
    return Heard(bus)


@pytest.fixture
def refresher(library: Library, bus: Bus) -> Refresher:
    return Refresher(library, bus)


def titles(library: Library, podcast_id: PodcastId) -> list[str]:
    query = View.of(ViewName.PODCAST, podcast_id)
    return sorted(episode.title for episode in library.episodes.rows(library.episodes.ids(query)))


def test_every_podcast_is_read(server: LoopbackServer, library: Library, refresher: Refresher, heard: Heard) -> None:
    ids = [library.podcasts.add(server.page(f"/{n}", rss(item(n), item(n + 100)))).id for n in range(12)]
    assert replace(refresher.refresh(), news=()) == RefreshSummary(refreshed=12, new=24)
    assert all(len(titles(library, one)) == 2 for one in ids)
    assert {event.podcast_id for event in heard.refreshed} == set(ids)
    assert all(len(event.new) == 2 and event.changed and event.error is None for event in heard.refreshed)
    assert heard.progress[0] == RefreshProgress(0, 12)
    assert heard.progress[-1] == RefreshProgress(12, 12, new=24)
    assert [step.done for step in heard.progress] == list(range(13))


def test_only_the_podcasts_asked_for_are_read(server: LoopbackServer, library: Library, refresher: Refresher) -> None:
    first = library.podcasts.add(server.page("/1", rss(item(1)))).id
    second = library.podcasts.add(server.page("/2", rss(item(2)))).id
    assert refresher.refresh([second, second]) == RefreshSummary(refreshed=1, new=1, news=((second, 1),))
    assert library.podcasts.get(first).last_refreshed is None


def test_nothing_to_refresh_is_over_at_once(refresher: Refresher, heard: Heard) -> None:
    assert refresher.refresh() == RefreshSummary()
    assert refresher.refresh([PodcastId(999)]) == RefreshSummary()
    assert heard.progress == [RefreshProgress(0, 0), RefreshProgress(0, 0)]


def test_each_event_of_a_refresh_says_who_wanted_it(
    server: LoopbackServer, library: Library, refresher: Refresher, heard: Heard
) -> None:
    podcast = library.podcasts.add(server.page("/feed", rss(item(1)))).id
    refresher.refresh([podcast], by_person=False)
    assert {event.cause for event in heard.progress} == {Cause.RULE}
    heard.progress.clear()
    refresher.refresh([podcast])
    assert {event.cause for event in heard.progress} == {Cause.PERSON}
    assert {event.cause for event in heard.refreshed} == {Cause.FEED}
    assert len([event for event in heard.progress if event.done == event.total]) == 1, "its end is told once"


def test_what_arrives_in_the_inbox_and_in_the_queue_is_published_when_it_is_written(
    server: LoopbackServer, library: Library, refresher: Refresher, bus: Bus
) -> None:
    seen: list[tuple[object, int, int]] = []
    for kind in (InboxChanged, QueueChanged):
        bus.subscribe(kind, lambda event: seen.append((event, len(library.inbox), len(library.queue))))
    podcast = library.podcasts.add(server.page("/feed", rss(item(1), item(2)))).id
    refresher.refresh()
    assert seen == [(InboxChanged(Cause.FEED), 1, 0)]
    refresher.refresh()
    assert len(seen) == 1, "nothing has arrived"
    library.podcast_settings.set(podcast, PodcastSettings(new_episodes=NewEpisodeRules(NewEpisodes.QUEUE)))
    server.page("/feed", rss(item(0), item(1), item(2)))
    refresher.refresh()
    assert seen[1:] == [(QueueChanged(Cause.FEED), 1, 1)]


def test_a_failure_is_a_sentence_on_its_row_and_goes_with_the_next_success(
    server: LoopbackServer, library: Library, refresher: Refresher, heard: Heard
) -> None:
    good = library.podcasts.add(server.page("/good", rss(item(1)))).id
    bad = library.podcasts.add(server.url("/bad")).id
    became_page = library.podcasts.add(server.page("/page", page(), "text/html")).id
    summary = refresher.refresh()
    assert (summary.refreshed, summary.new) == (1, 1)
    failed = dict(summary.failed)
    assert failed.keys() == {bad, became_page}
    assert "Not found (404): " in failed[bad]
    assert "is a web page" in failed[became_page]
    assert library.podcasts.get(bad).error == failed[bad]
    assert library.podcasts.get(good).error is None
    assert {event.error for event in heard.refreshed} == {None, *failed.values()}
    assert heard.progress[-1] == RefreshProgress(3, 3, new=1, failed=2)

    server.page("/bad", rss(item(2)))
    assert replace(refresher.refresh([bad]), news=()) == RefreshSummary(refreshed=1, new=1)
    assert library.podcasts.get(bad).error is None


def test_a_feed_that_was_never_reached_keeps_its_name_and_is_tried_again(
    server: LoopbackServer, library: Library, refresher: Refresher
) -> None:
    podcast = library.podcasts.add(server.url("/feed"), "PyTorch")
    refresher.refresh()
    row = library.podcasts.get(podcast.id)
    assert (row.title, row.last_refreshed) == ("PyTorch", None)
    server.page("/feed", rss(item(1)))
    refresher.refresh()
    row = library.podcasts.get(podcast.id)
    assert (row.title, row.error, row.episode_count) == ("A show", None, 1)
    assert row.last_refreshed is not None


def test_an_unchanged_feed_costs_no_body(
    server: LoopbackServer, library: Library, refresher: Refresher, heard: Heard
) -> None:
    def answer(request: Request) -> None:
        if request.headers["If-None-Match"]:
            request.reply(b"", "text/plain", status=304)
        else:
            request.reply(rss(item(1)), "text/xml", headers={"ETag": '"1"'})

    podcast = library.podcasts.add(server.answer("/feed", answer))
    assert refresher.refresh().new == 1
    assert refresher.refresh() == RefreshSummary(refreshed=1, new=0)
    assert heard.refreshed[-1] == PodcastRefreshed(podcast.id)
    assert len(server.seen) == 2


def test_answers_that_nothing_is_new_are_written_together(
    server: LoopbackServer, library: Library, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: Request) -> None:
        if request.headers["If-None-Match"]:
            request.reply(b"", "text/xml", status=304)
        else:
            request.reply(rss(item(1)), "text/xml", headers={"ETag": '"1"'})

    for number in range(12):
        library.podcasts.add(server.answer(f"/{number}", answer))
    assert refresher.refresh().new == 12
    monkeypatch.setattr("player.feeds.refresh._GATHER_S", 1000.0)  # but no longer than until all are there
    transactions: list[bool] = []
    transaction = library.transaction

    def counted(**how: bool) -> AbstractContextManager[None]:
        transactions.append(True)
        return transaction(**how)

    monkeypatch.setattr(library, "transaction", counted)
    assert refresher.refresh() == RefreshSummary(refreshed=12)
    assert len(transactions) == 3, "the start is noted, all answers are written, the end is noted"


def test_positions_and_stars_survive_what_a_feed_does(
    server: LoopbackServer, library: Library, refresher: Refresher
) -> None:
    url = server.page("/feed", rss(item(1), item(2)))
    podcast = library.podcasts.add(url)
    refresher.refresh()
    first, second = sorted(library.episodes.rows(library.episodes.ids(View())), key=lambda episode: episode.title)
    library.episodes.set_starred([first.id, second.id], True)
    server.page("/feed", rss(item(1, title="Renamed", url="https://elsewhere.example/1.mp3"), item(3)))
    assert refresher.refresh().new == 1
    assert titles(library, podcast.id) == ["Episode 2", "Episode 3", "Renamed"]
    assert library.episodes.get(first.id).starred
    assert library.episodes.get(second.id).starred
    assert library.episodes.get(first.id).url == "https://elsewhere.example/1.mp3"


def test_the_built_in_show_is_read_without_a_network(library: Library, refresher: Refresher) -> None:
    podcast = library.podcasts.add(WELCOME_URL)
    assert replace(refresher.refresh(), news=()) == RefreshSummary(refreshed=1, new=3)
    assert refresher.refresh() == RefreshSummary(refreshed=1)
    assert library.podcasts.get(podcast.id).title == "Welcome to Earmark"


def test_a_podcast_removed_meanwhile_stays_removed(
    server: LoopbackServer, library: Library, refresher: Refresher, heard: Heard
) -> None:
    def answer(request: Request) -> None:
        library.podcasts.remove(podcast.id)
        request.reply(rss(item(1)), "text/xml")

    podcast = library.podcasts.add(server.answer("/feed", answer))
    assert refresher.refresh().new == 0
    assert library.podcasts.all() == []
    assert heard.refreshed == []
    assert heard.progress[-1] == RefreshProgress(1, 1)


def test_several_feeds_are_fetched_at_once(server: LoopbackServer, library: Library, refresher: Refresher) -> None:
    together = threading.Barrier(4, timeout=10)

    def answer(request: Request) -> None:
        together.wait()
        request.reply(rss(item(1)), "text/xml")

    for number in range(4):
        library.podcasts.add(server.answer(f"/{number}", answer))
    assert refresher.refresh().refreshed == 4


def test_a_slow_feed_holds_up_no_other(
    server: LoopbackServer, library: Library, refresher: Refresher, bus: Bus
) -> None:
    others_done = threading.Event()
    bus.subscribe(RefreshProgress, lambda step: others_done.set() if step.done == 20 else None)

    def answer(request: Request) -> None:
        others_done.wait(10)
        request.reply(rss(item(1)), "text/xml")

    library.podcasts.add(server.answer("/slow", answer))
    for number in range(20):
        library.podcasts.add(server.page(f"/{number}", rss(item(number))))
    assert refresher.refresh().refreshed == 21
    assert others_done.is_set()


def test_cancelling_ends_it_at_once_and_nothing_is_written_after(
    server: LoopbackServer, library: Library, refresher: Refresher, heard: Heard
) -> None:
    asked, over = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        asked.set()
        over.wait(40)
        request.reply(rss(item(1)), "text/xml")

    podcast = library.podcasts.add(server.answer("/feed", answer))
    summaries: list[RefreshSummary] = []
    thread = threading.Thread(target=lambda: summaries.append(refresher.refresh()))
    thread.start()
    assert asked.wait(10)
    start = time.monotonic()
    refresher.cancel()
    thread.join(30)
    assert time.monotonic() - start < 20
    over.set()
    assert summaries == [RefreshSummary(left=1)]
    assert library.podcasts.get(podcast.id).error is None
    assert heard.progress[-1].done == heard.progress[-1].total

    server.page("/feed", rss(item(1)))
    assert refresher.refresh().refreshed == 1


def test_what_is_being_refreshed_is_not_fetched_twice(
    server: LoopbackServer, library: Library, refresher: Refresher
) -> None:
    asked, over = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        asked.set()
        over.wait(10)
        request.reply(rss(item(1)), "text/xml")

    library.podcasts.add(server.answer("/feed", answer))
    thread = threading.Thread(target=refresher.refresh)
    thread.start()
    assert asked.wait(10)
    assert refresher.refresh() == RefreshSummary()
    over.set()
    thread.join(10)
    assert len(server.seen) == 1


def test_a_reader_that_trips_fails_one_feed_alone(
    server: LoopbackServer, library: Library, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.podcasts.add(server.page("/good", rss(item(1))))
    bad = library.podcasts.add(server.page("/bad", b"trips")).id

    def read(body: bytes, *rest: str) -> object:
        if body == b"trips":
            raise RuntimeError("a bug")
        return real(body, *rest)

    real = read_feed
    monkeypatch.setattr("player.feeds.parsing.parse.read_feed", read)
    summary = refresher.refresh()
    assert summary.refreshed == 1
    assert summary.failed == ((bad, "Earmark couldn't process this feed. See the log."),)


def live(status: str, guid: str = "live-1") -> str:
    stream = "<enclosure url='https://stream.example/live' type='audio/mpeg'/>"
    start = "2026-11-24T20:00:00Z"
    inside = f"<title>Tonight</title><guid>{guid}</guid>{stream}"
    return f"<podcast:liveItem status='{status}' start='{start}'>{inside}</podcast:liveItem>"


@pytest.fixture
def now() -> list[datetime]:
    return [datetime(2026, 11, 24, 19, tzinfo=UTC)]


@pytest.fixture
def clocked(paths: Paths, now: list[datetime]) -> Iterator[Library]:
    """A library whose clock says what `now` does."""
    opened = Library(paths, now=lambda: now[0])
    opened.open()
    for podcast in opened.podcasts.all():
        opened.podcasts.remove(podcast.id)
    yield opened
    opened.close()


def test_a_live_show_is_told_once_when_it_goes_live_and_is_no_new_episode(
    server: LoopbackServer, clocked: Library, bus: Bus, heard: Heard, now: list[datetime]
) -> None:
    library, refresher = clocked, Refresher(clocked, bus, now=lambda: now[0])
    served = {"body": rss(item(1), channel=f"<title>A show</title>{live('pending')}")}
    address = server.answer("/feed", lambda request: request.reply(served["body"], "application/rss+xml"))
    podcast = library.podcasts.add(address).id
    assert refresher.refresh().new == 1
    assert titles(library, podcast) == ["Episode 1", "Tonight"]
    assert library.feed_schedules.get(podcast).due_at == now[0], "nothing keeps it from being checked before"
    for minutes, status, told in ((60, "live", 1), (62, "live", 0), (180, "ended", 0)):
        now[0] = datetime(2026, 11, 24, 19, tzinfo=UTC) + timedelta(minutes=minutes)
        served["body"] = rss(item(1), channel=f"<title>A show</title>{live(status)}<!-- {minutes} -->")
        heard.refreshed.clear()
        assert refresher.refresh().new == 0
        (event,) = heard.refreshed
        assert (len(event.live), event.new) == (told, ())
    assert titles(library, podcast) == ["Episode 1"]


def test_a_feed_that_asks_for_a_long_pause_is_due_when_its_show_is_to_begin(
    server: LoopbackServer, clocked: Library, bus: Bus, now: list[datetime]
) -> None:
    starts, library = datetime(2026, 11, 24, 20, tzinfo=UTC), clocked
    refresher = Refresher(library, bus, now=lambda: now[0])
    body = rss(item(1), channel=f"<title>A show</title>{live('pending')}")
    address = server.page("/feed", body, headers={"Cache-Control": "max-age=86400"})
    podcast = library.podcasts.add(address).id
    refresher.refresh()
    assert library.feed_schedules.get(podcast).due_at == starts
    assert shows_due(library, now[0]) == []
    now[0] = starts
    assert shows_due(library, now[0]) == [podcast]
    refresher.refresh([podcast], by_person=False)
    assert library.feed_schedules.get(podcast).due_at == starts + timedelta(minutes=2), "it is late"
    assert shows_due(library, now[0]) == []

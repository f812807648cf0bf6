"""What a refresh does when a server or a feed says more than that there is something new."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from msgspec.structs import replace

from player.events import Bus
from player.feeds.refresh import Refresher
from player.feeds.refresh_summary import RefreshSummary
from player.feeds.schedule import anything_due
from player.library import Library
from player.model.filters import View, ViewName
from player.model.foreign import ForeignEpisode
from player.model.podcast import Podcast
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.making import item, rss

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def refresher(library: Library, clock: Clock) -> Refresher:
    return Refresher(library, Bus(), now=clock)


def titles(library: Library, podcast: Podcast) -> list[str]:
    query = View.of(ViewName.PODCAST, podcast.id)
    return [episode.title for episode in library.episodes.rows(library.episodes.ids(query))]


def failing(status: int, **headers: str) -> Callable[[Request], None]:
    return lambda request: request.reply(b"", "text/plain", status=status, headers=headers)


# -- pauses ---------------------------------------------------------------------------------------------------


def test_a_refresh_by_itself_leaves_a_feed_alone_for_as_long_as_its_answer_is_good(
    server: LoopbackServer, library: Library, refresher: Refresher, clock: Clock
) -> None:
    library.podcasts.add(server.page("/feed", rss(item(1)), headers={"Cache-Control": "max-age=3600"}))
    assert anything_due(library, None, clock.now)
    assert refresher.refresh(by_person=False).refreshed == 1
    clock.now += 59 * MINUTE
    assert not anything_due(library, None, clock.now)
    assert refresher.refresh(by_person=False) == RefreshSummary(resting=1)
    assert refresher.refresh().refreshed == 1
    clock.now += 61 * MINUTE
    assert refresher.refresh(by_person=False).refreshed == 1


def test_the_rhythm_of_a_feed_is_kept_when_it_says_that_nothing_is_new(
    server: LoopbackServer, library: Library, refresher: Refresher, clock: Clock
) -> None:
    def answer(request: Request) -> None:
        if request.headers["If-None-Match"]:
            request.reply(b"", "text/plain", status=304)
        else:
            channel = "<title>A show</title><ttl>120</ttl>"
            request.reply(rss(item(1), channel=channel), "text/xml", headers={"ETag": '"1"'})

    podcast = library.podcasts.add(server.answer("/feed", answer))
    for _ in range(2):
        refresher.refresh()
        assert library.feed_schedules.get(podcast.id).due_at == clock.now + 120 * MINUTE
        clock.now += 5 * MINUTE


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_for_a_pause_gets_it_whoever_wants_the_feed(
    server: LoopbackServer, library: Library, refresher: Refresher, clock: Clock, status: int
) -> None:
    podcast = library.podcasts.add(server.answer("/feed", failing(status, **{"Retry-After": "600"})))
    assert len(refresher.refresh().failed) == 1
    clock.now += 9 * MINUTE
    assert refresher.refresh([podcast.id]) == RefreshSummary(resting=1)
    assert len(server.seen) == 1
    server.page("/feed", rss(item(1)))
    clock.now += 2 * MINUTE
    assert refresher.refresh().new == 1


def test_pauses_grow_after_failures_and_end_with_a_success(
    server: LoopbackServer, library: Library, refresher: Refresher, clock: Clock
) -> None:
    podcast = library.podcasts.add(server.answer("/feed", failing(500)))
    asked = []
    for _ in range(6 * 60):
        if refresher.refresh(by_person=False).failed:
            asked.append(clock.now)
        clock.now += MINUTE
    gaps = [(later - earlier) / MINUTE for earlier, later in pairwise(asked)]
    assert len(asked) <= 7
    assert all(later > earlier * 1.5 for earlier, later in pairwise(gaps))
    server.page("/feed", rss(item(1)))
    refresher.refresh([podcast.id])
    assert library.feed_schedules.get(podcast.id).failures == 0
    assert refresher.refresh(by_person=False).refreshed == 1


def test_a_computer_without_a_network_blames_no_feed(
    library: Library, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    def nobody(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "x")

    monkeypatch.delenv("https_proxy")
    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    podcast = library.podcasts.add("https://a.test/feed")
    ((_, sentence),) = refresher.refresh().failed
    assert sentence.startswith("No network: ")
    assert library.feed_schedules.get(podcast.id).failures == 0


def test_a_feed_that_is_gone_for_good_is_asked_no_more_and_says_so(
    server: LoopbackServer, library: Library, refresher: Refresher, clock: Clock
) -> None:
    podcast = library.podcasts.add(server.answer("/feed", failing(410)))
    ((_, sentence),) = refresher.refresh(by_person=False).failed
    assert "Earmark no longer checks it." in sentence
    clock.now += timedelta(days=30)
    assert refresher.refresh(by_person=False).failed == ()
    assert len(server.seen) == 1
    server.page("/feed", rss(item(1)))
    assert refresher.refresh([podcast.id]).new == 1
    assert not library.feed_schedules.get(podcast.id).gone


# -- what costs nothing ---------------------------------------------------------------------------------------


def test_the_same_body_again_is_not_even_read(
    server: LoopbackServer, library: Library, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.podcasts.add(server.page("/feed", rss(item(1))))
    assert refresher.refresh().new == 1
    monkeypatch.setattr("player.feeds.parsing.parse.read_feed", lambda *_: pytest.fail("it was read"))
    assert refresher.refresh() == RefreshSummary(refreshed=1)


def test_another_body_with_the_same_episodes_writes_no_episode(
    server: LoopbackServer, library: Library, refresher: Refresher
) -> None:
    podcast = library.podcasts.add(server.page("/feed", rss(*(item(number) for number in range(50)))))
    refresher.refresh()
    with library._connected.writing() as connection:
        connection.execute("CREATE TEMP TABLE written (n)")
        for verb in ("INSERT", "UPDATE", "DELETE"):
            for table in ("episodes", "details"):
                when = f"CREATE TEMP TRIGGER on_{verb}_{table} AFTER {verb} ON main.{table}"
                connection.execute(f"{when} BEGIN INSERT INTO written VALUES (1); END")
    server.page("/feed", rss(*(item(number) for number in range(50)), channel="<title>A show</title><!-- today -->"))
    assert refresher.refresh() == RefreshSummary(refreshed=1)
    with library._connected.writing() as connection:
        assert connection.execute("SELECT count(*) FROM written").fetchone() == (0,)
    assert len(titles(library, podcast)) == 50


# -- moving ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "moves"), [(301, True), (308, True), (302, False), (307, False)])
def test_a_subscription_moves_with_permanent_redirects_alone(
    server: LoopbackServer, library: Library, refresher: Refresher, status: int, moves: bool
) -> None:
    podcast = library.podcasts.add(server.answer("/old", failing(status, Location="/new")))
    there = server.page("/new", rss(item(1)))
    assert refresher.refresh().new == 1
    assert library.podcasts.get(podcast.id).url == (there if moves else podcast.url)


def test_a_subscription_does_not_move_onto_another(
    server: LoopbackServer, library: Library, refresher: Refresher
) -> None:
    there = library.podcasts.add(server.page("/new", rss(item(1))))
    here = library.podcasts.add(server.page("/old", rss(item(1))))
    refresher.refresh()
    server.answer("/old", failing(301, Location="/new"))
    feed = rss(item(1), channel=f"<title>x</title><itunes:new-feed-url>{there.url}</itunes:new-feed-url>")
    also = library.podcasts.add(server.page("/also", feed))
    assert refresher.refresh().refreshed == 3
    assert {one.url for one in library.podcasts.all()} == {here.url, there.url, also.url}


@pytest.mark.parametrize("is_read", [True, False], ids=["read before", "new as well"])
def test_a_new_subscription_that_is_another_one_by_its_former_address_goes_into_that(
    server: LoopbackServer, library: Library, refresher: Refresher, is_read: bool
) -> None:
    """As when a list is imported that was exported before the feed moved."""
    there = library.podcasts.add(server.page("/new", rss(item(1), item(2))))
    if is_read:
        refresher.refresh()
    here = library.podcasts.add(server.answer("/old", failing(301, Location="/new")))
    library.incoming.bring({here.id: [ForeignEpisode("guid-1", played=True), ForeignEpisode("guid-9", starred=True)]})
    refresher.refresh([here.id])
    assert [one.id for one in library.podcasts.all()] == [there.id]
    if not is_read:
        refresher.refresh()
    read = library.episodes.rows(library.episodes.ids(View()))
    assert [(one.guid, one.played) for one in read] == [("guid-1", True), ("guid-2", False)]
    server.page("/new", rss(item(1), item(2), item(9)))
    refresher.refresh()
    assert [one.guid for one in library.episodes.rows(library.episodes.ids(View())) if one.starred] == ["guid-9"]


def moving(url: str, *items: str) -> bytes:
    return rss(*items, channel=f"<title>A show</title><itunes:new-feed-url>{url}</itunes:new-feed-url>")


def test_a_subscription_moves_to_where_the_feed_says_and_keeps_its_episodes(
    server: LoopbackServer, library: Library, refresher: Refresher
) -> None:
    podcast = library.podcasts.add(server.page("/old", rss(item(1))))
    refresher.refresh()
    (first,) = library.episodes.rows(library.episodes.ids(View()))
    server.page("/old", moving(server.url("/new"), item(1)))
    there = server.page("/new", moving(server.url("/new"), item(2), item(1)))
    assert refresher.refresh().new == 1
    assert library.podcasts.get(podcast.id).url == there
    assert first.id in library.episodes.ids(View())
    assert refresher.refresh() == RefreshSummary(refreshed=1)
    assert server.seen[-1].path == "/new"


def test_feeds_that_name_each_other_stay_where_they_are(
    server: LoopbackServer, library: Library, refresher: Refresher
) -> None:
    a = library.podcasts.add(server.page("/a", moving(server.url("/b"), item(1))))
    server.page("/b", moving(server.url("/a"), item(1)))
    assert refresher.refresh().new == 1
    assert library.podcasts.get(a.id).url == a.url


@pytest.mark.parametrize("there", ["/nothing", "/page"])
def test_a_feed_that_names_a_place_without_a_feed_stays(
    server: LoopbackServer, library: Library, refresher: Refresher, there: str
) -> None:
    server.page("/page", b"<html><p>Hello</p></html>", "text/html")
    a = library.podcasts.add(server.page("/a", moving(server.url(there), item(1))))
    assert replace(refresher.refresh(), news=()) == RefreshSummary(refreshed=1, new=1)
    assert library.podcasts.get(a.id).url == a.url


# -- archives -------------------------------------------------------------------------------------------------


ATOM = 'xmlns:atom="http://www.w3.org/2005/Atom"'


def paged(server: LoopbackServer, pages: int) -> str:
    for number in range(1, pages + 1):
        following = f'<atom:link {ATOM} rel="next" href="/feed{number + 1}"/>' if number < pages else ""
        channel = f'<title>A show</title><atom:link {ATOM} rel="self" href="/x"/>{following}'
        server.page(f"/feed{number}", rss(item(number * 2), item(number * 2 + 1), channel=channel))
    return server.url("/feed1")


def test_the_pages_of_an_archive_are_read_once(server: LoopbackServer, library: Library, refresher: Refresher) -> None:
    podcast = library.podcasts.add(paged(server, 5))
    assert refresher.refresh().new == 10
    assert library.feed_schedules.get(podcast.id).archived
    assert len(server.seen) == 5
    refresher.refresh()
    assert len(server.seen) == 6


def test_a_page_that_fails_is_read_the_next_time(
    server: LoopbackServer, library: Library, refresher: Refresher
) -> None:
    podcast = library.podcasts.add(paged(server, 4))
    whole = server.answers.pop("/feed3")
    assert replace(refresher.refresh(), news=()) == RefreshSummary(refreshed=1, new=4)
    assert library.feed_schedules.get(podcast.id).archive == server.url("/feed3")
    server.answers["/feed3"] = whole
    assert refresher.refresh().new == 4
    assert library.feed_schedules.get(podcast.id).archived


def test_an_archive_that_leads_in_a_circle_ends(server: LoopbackServer, library: Library, refresher: Refresher) -> None:
    library.podcasts.add(paged(server, 2))
    channel = '<title>x</title><atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="next" href="/feed1"/>'
    server.page("/feed2", rss(item(4), channel=channel))
    assert refresher.refresh().new == 3


# -- going on -------------------------------------------------------------------------------------------------


def test_a_refresh_that_was_cancelled_goes_on_where_it_was(
    server: LoopbackServer, library: Library, refresher: Refresher, clock: Clock
) -> None:
    asked, over = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        asked.set()
        over.wait(10)
        request.reply(rss(item(99)), "text/xml")

    seen = threading.Event()
    bus = Bus()
    bus.subscribe(object, lambda event: seen.set() if getattr(event, "done", 0) == 5 else None)
    running = Refresher(library, bus, now=clock)
    for number in range(5):
        library.podcasts.add(server.page(f"/{number}", rss(item(number))))
    library.podcasts.add(server.answer("/slow", answer))
    summaries: list[RefreshSummary] = []
    thread = threading.Thread(target=lambda: summaries.append(running.refresh()))
    thread.start()
    assert seen.wait(10)
    assert asked.wait(10)
    running.cancel()
    thread.join(10)
    over.set()
    assert [replace(one, news=()) for one in summaries] == [RefreshSummary(refreshed=5, new=5, left=1)]
    clock.now += MINUTE
    assert replace(refresher.refresh(), news=()) == RefreshSummary(refreshed=1, new=1)
    assert refresher.refresh().refreshed == 6


def test_no_host_gets_more_than_a_few_questions_at_once(
    server: LoopbackServer, library: Library, refresher: Refresher
) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def answer(request: Request) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        threading.Event().wait(0.02)
        with lock:
            now -= 1
        request.reply(rss(item(1)), "text/xml")

    for number in range(20):
        library.podcasts.add(server.answer(f"/{number}", answer))
    assert refresher.refresh().refreshed == 20
    assert 1 < most <= 4


def test_a_login_goes_to_the_server_it_belongs_to(server: LoopbackServer, library: Library) -> None:
    def answer(request: Request) -> None:
        if request.headers["Authorization"] == "Basic YWRhOnNlY3JldA==":
            request.reply(rss(item(1)), "text/xml")
        else:
            request.reply(b"", "text/plain", status=401)

    url = server.answer("/feed", answer)
    library.podcasts.add(url)
    ((_, sentence),) = Refresher(library, Bus()).refresh().failed
    assert "requires a username and password" in sentence
    knowing = Refresher(library, Bus(), credentials=lambda here: ("ada", "secret") if here == url else None)
    assert knowing.refresh().new == 1

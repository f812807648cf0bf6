"""All directories together, over real HTTP on this machine."""

import hashlib
import threading
import time
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from player.directory.directories import Directories, local_country
from player.directory.directory import FoundPodcast
from player.directory.searching import Condition, Patience, SearchState
from player.links.addresses import url_key
from player.model.podcast import PodcastId
from tests import directories as fake
from tests.directories import (
    APPLE,
    CHARTS,
    FYYD,
    GPODDER,
    INDEX,
    ONE_FEED,
    ONE_GUID,
    apple_answer,
    apple_podcast,
    asked,
    fyyd_answer,
    fyyd_podcast,
    gpodder_podcast,
    index_answer,
    index_podcast,
    newer_chart,
    older_chart,
)
from tests.loopback import Request
from tests.player.directory.conftest import opened

WAIT_S = 20.0


def nothing(_state: SearchState[FoundPodcast]) -> None: ...


def wait_for(event: threading.Event) -> None:
    event.wait(WAIT_S)


def searched(finder: Directories, words: str = "pytorch", limit: int = 50) -> SearchState[FoundPodcast]:
    return finder.search(words, nothing, limit=limit).wait(WAIT_S)


def conditions(state: SearchState[FoundPodcast]) -> dict[str, Condition]:
    return {one.name: one.condition for one in state.directories}


def test_a_podcast_that_all_directories_know_is_one_result_with_what_each_knows(
    world: fake.Directories, finder: Directories
) -> None:
    title = "PyTorch Developer Podcast"
    world.says(f"{APPLE}/search", apple_answer(apple_podcast(1, title, ONE_FEED)), "text/javascript; charset=utf-8")
    world.says(f"{INDEX}/api/1.0/search/byterm", index_answer(index_podcast(title, "https://moved.example.com/feed")))
    world.says(f"{FYYD}/0.2/search/podcast", fyyd_answer(fyyd_podcast(title, "http://feeds.example.com/pytorch/")))
    world.says(f"{GPODDER}/search.json", [gpodder_podcast(title, "https://moved.example.com/feed")])
    (found,) = searched(finder).found
    assert found.title == title
    assert found.author == "Some One"
    assert found.feed_url == ONE_FEED
    assert (found.apple_id, found.guid) == (1, ONE_GUID)
    assert found.website == "https://example.com/home"
    assert found.description == "A long description, from gpodder.net."
    assert found.artwork_url == "https://art.example.com/600.jpg"
    assert found.episode_count == 90
    assert found.newest == datetime(2026, 9, 1, 6, tzinfo=UTC)
    assert found.language == "en-US"
    assert found.topics == ("Technology",)
    assert found.explicit is False
    assert found.directories == ("Apple Podcasts", "Podcast Index", "fyyd", "gpodder.net")
    assert found.podcast_id is None


def test_each_directory_is_asked_as_its_documentation_says(world: fake.Directories, finder: Directories) -> None:
    searched(finder, "  pytorch  & c++ ", limit=500)
    (apple,) = world.seen(f"{APPLE}/search")
    assert asked(apple) == {"media": "podcast", "term": "pytorch & c++", "country": "US", "limit": "100"}
    (fyyd,) = world.seen(f"{FYYD}/0.2/search/podcast")
    assert asked(fyyd) == {"title": "pytorch & c++", "count": "30"}
    (gpodder,) = world.seen(f"{GPODDER}/search.json")
    assert asked(gpodder) == {"q": "pytorch & c++"}
    (index,) = world.seen(f"{INDEX}/api/1.0/search/byterm")
    assert asked(index) == {"q": "pytorch & c++", "max": "100"}
    assert {one.headers["User-Agent"].split("/")[0] for one in (apple, fyyd, gpodder, index)} == {"Earmark"}


def test_results_appear_as_directories_answer(world: fake.Directories, finder: Directories) -> None:
    go_on = threading.Event()

    def late(request: Request) -> None:
        go_on.wait(WAIT_S)
        request.reply(b"[]", "application/json")

    world.does(f"{GPODDER}/search.json", late)
    world.says(f"{APPLE}/search", apple_answer(apple_podcast(1, "One", ONE_FEED)))
    states: list[SearchState[FoundPodcast]] = []
    early = threading.Event()

    def on_change(state: SearchState[FoundPodcast]) -> None:
        states.append(state)
        if sum(one.done for one in state.directories) == 3:
            early.set()

    search = finder.search("one", on_change)
    assert early.wait(WAIT_S)
    assert [one.title for one in search.state.found] == ["One"]
    assert conditions(search.state)["gpodder.net"] is Condition.ASKING
    assert not search.state.over
    go_on.set()
    assert search.wait(WAIT_S).over
    assert set(conditions(search.state).values()) == {Condition.ANSWERED}
    assert [one.count for one in search.state.directories] == [1, 0, 0, 0]
    assert len(states) == 4


def test_a_slow_directory_is_called_slow_and_then_given_up_while_the_others_answer(world: fake.Directories) -> None:
    over = threading.Event()
    world.does(f"{FYYD}/0.2/search/podcast", lambda _request: wait_for(over))
    world.says(f"{GPODDER}/search.json", [gpodder_podcast("One", ONE_FEED)])
    seen: list[Condition] = []
    with opened(world.settings, patience=Patience(0.2, 0.5)) as finder:
        state = finder.search("one", lambda state: seen.append(conditions(state)["fyyd"])).wait(WAIT_S)
    over.set()
    assert list(dict.fromkeys(seen)) == [Condition.ASKING, Condition.SLOW, Condition.FAILED]
    assert state.problems == ("fyyd didn't respond within 0.5 s. Try again later.",)
    assert [one.title for one in state.found] == ["One"]
    assert not state.failed


def test_a_cancelled_search_ends_at_once_and_says_nothing_more(world: fake.Directories, finder: Directories) -> None:
    over, begun = threading.Event(), threading.Event()

    def never(_request: Request) -> None:
        begun.set()
        over.wait(WAIT_S)

    for path in (f"{APPLE}/search", f"{FYYD}/0.2/search/podcast", f"{GPODDER}/search.json"):
        world.does(path, never)
    world.does(f"{INDEX}/api/1.0/search/byterm", never)
    states: list[SearchState[FoundPodcast]] = []
    search = finder.search("one", states.append)
    assert begun.wait(WAIT_S)
    search.cancel()
    state = search.wait(WAIT_S)
    over.set()
    assert state.over
    assert state.cancelled
    assert states == []
    search.cancel()


def test_subscriptions_are_known_by_their_feeds(world: fake.Directories) -> None:
    subscribed = {url_key("http://feeds.example.com/pytorch/"): PodcastId(7)}
    world.says(f"{GPODDER}/search.json", [gpodder_podcast("One", ONE_FEED), gpodder_podcast("Two", f"{ONE_FEED}2")])
    with opened(world.settings, subscriptions=lambda: subscribed) as finder:
        state = searched(finder, "x")
        assert [(one.title, one.podcast_id) for one in state.found] == [("One", 7), ("Two", None)]
        subscribed.clear()
        subscribed[url_key(f"{ONE_FEED}2")] = PodcastId(8)
        assert [one.podcast_id for one in finder.marked(state.found).result(WAIT_S)] == [None, 8]


def test_a_search_without_words_is_over_and_asks_nobody(world: fake.Directories, finder: Directories) -> None:
    states: list[SearchState[FoundPodcast]] = []
    assert finder.search(" \n", states.append).wait(WAIT_S) == SearchState(over=True)
    assert states == [SearchState(over=True)]
    assert world.server.seen == []


def test_charts_come_with_the_feeds_that_are_looked_up(world: fake.Directories, finder: Directories) -> None:
    world.says(f"{CHARTS}/api/v2/de/podcasts/top/25/podcasts.json", newer_chart(3, 1, 2))
    world.looks_up((1, "https://one.example.com"), (2, None), (3, "https://three.example.com"))
    world.says(f"{GPODDER}/toplist/12.json", [gpodder_podcast("Four", "https://four.example.com")])
    state = finder.charts(nothing, country="DE", limit=12).wait(WAIT_S)
    assert [(one.title, one.feed_url) for one in state.found] == [
        ("Show 3", "https://three.example.com"),
        ("Show 1", "https://one.example.com"),
        ("Show 2", ""),
        ("Four", "https://four.example.com"),
    ]
    (lookup,) = world.seen(f"{APPLE}/lookup")
    assert asked(lookup) == {"id": "3,1,2", "country": "DE"}


def test_the_older_chart_stands_in_for_the_newer_one(world: fake.Directories, finder: Directories) -> None:
    world.says(f"{APPLE}/us/rss/toppodcasts/limit=50/explicit=true/json", older_chart(5))
    world.looks_up((5, "https://five.example.com"))
    world.says(f"{GPODDER}/toplist/50.json", [])
    state = finder.charts(nothing).wait(WAIT_S)
    assert [(one.title, one.feed_url, one.description) for one in state.found] == [
        ("Show 5", "https://five.example.com", "In short.")
    ]
    assert state.problems == ()


def test_charts_of_a_topic_come_from_the_older_address_and_failing_that_from_the_newer(
    world: fake.Directories, finder: Directories
) -> None:
    world.says(f"{APPLE}/us/rss/toppodcasts/limit=20/genre=1318/explicit=true/json", older_chart(5, 6))
    world.says(f"{GPODDER}/api/2/tag/technology/20.json", [])
    state = finder.charts(nothing, topic="technology", limit=20).wait(WAIT_S)
    assert [one.apple_id for one in state.found] == [5, 6]
    assert [one.feed_url for one in state.found] == ["", ""]
    world.says(f"{APPLE}/us/rss/toppodcasts/limit=21/genre=1318/explicit=true/json", b"", status=503)
    world.says(f"{GPODDER}/api/2/tag/technology/21.json", [])
    world.says(f"{CHARTS}/api/v2/us/podcasts/top/50/podcasts.json", newer_chart(1, 2, 3))
    state = finder.charts(nothing, topic="technology", limit=21).wait(WAIT_S)
    assert [one.apple_id for one in state.found] == [1, 3]


def test_thirty_podcasts_for_a_start_are_known_without_a_network(world: fake.Directories, finder: Directories) -> None:
    podcasts = finder.starter_podcasts()
    assert len({url_key(one.feed_url) for one in podcasts}) == 30
    assert podcasts[0].feed_url == "https://feeds.simplecast.com/OB5FkIl8"
    assert all(one.title and one.description and one.topics for one in podcasts)
    assert world.server.seen == []


def test_the_country_is_that_of_the_system() -> None:
    assert local_country({"LANG": "de_AT.UTF-8"}) == "AT"
    assert local_country({"LC_ALL": "C.UTF-8", "LANG": "pt_BR"}) == "BR"
    assert local_country({"LANG": "C"}) == "US"
    assert local_country({}) == "US"


def test_podcast_index_is_left_out_without_a_key_and_not_without_a_secret(world: fake.Directories) -> None:
    without = replace(world.settings, podcast_index_key="", podcast_index_secret="")
    with opened(without) as finder:
        assert list(conditions(searched(finder))) == ["Apple Podcasts", "fyyd", "gpodder.net"]
    with opened(replace(without, podcast_index_key=fake.KEY)) as finder:
        state = searched(finder)
    assert state.problems == ("Podcast Index needs your API key and its secret. See [directories] in config.toml.",)
    assert world.seen(f"{INDEX}/api/1.0/search/byterm") == []


def test_the_key_of_podcast_index_may_be_the_login_of_its_server(world: fake.Directories) -> None:
    without = replace(world.settings, podcast_index_key="", podcast_index_secret="")
    with opened(without, login={world.server.url(INDEX): (fake.KEY, fake.SECRET)}.get) as finder:
        assert conditions(searched(finder))["Podcast Index"] is Condition.ANSWERED
    (request,) = world.seen(f"{INDEX}/api/1.0/search/byterm")
    date = request.headers["X-Auth-Date"]
    proof = hashlib.sha1(f"{fake.KEY}{fake.SECRET}{date}".encode()).hexdigest()
    assert (request.headers["X-Auth-Key"], request.headers["Authorization"]) == (fake.KEY, proof)
    assert abs(int(date) - time.time()) < 60


def test_only_the_directories_of_the_settings_are_asked(world: fake.Directories) -> None:
    with opened(replace(world.settings, ask=("gpodder",))) as finder:
        assert list(conditions(searched(finder))) == ["gpodder.net"]
    assert {one.path.split("?")[0] for one in world.server.seen} == {f"{GPODDER}/search.json"}


def test_whoever_goes_back_to_a_search_asks_nobody_again(world: fake.Directories, finder: Directories) -> None:
    world.says(f"{APPLE}/search", apple_answer(apple_podcast(1, "One", ONE_FEED)))
    world.says(f"{FYYD}/0.2/search/podcast", b"", status=500)
    first = searched(finder, "one")
    asked_once = len(world.server.seen)
    assert searched(finder, " one ").found == first.found
    assert [request.path.partition("?")[0] for request in world.server.seen[asked_once:]] == [
        f"{FYYD}/0.2/search/podcast"  # which failed
    ]
    searched(finder, "two")
    assert len(world.server.seen) == asked_once + 1 + 4


def test_a_country_without_a_chart_is_named(world: fake.Directories, finder: Directories) -> None:
    world.says(f"{GPODDER}/toplist/50.json", [])
    state = finder.charts(nothing, country="XX").wait(WAIT_S)
    assert state.problems == ("Apple Podcasts has no chart for the country XX. Choose another country.",)


def test_apple_is_asked_twenty_times_a_minute_and_then_says_when_it_can_be_asked_again(
    world: fake.Directories,
) -> None:
    with opened(replace(world.settings, ask=("apple",))) as finder:
        for number in range(20):
            assert searched(finder, f"words {number}").problems == ()
        (problem,) = searched(finder, "one too many").problems
    assert problem.startswith("Apple Podcasts can't be asked that often. Try again in ")
    assert len(world.seen(f"{APPLE}/search")) == 20


def test_the_secret_of_podcast_index_is_sent_to_nobody_and_logged_nowhere(
    world: fake.Directories, finder: Directories, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    world.does(f"{INDEX}/api/1.0/search/byterm", lambda _request: world.server.hang_up())
    state = searched(finder)
    assert any("Podcast Index" in problem for problem in state.problems)
    sent = "".join(f"{request.path}{request.headers}" for request in world.server.seen)
    assert fake.SECRET not in sent + caplog.text + repr(state)


def test_a_chart_that_hangs_leaves_time_for_the_older_one_and_the_feeds(world: fake.Directories) -> None:
    over = threading.Event()
    world.does(f"{CHARTS}/api/v2/us/podcasts/top/50/podcasts.json", lambda _request: wait_for(over))
    world.says(f"{APPLE}/us/rss/toppodcasts/limit=50/explicit=true/json", older_chart(5, 6))
    world.looks_up((5, "https://five.example.com"), (6, "https://six.example.com"))
    with opened(replace(world.settings, ask=("apple",)), patience=Patience(1.0, 2.0)) as finder:
        state = finder.charts(nothing).wait(WAIT_S)
    over.set()
    assert state.problems == ()
    assert [one.feed_url for one in state.found] == ["https://five.example.com", "https://six.example.com"]

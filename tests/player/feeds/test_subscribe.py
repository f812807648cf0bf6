"""Adding a podcast by any address a person may have."""

import threading

import pytest

from player.errors import (
    AlreadySubscribed,
    BadAddress,
    FeedError,
    HttpFailure,
    LibraryError,
    NoAudio,
    NotAFeed,
    Unreachable,
)
from player.feeds.subscribe import Subscriber, feed_address
from player.library import Library
from player.model.feed import FeedState
from player.model.filters import View
from player.model.podcast import WELCOME_URL
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.making import feed_link, item, page, rss


def titles(library: Library) -> list[str]:
    return [episode.title for episode in library.episodes.rows(library.episodes.ids(View()))]


def test_a_feed_is_in_the_library_with_its_episodes(server: LoopbackServer, library: Library) -> None:
    url = server.page("/feed", rss(item(1), item(2)), headers={"ETag": '"x"'})
    podcast = Subscriber(library).add(url)
    assert (podcast.url, podcast.title, podcast.episode_count, podcast.unplayed_count) == (url, "A show", 2, 2)
    assert podcast.last_refreshed is not None
    assert podcast.error is None
    assert sorted(titles(library)) == ["Episode 1", "Episode 2"]
    assert library.podcasts.feed_state(podcast.id) == FeedState('"x"')


def test_a_page_is_followed_to_its_feed(server: LoopbackServer, library: Library) -> None:
    server.page("/shows/feed.xml", rss(item(1)))
    url = server.page("/shows/one", page(feed_link("feed.xml")), "text/html")
    assert Subscriber(library).add(url).url == server.url("/shows/feed.xml")


def test_of_several_feeds_the_first_with_audio_is_taken(server: LoopbackServer, library: Library) -> None:
    server.page("/blog", rss("<title>Words</title>"))
    server.page("/show", rss(item(1)))
    server.page("/other", rss(item(2)))
    links = (feed_link("/gone"), feed_link("/blog"), feed_link("/show"), feed_link("/other"))
    assert Subscriber(library).add(server.page("/", page(*links), "text/html")).url == server.url("/show")


def test_a_page_served_as_a_feed_is_a_page_and_the_other_way_round(server: LoopbackServer, library: Library) -> None:
    server.page("/feed", rss(item(1)), "text/html; charset=utf-8")
    url = server.page("/page", page(feed_link("/feed")), "application/rss+xml")
    assert Subscriber(library).add(url).url == server.url("/feed")


def test_links_of_a_page_are_relative_to_where_it_came_from(server: LoopbackServer, library: Library) -> None:
    server.page("/deep/feed", rss(item(1)))
    server.page("/deep/page", page(feed_link("feed")), "text/html")
    url = server.page("/short", b"", status=302, headers={"Location": "/deep/page"})
    assert Subscriber(library).add(url).url == server.url("/deep/feed")


def test_an_address_that_has_moved_for_good_is_added_where_it_is_now(server: LoopbackServer, library: Library) -> None:
    new = server.page("/new", rss(item(1)))
    old = server.page("/old", b"", status=301, headers={"Location": "/new"})
    assert Subscriber(library).add(old).url == new
    temporary = server.page("/temporary", b"", status=302, headers={"Location": "/new2"})
    server.page("/new2", rss(item(2)))
    assert Subscriber(library).add(temporary).url == temporary


def test_the_scheme_of_a_podcast_player_finds_a_server_without_https(server: LoopbackServer, library: Library) -> None:
    url = server.page("/feed", rss(item(1)))
    assert Subscriber(library).add(url.replace("http://", "feed://")).url == url


def test_the_built_in_show_can_be_added_again(library: Library) -> None:
    podcast = Subscriber(library).add(WELCOME_URL)
    assert (podcast.title, podcast.episode_count) == ("Welcome to Earmark", 3)


# -- refusals -------------------------------------------------------------------------------------------------


def refusal(library: Library, url: str, kind: type[FeedError]) -> str:
    before = len(library.podcasts.all())
    with pytest.raises(kind) as caught:
        Subscriber(library).add(url)
    assert len(library.podcasts.all()) == before
    return str(caught.value)


def test_adding_twice_is_a_sentence(server: LoopbackServer, library: Library) -> None:
    url = server.page("/feed", rss(item(1)))
    Subscriber(library).add(url)
    asked = len(server.seen)
    expected = "You are already subscribed to “A show”. `earmark refresh` checks for new episodes."
    assert refusal(library, url, AlreadySubscribed) == expected
    assert refusal(library, url + "/", AlreadySubscribed) == expected
    assert len(server.seen) == asked
    assert refusal(library, server.page("/", page(feed_link("/feed")), "text/html"), AlreadySubscribed) == expected
    moved = server.page("/old", b"", status=301, headers={"Location": "/feed"})
    assert refusal(library, moved, AlreadySubscribed) == expected


def test_a_page_without_a_feed_is_a_sentence(server: LoopbackServer, library: Library) -> None:
    url = server.page("/", page(), "text/html")
    assert refusal(library, url, NotAFeed) == (
        f"The web page {url} has no link to a podcast feed. Look for a link called RSS on it, and add that URL."
    )


def test_a_page_with_feeds_of_texts_is_a_sentence(server: LoopbackServer, library: Library) -> None:
    server.page("/a", rss("<title>Words</title>"))
    server.page("/b", rss("<title>Words</title>"))
    url = server.page("/", page(feed_link("/a"), feed_link("/b")), "text/html")
    assert "links to 2 feeds, none with episodes to listen to" in refusal(library, url, NoAudio)


def test_a_page_that_leads_to_a_page_is_not_followed_on(server: LoopbackServer, library: Library) -> None:
    server.page("/b", page(feed_link("/c")), "text/html")
    refusal(library, server.page("/a", page(feed_link("/b")), "text/html"), NotAFeed)
    assert [request.path for request in server.seen] == ["/a", "/b"]


def test_a_feed_with_no_audio_is_a_sentence(server: LoopbackServer, library: Library) -> None:
    url = server.page("/feed", rss("<title>Words</title>"))
    assert "“A show” has no episodes to listen to" in refusal(library, url, NoAudio)


def test_a_404_is_a_sentence(server: LoopbackServer, library: Library) -> None:
    assert "Not found (404): " in refusal(library, server.url("/nothing"), HttpFailure)


def test_a_feed_that_cannot_be_stored_leaves_nothing_behind(
    server: LoopbackServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise LibraryError("The disk is full")

    monkeypatch.setattr(library.podcasts, "apply", full)
    with pytest.raises(LibraryError):
        Subscriber(library).add(server.page("/feed", rss(item(1))))
    assert library.podcasts.all() == []


def test_adding_can_be_let_go_of(server: LoopbackServer, library: Library) -> None:
    asked, over = threading.Event(), threading.Event()
    subscriber = Subscriber(library)

    def answer(_: Request) -> None:
        asked.set()
        over.wait(10)

    def let_go() -> None:
        asked.wait(10)
        subscriber.cancel()

    threading.Thread(target=let_go, daemon=True).start()
    with pytest.raises(Unreachable, match="was cancelled"):
        subscriber.add(server.answer("/feed", answer))
    over.set()


# -- what people type -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("https://example.com/feed", "https://example.com/feed"), (" http://example.com/feed\n", "http://example.com/feed"),
        ("example.com/feed", "https://example.com/feed"), ("example.com", "https://example.com"),
        ("feed://example.com/x", "http://example.com/x"), ("feed:https://example.com/x", "https://example.com/x"),
        ("itpc://example.com/x", "http://example.com/x"), ("pcast://example.com/x", "http://example.com/x"),
        ("podcast://example.com/x", "http://example.com/x"), ("feeds://example.com/x", "https://example.com/x"),
        ("FEED:http://example.com/x", "http://example.com/x"), ("feed:example.com/x", "http://example.com/x"),
        ("<https://example.com/x>", "https://example.com/x"), ("host.local:8080/x", "https://host.local:8080/x"),
        (WELCOME_URL, WELCOME_URL),
    ],
)  # fmt: skip
def test_an_address_is_understood_as_people_write_it(typed: str, address: str) -> None:
    assert feed_address(typed) == address


@pytest.mark.parametrize(
    "typed", ["", "  ", "my favourite show", "ftp://example.com/x", "file:///etc/passwd", "javascript:alert(1)",
              "earmark:x", "\x1b[2J", "https://", "a" * 100_000]
)  # fmt: skip
def test_what_is_no_address_is_a_sentence(typed: str) -> None:
    with pytest.raises(BadAddress) as caught:
        feed_address(typed)
    assert "isn't a URL. Enter the URL of a feed or website" in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 300

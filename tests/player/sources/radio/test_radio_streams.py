"""A radio stream as a podcast: added by its address, never fetched by a refresh, never finished."""

import threading
from collections.abc import Iterator

import pytest

from player.errors import AlreadySubscribed, MediaError, NotAFeed
from player.events import Bus
from player.feeds.opml import write_opml
from player.feeds.refresh import Refresher
from player.feeds.refresh_summary import RefreshSummary
from player.feeds.subscribe import Subscriber
from player.library import Library
from player.media import MediaStore
from player.media.fetching.broadcast import LiveMedia
from player.model.episode import Episode
from player.model.filters import View, ViewName
from player.model.podcast import Podcast
from player.paths import Paths
from player.sources import all_sources
from tests.loopback import LoopbackServer, Request
from tests.player.media.sounds import mp3

MOST = 12_000_000
"""Bytes that a listener who adds a station may be sent at most: what fits into the buffers between the two, which Linux
lets grow to 4 MB where they are sent and 6 MB where they are received."""


class Radio:
    """A server that sends sound without an end, until the listener hangs up."""

    def __init__(self, server: LoopbackServer) -> None:
        self.server = server
        self.sent = 0
        self.hung_up = threading.Event()
        self.over = threading.Event()

    def stream(self, path: str, *, content_type: str = "audio/mpeg", **headers: str) -> str:
        def play(request: Request) -> None:
            request.send_response(200)
            request.send_header("Content-Type", content_type)
            for name, value in headers.items():
                request.send_header(name.replace("_", "-"), value)
            request.end_headers()
            try:
                while not self.over.is_set() and self.sent < 100 * MOST:
                    self.sent += request.wfile.write(mp3(100))
            except OSError:
                pass
            self.hung_up.set()

        return self.server.answer(path, play)


@pytest.fixture
def radio(server: LoopbackServer) -> Iterator[Radio]:
    made = Radio(server)
    yield made
    made.over.set()


def add(library: Library, url: str) -> Podcast:
    return Subscriber(library, sources=all_sources()).add(url)


def only_episode(library: Library) -> Episode:
    (podcast,) = library.podcasts.all()
    view = View.of(ViewName.PODCAST, podcast.id)
    (episode,) = library.episodes.rows(library.episodes.ids(view))
    return episode


@pytest.mark.parametrize("content_type", ["audio/mpeg", "application/octet-stream", "audio/aacp"])
def test_a_stream_is_a_podcast_with_one_episode_and_few_bytes_of_it_are_fetched(
    library: Library, radio: Radio, content_type: str
) -> None:
    url = radio.stream("/live.mp3", content_type=content_type, icy_name="Radio Loopback", icy_description="Noise")
    podcast = add(library, url)
    assert (podcast.title, podcast.description, podcast.episode_count) == ("Radio Loopback", "Noise", 1)
    assert podcast.url == f"radio:{url}"
    assert (only_episode(library).title, only_episode(library).url) == ("Live", url)
    assert library.episodes.notes(only_episode(library).id) == "Noise"
    assert radio.hung_up.wait(10)
    assert radio.sent < MOST


def test_a_stream_without_a_name_goes_by_its_server(library: Library, radio: Radio) -> None:
    assert add(library, radio.stream("/live.mp3")).title == "127.0.0.1"


@pytest.mark.parametrize(
    ("path", "content_type", "text"),
    [
        ("/a.m3u", "audio/x-mpegurl", "#EXTM3U\n#EXTINF:-1,Jazz\n/live.mp3\n"),
        ("/a.pls", "audio/x-scpls", "[playlist]\nFile1={url}\nTitle1=Jazz\n"),
        ("/a.pls", "text/plain", "[playlist]\nFile1={url}\nTitle1=Jazz\n"),
    ],
)
def test_a_playlist_with_a_stream_is_that_stream(
    library: Library, radio: Radio, path: str, content_type: str, text: str
) -> None:
    stream = radio.stream("/live.mp3", icy_name="Other", icy_description="Noise")
    url = radio.server.page(path, text.replace("{url}", stream).encode(), content_type)
    podcast = add(library, url)
    assert (podcast.title, podcast.description, podcast.url) == ("Jazz", "Noise", f"radio:{url}")


def test_an_hls_address_is_a_station(library: Library, server: LoopbackServer) -> None:
    hls = b"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n1.ts\n"
    url = server.page("/live.m3u8", hls, "application/vnd.apple.mpegurl")
    assert add(library, url).url == f"radio:{url}"


def test_a_file_is_still_no_podcast(library: Library, server: LoopbackServer) -> None:
    with pytest.raises(NotAFeed, match="is a file of type audio/mpeg, not a podcast feed"):
        add(library, server.page("/one.mp3", mp3(50), "audio/mpeg"))
    with pytest.raises(NotAFeed):
        add(library, server.page("/list.m3u", b"#EXTM3U\n/one.mp3\n", "audio/x-mpegurl"))
    assert library.podcasts.all() == []


def test_playlists_that_name_each_other_end(library: Library, server: LoopbackServer) -> None:
    server.page("/a.m3u", b"#EXTM3U\n/b.m3u\n", "audio/x-mpegurl")
    url = server.page("/b.m3u", b"#EXTM3U\n/a.m3u\n", "audio/x-mpegurl")
    with pytest.raises(NotAFeed):
        add(library, url)
    assert len(server.seen) < 8


def test_a_station_is_added_once_whatever_it_is_called_by(library: Library, radio: Radio) -> None:
    url = radio.stream("/live.mp3", icy_name="Radio")
    podcast = add(library, url)
    with pytest.raises(AlreadySubscribed, match="already subscribed to “Radio”"):
        add(library, url)
    assert library.podcasts.find(url).id == podcast.id
    assert library.podcasts.find(podcast.url).id == podcast.id


def test_a_refresh_asks_nobody_and_nothing_is_new(library: Library, radio: Radio) -> None:
    add(library, radio.stream("/live.mp3", icy_name="Radio"))
    before = len(radio.server.seen)
    assert Refresher(library, Bus(), sources=all_sources()).refresh() == RefreshSummary(refreshed=1)
    assert len(radio.server.seen) == before
    assert library.episodes.counts().new == 0
    (podcast,) = library.podcasts.all()
    assert podcast.error is None


def test_it_is_opened_as_a_stream_at_once_and_cannot_be_downloaded(
    library: Library, radio: Radio, paths: Paths
) -> None:
    podcast = add(library, radio.stream("/live.mp3", icy_name="Radio"))
    store = MediaStore(paths, feed=lambda _: podcast.url)
    before = len(radio.server.seen)
    media = store.open(only_episode(library), lambda: None)
    assert isinstance(media, LiveMedia)
    assert len(radio.server.seen) == before
    with pytest.raises(MediaError, match="It is a live stream"):
        store.fetch(only_episode(library))
    store.close()


def test_lists_for_other_players_leave_it_out(library: Library, radio: Radio) -> None:
    podcast = add(library, radio.stream("/live.mp3", icy_name="Radio"))
    assert podcast.last_refreshed is not None
    assert "radio:" not in write_opml([podcast], podcast.last_refreshed)

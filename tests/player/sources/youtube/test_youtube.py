"""A channel is added, its feed gives the episodes, and yt-dlp finds their audio, chapters and captions when played."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from player.attachments.attachments import Attachments
from player.errors import BadAddress, FeedError, MediaError
from player.events import Bus
from player.feeds.source import Sources
from player.feeds.subscribe import Subscriber
from player.library import Library
from player.media import EpisodeMedia, MediaStore
from player.model.episode import Episode
from player.model.filters import View, ViewName
from player.model.podcast import Podcast
from player.paths import Paths
from player.sources.youtube.videos import Videos, YouTubeChannels
from tests.loopback import LoopbackServer, Request
from tests.player.media.conftest import eventually, whole
from tests.player.media.sounds import mp3
from tests.player.sources.youtube.conftest import CHANNEL, IDS, YtDlp, alive

Serve = Callable[[Sequence[str]], str]
VTT = b"WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nHello there\n"


def add(library: Library, server: LoopbackServer, address: str) -> Podcast:
    sources = Sources(shortcuts=(YouTubeChannels(server.url("").rstrip("/")),))
    return Subscriber(library, sources=sources).add(address)


def episodes(library: Library) -> list[Episode]:
    (podcast,) = library.podcasts.all()
    return library.episodes.rows(library.episodes.ids(View.of(ViewName.PODCAST, podcast.id)))


class Tube:
    """The server that videos' audio is on: it refuses what YouTube's refuses, a range without an end."""

    def __init__(self, server: LoopbackServer, size: int = 12_000) -> None:
        self.data = mp3(size)
        self.expired: set[str] = set()
        self.ranges: list[str] = []
        self._server = server

    def audio(self, path: str) -> str:
        def answer(request: Request) -> None:
            wanted = request.headers.get("Range", "")
            self.ranges.append(wanted)
            if path in self.expired or not wanted.startswith("bytes=") or wanted.endswith("-"):
                request.reply(b"", "text/plain", status=403)
            else:
                request.reply_ranges(self.data, "audio/webm")

        return self._server.answer(path, answer)


@pytest.fixture
def store(paths: Paths) -> MediaStore:
    return MediaStore(paths, pages=lambda _network: Videos())


def opened(store: MediaStore, library: Library) -> EpisodeMedia:
    return store.open(episodes(library)[0], lambda: None)


def test_a_feed_of_youtube_has_videos_as_episodes(library: Library, server: LoopbackServer, channel: Serve) -> None:
    podcast = add(library, server, channel(("One", "Two")))
    assert (podcast.title, podcast.author, podcast.episode_count) == ("A Channel", "A Channel", 2)
    first, second = episodes(library)
    assert (first.title, first.url, first.link) == ("One", f"https://www.youtube.com/watch?v={IDS[0]}", first.url)
    assert second.url == f"https://www.youtube.com/watch?v={IDS[1]}"
    assert first.published is not None
    assert library.episodes.notes(first.id) == "About One."


@pytest.mark.parametrize("address", ["/@name", "/@name/videos", "/c/name", "/user/name"])
def test_a_channel_is_added_by_its_name(
    library: Library, server: LoopbackServer, channel: Serve, yt_dlp: YtDlp, address: str
) -> None:
    channel(("One",))
    yt_dlp.answers(channel_id=CHANNEL)
    podcast = add(library, server, server.url(address))
    assert podcast.url == server.url(f"/feeds/videos.xml?channel_id={CHANNEL}")
    assert yt_dlp.asked[0][-1] == server.url(address)


@pytest.mark.parametrize(
    ("address", "query"),
    [
        (f"/channel/{CHANNEL}", f"channel_id={CHANNEL}"),
        (f"/channel/{CHANNEL}/featured", f"channel_id={CHANNEL}"),
        ("/playlist?list=PLabcdefghijk", "playlist_id=PLabcdefghijk"),
        ("/watch?v=aaaaaaaaaaa&list=PLabcdefghijk", "playlist_id=PLabcdefghijk"),
    ],
)
def test_a_channel_s_id_and_a_playlist_need_no_question(
    library: Library, server: LoopbackServer, channel: Serve, yt_dlp: YtDlp, address: str, query: str
) -> None:
    channel(("One",))
    assert add(library, server, server.url(address)).url == server.url(f"/feeds/videos.xml?{query}")
    assert yt_dlp.asked == []


def test_a_single_video_is_no_podcast(library: Library, server: LoopbackServer, yt_dlp: YtDlp) -> None:
    with pytest.raises(BadAddress, match="neither a channel nor a playlist"):
        add(library, server, server.url("/watch?v=aaaaaaaaaaa"))


def test_a_channel_that_is_not_found_says_why(library: Library, server: LoopbackServer, yt_dlp: YtDlp) -> None:
    yt_dlp.fails("ERROR: [youtube:tab] @nobody: Unable to download API page: HTTP Error 404: Not Found")
    with pytest.raises(FeedError, match="yt-dlp can't reach YouTube"):
        add(library, server, server.url("/@nobody"))


@pytest.mark.usefixtures("path_without")
def test_without_yt_dlp_no_channel_is_added_and_no_video_played(
    library: Library, server: LoopbackServer, channel: Serve, store: MediaStore
) -> None:
    with pytest.raises(FeedError, match=r"yt-dlp isn't installed.*Install it"):
        add(library, server, server.url("/@name"))
    add(library, server, channel(("One",)))  # as one comes from another app
    media = opened(store, library)
    with pytest.raises(MediaError, match=r"yt-dlp isn't installed"):
        media.read(0, 10)
    media.close()


def test_other_addresses_are_no_business_of_youtube_s(yt_dlp: YtDlp) -> None:
    for text in ("https://example.com/@name", "history of rome", "https://youtube.com.example/@x", "", "http://[x"):
        assert YouTubeChannels().feed_of(text) == ""
    assert YouTubeChannels().feed_of("youtube.com/playlist?list=PLabcdefghijk") == (
        "https://www.youtube.com/feeds/videos.xml?playlist_id=PLabcdefghijk"
    )
    assert YouTubeChannels().feed_of(f"https://www.youtube.com/feeds/videos.xml?channel_id={CHANNEL}") == ""


def test_a_video_is_heard_whole_by_ranges_that_have_an_end(
    library: Library, server: LoopbackServer, channel: Serve, yt_dlp: YtDlp, store: MediaStore
) -> None:
    tube = Tube(server)
    add(library, server, channel(("One",)))
    yt_dlp.answers(formats=[{"url": tube.audio("/1"), "vcodec": "none", "acodec": "opus", "ext": "webm"}])
    media = opened(store, library)
    assert len(tube.data) > 4_000_000
    assert whole(media, step=500_000) == tube.data
    assert media.seekable
    eventually(lambda: media.complete)
    media.close()
    assert len(yt_dlp.asked) == 1
    assert yt_dlp.asked[0][-1] == f"https://www.youtube.com/watch?v={IDS[0]}"


def test_an_address_that_has_expired_is_asked_for_again(
    library: Library, server: LoopbackServer, channel: Serve, yt_dlp: YtDlp, store: MediaStore, paths: Paths
) -> None:
    tube = Tube(server)
    add(library, server, channel(("One",)))
    yt_dlp.answers(url=tube.audio("/1"))
    media = opened(store, library)
    assert media.read(0, 1000)
    media.close()
    eventually(lambda: not media.complete)
    tube.expired.add("/1")
    yt_dlp.answers(url=tube.audio("/2"))
    again = MediaStore(paths, pages=lambda _network: Videos()).open(episodes(library)[0], lambda: None)
    assert whole(again, step=500_000) == tube.data
    again.close()
    assert len(yt_dlp.asked) == 2


def test_an_address_that_is_refused_at_once_ends_with_a_sentence(
    library: Library, server: LoopbackServer, channel: Serve, yt_dlp: YtDlp, store: MediaStore
) -> None:
    tube = Tube(server)
    tube.expired.add("/1")
    add(library, server, channel(("One",)))
    yt_dlp.answers(url=tube.audio("/1"))
    media = opened(store, library)
    with pytest.raises(MediaError, match="denied access"):
        media.read(0, 10)
    media.close()
    assert len(yt_dlp.asked) == 1


def test_what_is_private_says_so(
    library: Library, server: LoopbackServer, channel: Serve, yt_dlp: YtDlp, store: MediaStore
) -> None:
    add(library, server, channel(("One",)))
    yt_dlp.fails("ERROR: [youtube] aaaaaaaaaaa: Private video. Sign in")
    media = opened(store, library)
    with pytest.raises(MediaError, match="This video is private"):
        media.read(0, 10)
    media.close()


def test_chapters_and_captions_come_with_the_audio_and_are_kept(
    library: Library, server: LoopbackServer, channel: Serve, yt_dlp: YtDlp, store: MediaStore
) -> None:
    tube = Tube(server, 10)
    add(library, server, channel(("One", "Two")))
    captions = server.page("/captions", VTT, "text/vtt")
    yt_dlp.answers(
        url=tube.audio("/1"),
        chapters=[{"start_time": 0, "title": "In"}, {"start_time": 60, "title": "Out"}],
        automatic_captions={"en": [{"ext": "vtt", "url": captions}]},
    )
    first, second = episodes(library)
    media = store.open(first, lambda: None)
    assert media.read(0, 10)
    attachments = Attachments(library, store, Bus())
    assert attachments.fetch(first.id) == ""
    assert [(one.start_ms, one.title) for one in attachments.chapters(first).listed] == [(0, "In"), (60_000, "Out")]
    transcript = attachments.transcript(first.id)
    assert transcript is not None
    assert transcript.lines[0].text == "Hello there"
    assert len(yt_dlp.asked) == 1
    yt_dlp.answers(url=tube.audio("/1"))
    assert attachments.fetch(second.id) == "This video has no captions."
    assert attachments.chapters(second).listed == ()
    attachments.close()
    media.close()


def test_closing_ends_a_yt_dlp_that_looks_for_captions(
    library: Library, server: LoopbackServer, channel: Serve, yt_dlp: YtDlp, store: MediaStore, tmp_path: Path
) -> None:
    add(library, server, channel(("One",)))
    pid = tmp_path / "pid"
    yt_dlp.does(f"print(os.getpid(), file=open({str(pid)!r}, 'w'), flush=True)\ntime.sleep(60)")
    attachments = Attachments(library, store, Bus())
    attachments.want(episodes(library)[0].id)
    eventually(lambda: pid.exists() and pid.read_text().strip())
    attachments.close()
    eventually(lambda: not alive(int(pid.read_text())))

"""A recording in HLS is cached segment by segment, from any of them on, and becomes one file when all are there."""

import threading

import pytest
from msgspec.structs import replace

from player.errors import MediaError, NoFile
from player.media import MediaStore
from player.media.cache import CacheFile
from player.media.fetching import hls, range_fetcher, recording
from player.media.fetching.fetched_media import FetchedMedia
from player.media.fetching.recording import HlsRecording
from player.media.formats.segments import audio_of
from player.model.episode import Episode
from player.paths import Paths
from tests.loopback import LoopbackServer, Request
from tests.player.media.conftest import Listening, episode, eventually, fetchers, whole
from tests.player.media.sounds import adts, id3v2, mp3, noise
from tests.sound.hls import KINDS, packaged

TYPE = "application/vnd.apple.mpegurl"
FRAMES = [adts(100), adts(200), adts(50)]


def text_of(*names: str, seconds: float = 2.0, more: str = "#EXT-X-ENDLIST") -> str:
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:2", *(f"#EXTINF:{seconds},\n{name}" for name in names)]
    return "\n".join([*lines, more])


def listed(server: LoopbackServer, text: str, path: str = "/list.m3u8") -> str:
    return server.page(path, text.encode(), TYPE)


def served(server: LoopbackServer, *segments: bytes) -> str:
    """The address of a recording of these segments, two seconds each."""
    for number, segment in enumerate(segments):
        server.page(f"/{number}.aac", segment, "audio/aac")
    return listed(server, text_of(*(f"{number}.aac" for number in range(len(segments)))))


def opened(listening: Listening, url: str) -> HlsRecording:
    media = listening.open(url)
    assert isinstance(media, HlsRecording)
    return media


def run_from(media: HlsRecording, position_ms: int) -> bytes:
    return whole(media, start=media.stretch_at(position_ms).byte)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (0.01,))


@pytest.mark.parametrize("kind", KINDS)
def test_its_frames_are_read_from_any_segment_on(listening: Listening, server: LoopbackServer, kind: str) -> None:
    recorded = packaged(kind)
    frames = [audio_of(recorded.head + segment)[1] for segment in recorded.segments]
    media = opened(listening, recorded.serve(server))
    assert run_from(media, 41_000) == b"".join(frames[20:])
    assert media.reached_end
    assert run_from(media, 0) == b"".join(frames)
    assert (media.format, media.complete, media.cached) == ("mp3" if "mp3" in kind else "aac", True, ((0.0, 1.0),))
    assert media.duration_ms == round(sum(recorded.lengths) * 1000)
    paths = [request.path for request in server.seen if request.path.startswith("/2")]
    assert paths[0].startswith("/20.")
    assert len(server.seen) == 1 + bool(recorded.head) + len(recorded.segments)


def test_tags_before_frames_are_left_out(listening: Listening, server: LoopbackServer) -> None:
    media = opened(listening, served(server, *(id3v2(60) + frames for frames in FRAMES)))
    assert run_from(media, 0) == b"".join(FRAMES)


def test_what_is_cached_is_not_fetched_again(listening: Listening, server: LoopbackServer, paths: Paths) -> None:
    gone = threading.Event()

    def last(request: Request) -> None:
        gone.wait(20)
        request.reply(FRAMES[2], "audio/aac")

    url = served(server, *FRAMES)
    server.answer("/2.aac", last)
    media = opened(listening, url)
    assert media.read(media.stretch_at(2_500).byte, 10) == FRAMES[1][:10]
    eventually(lambda: any(request.path == "/2.aac" for request in server.seen))
    media.close()
    eventually(lambda: not fetchers())
    server.seen.clear()
    again = MediaStore(paths).open(episode(url), lambda: None)
    assert isinstance(again, HlsRecording)
    assert again.read(again.stretch_at(2_500).byte, 10) == FRAMES[1][:10]
    assert again.cached == ((1 / 3, 2 / 3),)
    gone.set()
    again.close()
    eventually(lambda: not fetchers())
    assert "/1.aac" not in [request.path for request in server.seen]


def test_once_all_of_it_is_cached_it_is_a_file_like_any_other(listening: Listening, server: LoopbackServer) -> None:
    url = served(server, *FRAMES)
    media = opened(listening, url)
    assert run_from(media, 4_500) == FRAMES[2]
    eventually(lambda: listening.store.is_here(episode(url)))
    server.answers.clear()
    server.seen.clear()
    assert run_from(media, 0) == b"".join(FRAMES)
    again = listening.open(url)
    assert isinstance(again, FetchedMedia)
    assert whole(again) == b"".join(FRAMES)
    assert again.complete
    assert server.seen == []
    assert [path.suffix for path in listening.folder.iterdir() if path.suffix == ".bytes"] == [".bytes"]


def test_one_whose_playlist_is_another_now_is_fetched_again(listening: Listening, server: LoopbackServer) -> None:
    url = served(server, *FRAMES, b"")
    server.page("/3.aac", b"", status=404)
    media = opened(listening, url)
    assert media.read(media.stretch_at(0).byte, 10) == FRAMES[0][:10]
    with pytest.raises(MediaError):
        run_from(media, 0)
    media.close()
    eventually(lambda: not fetchers())
    listed(server, text_of("1.aac", "0.aac"))
    other = listening.open(url, position_ms=1_000)
    assert isinstance(other, HlsRecording)
    assert run_from(other, 0) == FRAMES[1] + FRAMES[0]
    assert len(listening.sentences) == 1


@pytest.mark.parametrize("status", [404, 410])
def test_a_segment_that_is_missing_is_a_sentence_and_can_be_jumped_over(
    listening: Listening, server: LoopbackServer, status: int
) -> None:
    url = served(server, *FRAMES)
    server.page("/1.aac", b"", status=status)
    media = opened(listening, url)
    start = media.stretch_at(0).byte
    assert media.read(start, 1_000_000) == FRAMES[0]
    with pytest.raises(MediaError) as raised:
        media.read(start + len(FRAMES[0]), 10)
    assert str(raised.value) == (
        "The part of this recording at 0:02 is no longer available on 127.0.0.1. Skip past it to continue."
    )
    assert not media.reached_end
    assert run_from(media, 4_000) == FRAMES[2]
    assert not media.complete


def test_a_server_in_trouble_is_waited_for(listening: Listening, server: LoopbackServer) -> None:
    url = served(server, *FRAMES)
    tries: list[str] = []

    def moody(request: Request) -> None:
        tries.append(request.path)
        if len(tries) < 3:
            request.reply(b"", "text/plain", status=503)
        else:
            request.reply(FRAMES[1], "audio/aac")

    server.answer("/1.aac", moody)
    assert run_from(opened(listening, url), 0) == b"".join(FRAMES)
    assert len(tries) == 3


def test_a_jump_does_not_wait_for_what_is_being_fetched(listening: Listening, server: LoopbackServer) -> None:
    gone = threading.Event()

    def slow(request: Request) -> None:
        gone.wait(20)
        request.reply(FRAMES[1], "audio/aac")

    url = served(server, *FRAMES)
    server.answer("/1.aac", slow)
    media = opened(listening, url)
    assert media.read(media.stretch_at(0).byte, 10)
    eventually(lambda: any(request.path == "/1.aac" for request in server.seen))
    assert run_from(media, 4_000) == FRAMES[2]
    gone.set()
    assert run_from(media, 0) == b"".join(FRAMES)


def test_parts_of_one_file_and_an_initialisation_part(listening: Listening, server: LoopbackServer) -> None:
    recorded = packaged("aac in fragments")
    body, lines = recorded.head, ["#EXTM3U", f'#EXT-X-MAP:URI="all.mp4",BYTERANGE="{len(recorded.head)}@0"']
    for segment in recorded.segments[:4]:
        lines += [f"#EXT-X-BYTERANGE:{len(segment)}@{len(body)}", "#EXTINF:2,", "all.mp4"]
        body += segment
    server.audio("/all.mp4", body + noise(100), "video/mp4")
    media = opened(listening, listed(server, "\n".join([*lines, "#EXT-X-PLAYLIST-TYPE:VOD"])))
    frames = [audio_of(recorded.head + segment)[1] for segment in recorded.segments[:4]]
    assert run_from(media, 4_000) == b"".join(frames[2:])
    assert run_from(media, 0) == b"".join(frames)


def test_of_several_variants_the_one_without_a_picture(listening: Listening, server: LoopbackServer) -> None:
    served(server, *FRAMES)
    listed(server, text_of("0.aac"), "/sound/list.m3u8")
    server.page("/sound/0.aac", FRAMES[1], "audio/aac")
    url = listed(
        server,
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=90000,RESOLUTION=640x360\nlist.m3u8\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=64000\nsound/list.m3u8\n",
        "/all.m3u8",
    )
    assert run_from(opened(listening, url), 0) == FRAMES[1]


def test_its_addresses_are_found_beside_where_redirects_lead(listening: Listening, server: LoopbackServer) -> None:
    served(server, *FRAMES)
    listed(server, text_of("0.aac"), "/there/list.m3u8")
    server.page("/there/0.aac", FRAMES[2], "audio/aac")
    url = server.page("/here.m3u8", b"", status=302, headers={"Location": "/there/list.m3u8"})
    assert run_from(opened(listening, url), 0) == FRAMES[2]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (text_of("file:///home/me/secret.mp3"), "isn't on the web"),
        (text_of("a.aac", more='#EXT-X-ENDLIST\n#EXT-X-MAP:URI="file:///etc/passwd"\n'), "isn't on the web"),
        ('#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="key"\n#EXTINF:2,\n0.aac\n#EXT-X-ENDLIST', "encrypted"),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlist.m3u8", "only playlists that lead to other playlists"),
        ("#EXTM3U\n#EXT-X-ENDLIST\n", "contains no audio"),
        (text_of("0.aac", seconds=0), "gives no plausible length"),
        (text_of(*["0.aac"] * 30, seconds=80_000), "gives no plausible length"),
        (text_of(*["0.aac"] * 60_000), "too long"),
        (text_of("0.aac", more=f"#EXT-X-ENDLIST\n#{'A' * hls.LONGEST}"), "too long"),
    ],
    ids=["local file", "local map", "encrypted", "circle", "empty", "no length", "days", "many lines", "many bytes"],
)
def test_hostile_playlists_are_sentences(
    listening: Listening, server: LoopbackServer, text: str, sentence: str
) -> None:
    media = opened(listening, listed(server, text))
    with pytest.raises(MediaError, match=sentence) as raised:
        media.stretch_at(0)
    assert not isinstance(raised.value, NoFile)
    assert {request.path for request in server.seen} == {"/list.m3u8"}


@pytest.mark.parametrize(
    ("segment", "sentence"),
    [
        (noise(5_000), "not in an audio format that Earmark knows"),
        (b"#EXTM3U\nother.m3u8\n", "a playlist, not audio"),
        (b"OggS" + bytes(5_000), "in a format that Earmark can't play from a playlist"),
        (b"\0\0\0\x18ftypiso5" + bytes(5_000), "in a format that Earmark can't play from a playlist"),
        (mp3(100), "The format of this recording changes at 0:02"),
    ],
)
def test_segments_that_cannot_be_played_are_sentences(
    listening: Listening, server: LoopbackServer, segment: bytes, sentence: str
) -> None:
    media = opened(listening, served(server, FRAMES[0], segment))
    with pytest.raises(MediaError, match=sentence):
        run_from(media, 0)


def test_a_segment_that_never_ends_is_given_up(
    listening: Listening, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "_LARGEST_SEGMENT", 500_000)

    def endless(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        request.close_connection = True
        for _piece in range(100):
            request.wfile.write(adts(100))

    url = served(server, FRAMES[0])
    server.answer("/0.aac", endless)
    with pytest.raises(MediaError, match="larger than Earmark accepts"):
        run_from(opened(listening, url), 0)


def test_redirects_without_an_end_are_a_sentence(listening: Listening, server: LoopbackServer) -> None:
    url = served(server, *FRAMES)
    server.page("/1.aac", b"", status=302, headers={"Location": "/1.aac"})
    media = opened(listening, url)
    media.read(media.stretch_at(0).byte, 1)
    eventually(lambda: media.trouble)
    assert "Redirect loop" in str(media.trouble)


def test_a_login_is_sent_to_its_own_server_alone(paths: Paths, server: LoopbackServer) -> None:
    with LoopbackServer() as elsewhere:
        away = elsewhere.page("/0.aac", FRAMES[0], "audio/aac")
        url = listed(server, text_of(away, "1.aac"))
        server.page("/1.aac", FRAMES[1], "audio/aac")
        store = MediaStore(
            paths,
            login=lambda address: ("me", "secret") if address.startswith(server.url("")) else None,
            feed=lambda _episode: server.url("/feed.xml"),
        )
        media = store.open(episode(url), lambda: None)
        assert isinstance(media, HlsRecording)
        assert run_from(media, 0) == FRAMES[0] + FRAMES[1]
        media.close()
        eventually(lambda: not fetchers())
        assert all(request.headers["Authorization"] for request in server.seen)
        assert [request.headers["Authorization"] for request in elsewhere.seen] == [None]


def test_nothing_leads_from_the_web_into_the_listeners_network(
    paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.media.fetching.broadcast.is_inside", lambda address: ":1/" not in address)
    with LoopbackServer() as router:
        inside = router.page("/admin", FRAMES[0], "audio/aac")
        url = listed(server, text_of(inside))
        store = MediaStore(paths, feed=lambda _episode: "https://198.51.100.7:1/feed.xml")
        media = store.open(episode(url.replace("127.0.0.1", "localhost")), lambda: None)
        assert isinstance(media, HlsRecording)
        with pytest.raises(MediaError, match=r"redirects to 127\.0\.0\.1, inside your own network"):
            run_from(media, 0)
        media.close()
        eventually(lambda: not fetchers())
        assert router.seen == []


def test_what_is_live_is_opened_as_that_and_looked_at_again_the_next_time(
    listening: Listening, server: LoopbackServer
) -> None:
    served(server, *FRAMES)
    url = listed(server, text_of("0.aac", more=""))
    with pytest.raises(NoFile):
        opened(listening, url).stretch_at(0)
    assert listening.open(url).stream == url
    listed(server, text_of("0.aac"))
    assert run_from(opened(listening, url), 0) == FRAMES[0]


def test_an_address_that_says_nothing_of_it_is_known_by_its_playlist(
    listening: Listening, server: LoopbackServer
) -> None:
    served(server, *FRAMES)
    url = listed(server, text_of("0.aac", "1.aac"), "/episode.mp3")
    media = listening.open(url)
    assert isinstance(media, FetchedMedia)
    with pytest.raises(NoFile):
        media.read(0, 1)
    assert run_from(opened(listening, url), 0) == FRAMES[0] + FRAMES[1]


def test_closing_it_lets_go_of_a_read(listening: Listening, server: LoopbackServer) -> None:
    gone = threading.Event()

    def silent(request: Request) -> None:
        gone.wait(20)
        request.reply(b"", "audio/aac")

    url = served(server, FRAMES[0])
    server.answer("/0.aac", silent)
    media = opened(listening, url)
    stopped = threading.Event()

    def read() -> None:
        with pytest.raises(MediaError):
            media.read(0, 1)
        stopped.set()

    threading.Thread(target=read, daemon=True).start()
    eventually(lambda: any(request.path == "/0.aac" for request in server.seen))
    media.close()
    media.close()
    assert stopped.wait(5)
    gone.set()
    assert media.available(0, 10) == b""


def test_others_see_nothing_of_it_before_it_is_a_file(listening: Listening, server: LoopbackServer) -> None:
    """Its slots aren't where bytes of a file would be."""
    gone = threading.Event()

    def last(request: Request) -> None:
        gone.wait(20)
        request.reply(FRAMES[2], "audio/aac")

    url = served(server, *FRAMES)
    server.answer("/2.aac", last)
    media = opened(listening, url)
    assert media.read(media.stretch_at(0).byte, 10)
    with listening.store.available(episode(url)) as found:
        assert found is None
    gone.set()
    eventually(lambda: listening.store.is_here(episode(url)))
    with listening.store.available(episode(url)) as found:
        assert found is not None
        assert found.size == len(b"".join(FRAMES))


def test_what_is_played_is_not_fetched_again_to_be_downloaded(listening: Listening, server: LoopbackServer) -> None:
    url = served(server, *FRAMES)
    played = opened(listening, url)
    assert played.read(played.stretch_at(4_000).byte, 10)
    fetched = listening.store.fetch(episode(url))
    file: CacheFile = fetched.fetch_all(lambda: False)
    assert file.read(0, 1_000_000) == b"".join(FRAMES)
    file.release()
    fetched.close()
    assert run_from(played, 0) == b"".join(FRAMES)
    played.close()
    eventually(lambda: not fetchers())
    assert [request.path for request in server.seen].count("/0.aac") == 1


def test_a_recording_that_was_played_before_and_is_gone_is_no_live_stream(
    listening: Listening, server: LoopbackServer
) -> None:
    url = server.page("/list.m3u8", b"", status=404)
    known: Episode = replace(episode(url), duration_ms=60_000)
    media = listening.store.open(known, lambda: None)
    with pytest.raises(MediaError, match=r"no longer available on 127\.0\.0\.1"):
        media.read(0, 1)
    media.close()

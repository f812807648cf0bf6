"""What is sent live is fetched by Earmark itself, from the web, and not from inside the listener's own network."""

import threading
from collections.abc import Callable, Iterator

import pytest

from player.errors import MediaError
from player.media.fetching.broadcast import Broadcast, LiveMedia
from player.net.loop import NetworkLoop
from player.net.surroundings import is_inside, is_inside_ip
from tests.loopback import LoopbackServer, Request
from tests.player.media.conftest import eventually
from tests.player.media.sounds import adts, id3v2, mp3, noise

OUTSIDE = "https://198.51.100.7/feed.xml"
"""A feed on the web, of an address that nobody has (RFC 5737)."""


@pytest.fixture
def network() -> Iterator[NetworkLoop]:
    made = NetworkLoop(5, 5)
    yield made
    made.close()


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses of documentation (RFC 5737) count as the web."""
    monkeypatch.setattr(
        "player.media.fetching.broadcast.is_inside", lambda address: "198.51.100." not in address and is_inside(address)
    )


Tune = Callable[..., Broadcast]


@pytest.fixture
def tune(network: NetworkLoop) -> Iterator[Tune]:
    """Begins to fetch a stream, and waits until it is known what it is."""
    made: list[Broadcast] = []

    def tuned(address: str, feed: str = "", media: LiveMedia | None = None) -> Broadcast:
        ready = threading.Event()
        media = media or LiveMedia(address, network, lambda _address: None, lambda: feed)
        made.append(media.listen(ready.set))
        assert ready.wait(10)
        return made[-1]

    yield tuned
    for broadcast in made:
        broadcast.close()


def all_of(broadcast: Broadcast) -> bytes:
    out = b""
    while data := broadcast.read(len(out), 50_000):
        out += data
    return out


def hls(server: LoopbackServer, segments: dict[str, bytes], *more: str) -> str:
    for name, data in segments.items():
        server.audio(f"/{name}", data, "audio/aac")
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", *(f"#EXTINF:1,\n{name}" for name in segments), *more]
    return server.page("/list.m3u8", "\n".join(lines).encode(), "application/x-mpegurl")


def test_pieces_are_put_together_without_their_tags(server: LoopbackServer, tune: Tune) -> None:
    pieces = {"1.aac": id3v2(60) + adts(200), "2.aac": id3v2(60) + adts(300)}
    broadcast = tune(hls(server, pieces, "#EXT-X-ENDLIST"))
    assert broadcast.format == "aac"
    assert all_of(broadcast) == adts(500)
    assert (broadcast.ended, broadcast.error) == (True, None)


def test_parts_of_one_file_are_asked_for_one_by_one(server: LoopbackServer, tune: Tune) -> None:
    server.audio("/all.aac", adts(100) + noise(1000) + adts(200))
    text = (
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-BYTERANGE:10000@0\nall.aac\n#EXT-X-BYTERANGE:20000@11000\nall.aac\n"
        "#EXT-X-ENDLIST\n"
    )
    broadcast = tune(server.page("/list.m3u8", text.encode(), "application/x-mpegurl"))
    assert all_of(broadcast) == adts(300)


def test_begun_anew_it_goes_on_behind_what_was_played(server: LoopbackServer, tune: Tune, network: NetworkLoop) -> None:
    gone = threading.Event()

    def second(request: Request) -> None:
        if gone.is_set():
            request.reply(adts(77), "audio/aac")
        else:
            request.reply(b"", "text/plain", status=503)

    address = hls(server, {"1.aac": adts(200), "2.aac": b""}, "#EXT-X-ENDLIST")
    server.answer("/2.aac", second)
    media = LiveMedia(address, network, lambda _address: None, lambda: "")
    first = tune(address, media=media)
    assert all_of(first) == adts(200)
    assert (first.ended, first.error) == (False, None)
    gone.set()
    assert all_of(tune(address, media=media)) == adts(77)


def test_begun_anew_it_goes_on_behind_what_was_read_not_what_was_fetched(
    server: LoopbackServer, tune: Tune, network: NetworkLoop
) -> None:
    pieces = {f"{number}.aac": adts(100 + number) for number in range(5)}
    address = hls(server, pieces, "#EXT-X-ENDLIST")
    media = LiveMedia(address, network, lambda _address: None, lambda: "")
    first = tune(address, media=media)
    eventually(lambda: first.over)
    assert first.read(0, len(adts(250))) == adts(250)
    assert all_of(tune(address, media=media)) == adts(102 + 103 + 104)


def test_a_stream_is_found_through_playlists_of_playlists(server: LoopbackServer, tune: Tune) -> None:
    server.audio("/sound", noise(50) + mp3(200))
    server.page("/inner.pls", b"[playlist]\nFile1=/sound\n", "audio/x-scpls")
    outer = server.page("/outer.m3u", b"#EXTM3U\n#EXTINF:-1,Radio\ninner.pls\n", "audio/x-mpegurl")
    broadcast = tune(outer)
    assert broadcast.format == "mp3"
    assert all_of(broadcast) == mp3(200)


def test_playlists_that_lead_round_in_circles_come_to_an_end(server: LoopbackServer, tune: Tune) -> None:
    broadcast = tune(server.page("/a.m3u", b"#EXTM3U\na.m3u\n", "audio/x-mpegurl"))
    assert "only playlists that lead to other playlists" in str(broadcast.error)
    assert len(server.seen) == 4


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"<html><body>Off the air", "a web page, not audio"),
        (noise(100_000), "not in an audio format that Earmark knows"),
        (b"#EXTM3U\n#EXT-X-TARGETDURATION:6\nfile:///etc/passwd\n", "isn't on the web"),
        (b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "a playlist, not audio"),
    ],
)
def test_what_is_no_sound_is_a_sentence(server: LoopbackServer, tune: Tune, body: bytes, sentence: str) -> None:
    broadcast = tune(server.page("/radio", body, "audio/mpeg"))
    assert sentence in str(broadcast.error)
    assert broadcast.format == ""


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("how", ["entry", "segment", "map", "variant", "redirect"])
def test_nothing_leads_from_the_web_into_the_listeners_network(
    server: LoopbackServer, tune: Tune, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    with LoopbackServer() as router:
        inside = router.page("/admin", adts(100), "audio/aac")
        texts = {
            "entry": f"#EXTM3U\n{inside}\n",
            "segment": f"#EXTM3U\n#EXT-X-TARGETDURATION:6\n{inside}\n",
            "map": f'#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MAP:URI="{inside}"\n1.aac\n',
            "variant": f"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{inside}\n",
        }
        moved = {"Location": inside}
        address = (
            server.page("/list", b"", status=302, headers=moved)
            if how == "redirect"
            else server.page("/list", texts[how].encode(), "application/x-mpegurl")
        )
        broadcast = tune(address, OUTSIDE)
        assert "redirects to 127.0.0.1, inside your own network" in str(broadcast.error)
        assert router.seen == []
        assert tune(address, "http://127.0.0.1/feed.xml").error is None or how == "map"
        assert router.seen


@pytest.mark.parametrize(
    "number",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "::1", "fe80::1%eth0",
     "fd00::1", "::ffff:127.0.0.1", "2002:7f00:1::", "100.64.0.1", "224.0.0.1"],
)  # fmt: skip
def test_numbers_of_ones_own_network_are_known(number: str) -> None:
    assert is_inside_ip(number)


def test_names_and_other_spellings_of_ones_own_computer_are_known() -> None:
    assert all(map(is_inside, ("http://localhost/", "http://2130706433/", "http://0x7f.1/", "http://[::1]:80/")))
    assert not any(map(is_inside, ("http://8.8.8.8/", "https://[2606:4700::1]/", "http://", "http://a..b/")))


def test_fragments_of_mp4_are_a_sentence(server: LoopbackServer, tune: Tune) -> None:
    server.audio("/init.mp4", b"\0\0\0\x18ftypiso5" + bytes(5000))
    address = hls(server, {"1.m4s": b"moof" + bytes(5000)})
    lines = '#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MAP:URI="init.mp4"\n1.m4s\n'
    server.page("/list.m3u8", lines.encode(), "application/x-mpegurl")
    assert "fragmented MP4" in str(tune(address).error)


def test_closing_it_lets_go_of_a_read(server: LoopbackServer, tune: Tune) -> None:
    gone = threading.Event()

    def radio(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        request.wfile.write(mp3(20))
        request.wfile.flush()
        gone.wait(10)

    broadcast = tune(server.answer("/radio", radio))
    assert broadcast.read(0, 1_000_000) == mp3(20)
    stopped = threading.Event()

    def read() -> None:
        with pytest.raises(MediaError):
            broadcast.read(len(mp3(20)), 1)
        stopped.set()

    threading.Thread(target=read, daemon=True).start()
    broadcast.close()
    assert stopped.wait(5)
    gone.set()
    eventually(lambda: not [one for one in threading.enumerate() if one.name == "earmark-live"])


def test_what_was_read_last_is_kept_over_connections(
    server: LoopbackServer, tune: Tune, network: NetworkLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.media.fetching.broadcast.RECENT", len(adts(250)))
    pieces = {f"{number}.aac": adts(100 + number) for number in range(4)}
    media = LiveMedia(hls(server, pieces, "#EXT-X-ENDLIST"), network, lambda _address: None, lambda: "")
    assert media.recent.all() == ("", b"")
    first = tune(media.stream, media=media)
    assert first.read(0, len(adts(100))) == adts(100)
    assert media.recent.all() == ("aac", adts(100))
    rest = all_of(tune(media.stream, media=media))
    form, kept = media.recent.all()
    assert form == "aac"
    assert (adts(100) + rest).endswith(kept)
    assert len(kept) <= len(adts(250))

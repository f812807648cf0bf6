"""A radio stream is known by its first bytes, and so is its name."""

import pytest

from player.net.fetch import Fetched
from player.sources.radio.radio_streams import Station, station_of

HERE = "http://radio.example/listen"
HLS = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n1.ts\n"


def seen(content_type: str, start: str | bytes = b"\xff\xfb\x90", **headers: str) -> Fetched:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fetched(HERE, {"Content-Type": content_type, **named}, start.encode() if isinstance(start, str) else start)


def test_icecast_names_its_station() -> None:
    headers = {
        "icy-name": "Radio Ä".encode().decode("latin-1"),
        "icy-description": "All day",
        "icy-url": "http://r.example",
    }
    found = station_of(Fetched(HERE, headers))
    assert found == Station("Radio Ä", "All day", "http://r.example")


def test_names_are_cleaned() -> None:
    found = station_of(Fetched(HERE, {"icy-name": "\x1b[2JRa\tdio", "icy-url": "javascript:x"}))
    assert found == Station("[2JRa dio")


@pytest.mark.parametrize(
    ("peeked", "station"),
    [
        (seen("audio/mpeg"), Station()),
        (seen("audio/mpeg", Content_Length="9"), None),
        (seen("audio/mpeg", Accept_Ranges="bytes"), None),
        (seen("audio/mpeg", ETag='"1"'), None),
        (seen("text/html", "<html>"), None),
        (seen("application/vnd.apple.mpegurl", HLS), Station()),
        (seen("text/plain", HLS), Station()),
        (seen("application/vnd.apple.mpegurl", HLS + "#EXT-X-ENDLIST\n"), None),
        (seen("audio/x-mpegurl", "#EXTM3U\n#EXTINF:-1,Jazz \x07FM\nhttp://a/b\n", Content_Length="1"),
         Station("Jazz FM", next="http://a/b")),
        (seen("audio/x-mpegurl", "http://a/b\n", Content_Length="1"), Station(next="http://a/b")),
        (seen("audio/x-scpls", "[playlist]\nFile1=http://a/b\nTitle1=Jazz\n", ETag="x"), Station("Jazz", next="http://a/b")),
        (seen("audio/x-scpls", "[playlist]\nFile1=file:///etc/passwd\n", ETag="x"), None),
        (seen("audio/x-mpegurl", "#EXTM3U\n/etc/passwd\n", ETag="x"), Station(next="http://radio.example/etc/passwd")),
    ],
)  # fmt: skip
def test_what_is_a_station(peeked: Fetched, station: Station | None) -> None:
    assert station_of(peeked) == station

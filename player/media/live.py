"""Live streams: what has no end is no file. An engine plays them by itself, from an address, and nothing is kept.

Known by their type, or by what their server says: a playlist (HLS, RFC 8216; M3U; PLS), or Icecast's `icy-` headers and
no length.
"""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from player.addresses import web_address
from player.errors import MediaError

PLAYLIST_TYPES = frozenset(
    {
        "application/vnd.apple.mpegurl",
        "application/x-mpegurl",
        "application/mpegurl",
        "audio/mpegurl",
        "audio/x-mpegurl",
        "audio/x-scpls",
        "application/pls+xml",
    }
)
_HLS_TYPES = frozenset({"application/vnd.apple.mpegurl"})
_PLS_FILE = re.compile(r"file\d+\s*=\s*(\S+)", re.IGNORECASE)


class LiveMedia:
    """Implements playback.engine.Media for a stream: there are no bytes, only its address."""

    def __init__(self, address: str) -> None:
        self.stream = address
        self.size: int | None = None
        self.seekable = False
        self.format = ""
        self.duration_ms: int | None = None
        self.kept: tuple[tuple[float, float], ...] = ()
        self.complete = False
        self.reached_end = True
        self.error: MediaError | None = None
        self.trouble: MediaError | None = None

    def read(self, offset: int, count: int, given_up: object = None) -> bytes:  # noqa: ARG002
        raise MediaError("A live stream has no bytes to read")

    def at_hand(self, offset: int, count: int) -> bytes:  # noqa: ARG002
        return b""

    def wake(self) -> None: ...

    def cancel(self) -> None: ...

    def close(self) -> None: ...


def is_stream(url: str, media_type: str) -> bool:
    """Whether a feed says so: then nothing need be asked."""
    return media_type.partition(";")[0].strip().lower() in _HLS_TYPES or urlsplit(url).path.lower().endswith(".m3u8")


def stream_address(url: str, content_type: str, header_names: Iterable[str], *, endless: bool, head: bytes) -> str:
    """Where the stream is that an answer from `url` brings or names; "" when it brings a file."""
    if endless and any(name.lower().startswith("icy-") for name in header_names):
        return url
    text = head[:65536].decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    kind = content_type.partition(";")[0].strip().lower()
    if text.startswith("#EXTM3U") and "#EXT-X-" in text:
        return url
    if text.startswith("#EXTM3U") or (kind in PLAYLIST_TYPES and text.lower().startswith(("http://", "https://"))):
        return _first(text.splitlines(), url)
    if text.lower().startswith("[playlist]"):
        return _first(_PLS_FILE.findall(text), url)
    return ""


def _first(lines: Iterable[str], base: str) -> str:
    entries = (line.strip() for line in lines)
    return next((web_address(entry, base) for entry in entries if entry and not entry.startswith("#")), "")

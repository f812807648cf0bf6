"""Live streams have no end and aren't cached (player.media.fetching.broadcast reads them). They are recognised by
their type or by the server's response: a playlist (HLS, RFC 8216; M3U; PLS), or Icecast's `icy-` headers without a
length.
"""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from player.links.urls import web_address
from player.media.fetching.hls import is_hls

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
RADIO_TYPE = "audio/x-radio-stream"
"""What Earmark itself calls a stream that was added as a podcast."""
_LIVE_TYPES = frozenset({"application/vnd.apple.mpegurl", RADIO_TYPE})
_PLS_FILE = re.compile(r"file\d+\s*=\s*(\S+)", re.IGNORECASE)


def is_stream(url: str, media_type: str) -> bool:
    """Whether the feed says that it is one; then no request is needed."""
    return media_type.partition(";")[0].strip().lower() in _LIVE_TYPES or urlsplit(url).path.lower().endswith(".m3u8")


def stream_address(url: str, content_type: str, header_names: Iterable[str], *, endless: bool, head: bytes) -> str:
    """The address of the stream that a response from `url` is or names; "" when it is a file."""
    if endless and any(name.lower().startswith("icy-") for name in header_names):
        return url
    text = text_of(head[:65536])
    return url if is_hls(text) else first_entry(url, content_type, text)


def text_of(data: bytes) -> str:
    """A playlist's text."""
    return data.decode("utf-8", "replace").lstrip("\ufeff \r\n\t")


def is_playlist(content_type: str, head: bytes) -> bool:
    """Whether a response is a playlist, by its type and first 64 bytes."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    named = content_type.partition(";")[0].strip().lower() in PLAYLIST_TYPES and start.startswith(
        (b"http://", b"https://")
    )
    return named or start.startswith((b"#extm3u", b"[playlist]"))


def first_entry(base: str, content_type: str, text: str) -> str:
    """The first address that an M3U or a PLS at `base` names; "" if there is none."""
    kind = content_type.partition(";")[0].strip().lower()
    if text.startswith("#EXTM3U") or (kind in PLAYLIST_TYPES and text.lower().startswith(("http://", "https://"))):
        return _first(text.splitlines(), base)
    if text.lower().startswith("[playlist]"):
        return _first(_PLS_FILE.findall(text), base)
    return ""


def _first(lines: Iterable[str], base: str) -> str:
    entries = (line.strip() for line in lines)
    return next((web_address(entry, base) for entry in entries if entry and not entry.startswith("#")), "")

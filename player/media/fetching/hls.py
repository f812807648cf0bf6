"""Playlists of HLS (RFC 8216), read by Earmark itself: libvlc would follow them wherever they lead."""

import re

from msgspec import Struct

from player.errors import MediaError
from player.links.urls import web_address
from player.text.sentences import _

LONGEST = 2 * 1024 * 1024
"""Most bytes of a playlist that are read."""

_ATTRIBUTE = re.compile(r'(?<![A-Z0-9-])([A-Z0-9-]++)=("[^"]*"|[^",]*)')
_MOST_LINES = 50_000
_LEAST_S, _MOST_S = 1.0, 60.0
_LONGEST_S = 86_400.0


class Part(Struct, frozen=True):
    """A resource, or its bytes from `start` up to `end`."""

    address: str
    start: int = 0
    end: int | None = None


class Segment(Struct, frozen=True):
    """A piece of audio of `seconds`. `head` is the initialisation part that has to precede it (fragmented MP4)."""

    number: int
    part: Part
    head: Part | None = None
    seconds: float = 0.0


class Playlist(Struct, frozen=True):
    """`pause_s`: the longest segment in seconds. `over`: no more segments will come, so this is a recording."""

    segments: tuple[Segment, ...]
    pause_s: float
    over: bool

    def start(self) -> int:
        """The number of the first segment to play: of a live playlist, three before the end (section 6.3.3)."""
        return self.segments[0 if self.over else max(0, len(self.segments) - 3)].number


def is_hls(text: str) -> bool:
    return text.startswith("#EXTM3U") and "#EXT-X-" in text


def variant(text: str, base: str) -> str:
    """The address of the variant to play, audio-only if there is one; "" for a playlist without variants.

    Raises MediaError.
    """
    with_sound: dict[str, str] = {}
    found: list[tuple[tuple[bool, int], str, str]] = []
    lines = iter(text.splitlines()[:_MOST_LINES])
    for line in lines:
        name, _colon, values = line.strip().partition(":")
        attributes = _attributes(values)
        if name == "#EXT-X-MEDIA" and attributes.get("TYPE") == "AUDIO" and "URI" in attributes:
            with_sound.setdefault(attributes.get("GROUP-ID", ""), attributes["URI"])
        if name == "#EXT-X-STREAM-INF":
            address = next((entry for entry in map(str.strip, lines) if entry and not entry.startswith("#")), "")
            bandwidth = attributes.get("BANDWIDTH", "")
            rate = int(bandwidth) if bandwidth.isdecimal() and len(bandwidth) < 12 else 0
            has_picture = "RESOLUTION" in attributes or "avc" in attributes.get("CODECS", "")
            # The best audio; with video, which is discarded, the cheapest.
            rank = (has_picture, rate if has_picture else -rate)
            found.append((rank, attributes.get("AUDIO", ""), address))
    if not found:
        return ""
    _rank, group, address = min(found)
    return _on_the_web(with_sound.get(group, address) if group else address, base)


def read_playlist(text: str, base: str) -> Playlist:
    """Parses a playlist without variants. Raises MediaError."""
    number, pause_s, over, seconds = 0, 6.0, False, 0.0
    segments: list[Segment] = []
    head: Part | None = None
    byte_range, ends = "", {"": 0}
    rows = text.splitlines()
    if len(rows) > _MOST_LINES:
        raise too_long()
    for line in map(str.strip, rows):
        name, _colon, value = line.partition(":")
        match name:
            case "#EXT-X-TARGETDURATION":
                pause_s = min(max(_number(value), _LEAST_S), _MOST_S)
            case "#EXT-X-MEDIA-SEQUENCE":
                number = int(_number(value))
            case "#EXT-X-ENDLIST":
                over = True
            case "#EXT-X-PLAYLIST-TYPE" if value.strip().upper() == "VOD":
                over = True
            case "#EXTINF":
                seconds = min(_number(value.partition(",")[0]), _LONGEST_S)
            case "#EXT-X-BYTERANGE":
                byte_range = value
            case "#EXT-X-MAP":
                attributes = _attributes(value)
                head = _part(_on_the_web(attributes.get("URI", ""), base), attributes.get("BYTERANGE", ""), ends)
            case "#EXT-X-KEY" if _attributes(value).get("METHOD") != "NONE":
                raise MediaError(_("This stream is encrypted, which Earmark can't play"), _("Listen on its web page."))
            case _ if line and not line.startswith("#"):
                part = _part(_on_the_web(line, base), byte_range, ends)
                segments.append(Segment(number + len(segments), part, head, seconds))
                byte_range, seconds = "", 0.0
    if not segments and over:
        raise MediaError(_("This stream contains no audio"), _("It may be off the air."))
    return Playlist(tuple(segments), pause_s, over)


def too_long() -> MediaError:
    return MediaError(_("This stream's playlist is too long for Earmark"), _("Listen on its web page."))


def _part(address: str, byte_range: str, ends: dict[str, int]) -> Part:
    """`byte_range` is `count@start`, or `count` for the bytes after the last part of the same address."""
    if not byte_range:
        return Part(address)
    count, _at, offset = byte_range.partition("@")
    start = int(_number(offset)) if offset else ends.get(address, 0)
    ends[address] = start + int(_number(count))
    return Part(address, start, ends[address])


def _on_the_web(entry: str, base: str) -> str:
    if address := web_address(entry, base):
        return address
    raise MediaError(_("This stream refers to something that isn't on the web, so Earmark doesn't play it"))


def _attributes(text: str) -> dict[str, str]:
    return {name: value.strip('"') for name, value in _ATTRIBUTE.findall(text)}


def _number(text: str) -> float:
    try:
        return max(0.0, min(float(text.strip()), 1e15))
    except ValueError:
        return 0.0
